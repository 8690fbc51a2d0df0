//! Authenticated encryption of aws-lc-rs, without additional data. The key is read once.

use std::rc::Rc;

use aws_lc_rs::aead::{
    AES_128_GCM, AES_256_GCM, AES_256_GCM_SIV, Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey,
};
use aws_lc_rs::rand;
use serde_json::{Value, json};

use super::{bytes, ready};
use crate::jose::{decode, encode};
use crate::kit::{Operation, Refusal, Texts, failed};

const TAG: usize = 16;

fn key(algorithm: &str, inputs: &Texts) -> Result<(Rc<LessSafeKey>, Value), Refusal> {
    let with = match algorithm {
        "aes-128-gcm" => &AES_128_GCM,
        "aes-256-gcm" => &AES_256_GCM,
        "aes-256-gcm-siv" => &AES_256_GCM_SIV,
        _ => &CHACHA20_POLY1305,
    };
    let raw = bytes(inputs, "key")?;
    let read = UnboundKey::new(with, &raw).map_err(|_| failed("the input key does not fit"))?;
    Ok((Rc::new(LessSafeKey::new(read)), json!({"key_bits": 8 * raw.len(), "implementation": "aws-lc-rs"})))
}

fn nonce(raw: &[u8]) -> Nonce {
    Nonce::try_assume_unique_for_key(raw).expect("it has 12 bytes")
}

/// The message in `out`, which is as long; whether the tag is right.
fn opened(key: &LessSafeKey, sealed: &[u8], out: &mut [u8]) -> bool {
    let (head, tag) = sealed.split_at(sealed.len() - TAG);
    let (number, ciphertext) = head.split_at(NONCE_LEN);
    key.open_separate_gather(nonce(number), Aad::empty(), ciphertext, tag, out).is_ok()
}

fn accepts(key: Rc<LessSafeKey>) -> impl Fn(&str) -> bool {
    move |shown| {
        let sealed = decode(shown).filter(|sealed| sealed.len() >= NONCE_LEN + TAG);
        sealed.is_some_and(|sealed| opened(&key, &sealed, &mut vec![0; sealed.len() - NONCE_LEN - TAG]))
    }
}

/// Counts the nonce up in every operation, from a random one on, as whoever sends must.
fn sealing(key: Rc<LessSafeKey>, mut number: [u8; NONCE_LEN]) -> impl FnMut(&mut [u8]) -> ([u8; NONCE_LEN], [u8; TAG]) {
    move |message| {
        let counter = u64::from_be_bytes(number[4..].try_into().expect("eight bytes"));
        number[4..].copy_from_slice(&counter.wrapping_add(1).to_be_bytes());
        let tag = key.seal_in_place_separate_tag(nonce(&number), Aad::empty(), message);
        (number, tag.expect("a message of this size").as_ref().try_into().expect("16 bytes"))
    }
}

/// In place, as aws-lc-rs seals: the next message is the ciphertext of the last one, which is as much work.
pub fn seal(algorithm: &str, inputs: &Texts) -> Result<Operation, Refusal> {
    let ((key, mut witnesses), data) = (key(algorithm, inputs)?, bytes(inputs, "data")?);
    witnesses["data_bytes"] = json!(data.len());
    let start = || {
        let mut number = [0; NONCE_LEN];
        rand::fill(&mut number).expect("the system has randomness");
        number
    };
    let (mut timed, mut shown) = (sealing(key.clone(), start()), sealing(key.clone(), start()));
    let mut message = data.clone();
    let run = move || {
        timed(&mut message);
        Some(message.len() + TAG)
    };
    let artefact = Box::new(move || {
        let mut message = data.clone();
        let (number, tag) = shown(&mut message);
        Some(encode(&[&number[..], &message, &tag].concat()))
    });
    Ok(ready(run, witnesses, artefact, accepts(key)))
}

pub fn open(algorithm: &str, inputs: &Texts) -> Result<Operation, Refusal> {
    let ((key, mut witnesses), sealed) = (key(algorithm, inputs)?, bytes(inputs, "sealed")?);
    let size = sealed.len().checked_sub(NONCE_LEN + TAG).ok_or(failed("the input sealed is too short"))?;
    witnesses["data_bytes"] = json!(size);
    let (timed, shown, again) = (key.clone(), key.clone(), sealed.clone());
    let mut out = vec![0; size];
    let run = move || opened(&timed, &sealed, &mut out).then_some(size);
    let artefact = Box::new(move || {
        let mut out = vec![0; size];
        opened(&shown, &again, &mut out).then(|| encode(&out))
    });
    Ok(ready(run, witnesses, artefact, accepts(key)))
}
