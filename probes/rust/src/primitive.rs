//! The bare signature: of aws-lc-rs, over bytes that are at hand.

use std::rc::Rc;

use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::ParsedPublicKey;

use crate::algorithms::{Algorithm, PrivateKey, Signing, read_public};
use crate::jose::{encode, read_back, split};
use crate::kit::{Operation, Refusal, Run, failed};
use crate::treatment::Treatment;

const LONGEST_SIGNATURE: usize = 4627; // of ML-DSA-87; RSA's with 8192 bits has 1024

/// What verifies, as the treatment wants it.
#[derive(Clone)]
enum Verifier {
    Secret(Rc<hmac::Key>),
    Parsed(Rc<ParsedPublicKey>),
    PerCall(&'static Algorithm, Rc<str>),
}

impl Verifier {
    fn verifies(&self, data: &[u8], signature: &[u8]) -> bool {
        match self {
            Verifier::Secret(key) => hmac::verify(key, data, signature).is_ok(),
            Verifier::Parsed(key) => key.verify_sig(data, signature).is_ok(),
            Verifier::PerCall(algorithm, text) => {
                read_public(algorithm, text).is_some_and(|key| key.verify_sig(data, signature).is_ok())
            }
        }
    }
}

pub fn prepare(operation: &str, treatment: &Treatment) -> Result<Operation, Refusal> {
    let keys = treatment.keys(operation == "sign", "aws-lc-rs")?;
    let algorithm = treatment.algorithm;
    let verifier = match (&keys.secret, treatment.per_call) {
        (Some(secret), _) => Verifier::Secret(secret.clone()),
        (None, true) => Verifier::PerCall(algorithm, treatment.input("public_key_pem").into()),
        (None, false) => Verifier::Parsed(keys.public.clone().ok_or(failed("no public key"))?),
    };
    let judge = verifier.clone();
    let accepts = Box::new(move |token: &str| {
        split(token).is_some_and(|(data, signature)| judge.verifies(data.as_bytes(), &signature))
    });
    if operation == "verify" {
        let token = treatment.input("token").to_owned();
        let (data, signature) = split(&token).ok_or(failed("the input token is no compact JWS"))?;
        let data = data.as_bytes().to_vec();
        let run: Run = Box::new(move || verifier.verifies(&data, &signature).then_some(0));
        let read_back = Box::new(move |_: &str| read_back(&token));
        return Ok(Operation { run, witnesses: keys.witnesses, artefact: None, accepts, read_back });
    }
    let text = treatment.input("signing_input").to_owned();
    if text.is_empty() {
        return Err(failed("the input signing_input is missing"));
    }
    let (mut timed, mut shown) = (signer(treatment, &keys), signer(treatment, &keys));
    let (data, mut out, mut again) = (text.clone(), vec![0; LONGEST_SIGNATURE], vec![0; LONGEST_SIGNATURE]);
    Ok(Operation {
        run: Box::new(move || timed(data.as_bytes(), &mut out)),
        witnesses: keys.witnesses,
        artefact: Some(Box::new(move || {
            let size = shown(text.as_bytes(), &mut again)?;
            Some(format!("{text}.{}", encode(&again[..size])))
        })),
        accepts,
        read_back: Box::new(read_back),
    })
}

type Sign = Box<dyn FnMut(&[u8], &mut [u8]) -> Option<usize>>;

fn signer(treatment: &Treatment, keys: &crate::treatment::Keys) -> Sign {
    let (algorithm, random) = (treatment.algorithm, SystemRandom::new());
    if let (Signing::Hmac(_), Some(secret)) = (algorithm.signing, keys.secret.clone()) {
        return Box::new(move |data, out| {
            let code = hmac::sign(&secret, data);
            out[..code.as_ref().len()].copy_from_slice(code.as_ref());
            Some(code.as_ref().len())
        });
    }
    if treatment.per_call {
        let text = treatment.input("private_key_pem").to_owned();
        return Box::new(move |data, out| PrivateKey::read(algorithm, &text)?.sign(&random, data, out));
    }
    let key = keys.private.clone();
    Box::new(move |data, out| key.as_ref()?.sign(&random, data, out))
}
