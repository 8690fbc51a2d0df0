//! Key agreement of aws-lc-rs: both sides of one exchange with fresh keys, and what they send as bytes in between.

use aws_lc_rs::agreement::{self, ECDH_P256, PrivateKey, UnparsedPublicKey, X25519};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::kem::{Ciphertext, DecapsulationKey, EncapsulationKey, ML_KEM_768};
use serde_json::json;

use super::{bytes, ready, same};
use crate::jose::{decode, encode};
use crate::kit::{Operation, Refusal, Texts, failed};

const KEM_PUBLIC: usize = 1184;
const KEM_MESSAGE: usize = 1088;

/// The initiator's keys: of ML-KEM, of a curve, or both, where ML-KEM goes first in all that is sent and in the secret.
struct Keys {
    kem: Option<DecapsulationKey>,
    curve: Option<PrivateKey>,
}

#[derive(Clone, Copy)]
struct Exchange {
    kem: bool,
    curve: Option<&'static agreement::Algorithm>,
}

type Made<T> = Result<T, Unspecified>;

fn agreed(key: &PrivateKey, public: &[u8]) -> Made<Vec<u8>> {
    let public = UnparsedPublicKey::new(key.algorithm(), public);
    agreement::agree(key, public, Unspecified, |secret| Ok(secret.to_vec()))
}

impl Exchange {
    fn of(algorithm: &str) -> Exchange {
        match algorithm {
            "x25519" => Exchange { kem: false, curve: Some(&X25519) },
            "p-256" => Exchange { kem: false, curve: Some(&ECDH_P256) },
            "ml-kem-768" => Exchange { kem: true, curve: None },
            _ => Exchange { kem: true, curve: Some(&X25519) },
        }
    }

    fn start(&self) -> Made<(Keys, Vec<u8>)> {
        let mut sent = Vec::with_capacity(KEM_PUBLIC + 65);
        let kem = self.kem.then(|| DecapsulationKey::generate(&ML_KEM_768)).transpose()?;
        if let Some(key) = &kem {
            sent.extend_from_slice(key.encapsulation_key()?.key_bytes()?.as_ref());
        }
        let curve = self.curve.map(PrivateKey::generate).transpose()?;
        if let Some(key) = &curve {
            sent.extend_from_slice(key.compute_public_key()?.as_ref());
        }
        Ok((Keys { kem, curve }, sent))
    }

    /// The responder's message and secret.
    fn respond(&self, public: &[u8]) -> Made<(Vec<u8>, Vec<u8>)> {
        let (kem, curve) = public.split_at_checked(if self.kem { KEM_PUBLIC } else { 0 }).ok_or(Unspecified)?;
        let (mut message, mut secret) = (Vec::with_capacity(KEM_MESSAGE + 65), Vec::with_capacity(64));
        if self.kem {
            let (sent, shared) = EncapsulationKey::new(&ML_KEM_768, kem).map_err(|_| Unspecified)?.encapsulate()?;
            message.extend_from_slice(sent.as_ref());
            secret.extend_from_slice(shared.as_ref());
        }
        if let Some(algorithm) = self.curve {
            let key = PrivateKey::generate(algorithm)?;
            message.extend_from_slice(key.compute_public_key()?.as_ref());
            secret.extend_from_slice(&agreed(&key, curve)?);
        }
        Ok((message, secret))
    }
}

impl Keys {
    /// The initiator's secret.
    fn finish(&self, message: &[u8]) -> Made<Vec<u8>> {
        let at = if self.kem.is_some() { KEM_MESSAGE } else { 0 };
        let (kem, curve) = message.split_at_checked(at).ok_or(Unspecified)?;
        let mut secret = Vec::with_capacity(64);
        if let Some(key) = &self.kem {
            secret.extend_from_slice(key.decapsulate(Ciphertext::from(kem))?.as_ref());
        }
        if let Some(key) = &self.curve {
            secret.extend_from_slice(&agreed(key, curve)?);
        }
        Ok(secret)
    }

    /// Of ML-KEM aws-lc-rs takes the key in full, not its seed.
    fn read(with: Exchange, inputs: &Texts) -> Result<Keys, Refusal> {
        let refused = |_| failed("the input private_key or decapsulation_key does not fit");
        let raw = bytes(inputs, "private_key")?;
        let kem = match with.kem {
            true => Some(DecapsulationKey::new(&ML_KEM_768, &bytes(inputs, "decapsulation_key")?).map_err(refused)?),
            false => None,
        };
        let own = raw.get(if with.kem { 64 } else { 0 }..).unwrap_or_default();
        let curve = with.curve.map(|algorithm| PrivateKey::from_private_key(algorithm, own)).transpose();
        Ok(Keys { kem, curve: curve.map_err(refused)? })
    }
}

pub fn prepare(algorithm: &str, inputs: &Texts) -> Result<Operation, Refusal> {
    let with = Exchange::of(algorithm);
    let (own, public) = (Keys::read(with, inputs)?, bytes(inputs, "public_key")?);
    let witnesses = json!({"public_key_bytes": public.len(), "implementation": "aws-lc-rs"});
    let run = move || {
        let (keys, sent) = with.start().ok()?;
        let (message, secret) = with.respond(&sent).ok()?;
        same(&keys.finish(&message).ok()?, &secret).then_some(secret.len())
    };
    let artefact = Box::new(move || {
        let (message, secret) = with.respond(&public).ok()?;
        Some(format!("{}.{}", encode(&message), encode(&secret)))
    });
    let accepts = move |shown: &str| {
        let parts: Option<Vec<Vec<u8>>> = shown.split('.').map(decode).collect();
        match parts.as_deref() {
            Some([message, secret]) => own.finish(message).is_ok_and(|agreed| same(&agreed, secret)),
            _ => false,
        }
    };
    Ok(ready(run, witnesses, artefact, accepts))
}
