//! Complete tokens by jsonwebtoken, with aws-lc-rs below it.

use std::rc::Rc;

use jsonwebtoken::errors::Result as Jwt;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use serde_json::{Map, Value};

use crate::jose::{read_back, split};
use crate::kit::{Operation, Refusal, failed, skipped};
use crate::treatment::Treatment;

pub fn prepare(operation: &str, treatment: &Treatment) -> Result<Operation, Refusal> {
    let algorithm = treatment.algorithm.library.ok_or(skipped("not in jsonwebtoken"))?;
    let witnesses = treatment.keys(operation == "sign", "jsonwebtoken/aws-lc-rs")?.witnesses;
    let kind = treatment.algorithm.key_type();
    let secret = if kind == "oct" { treatment.secret()? } else { Vec::new() };
    let per_call = treatment.per_call && kind != "oct";
    let text: Rc<[u8]> = if kind == "oct" { secret } else { treatment.input("public_key_pem").into() }.into();
    let parsed = decoding_key(kind, &text).map_err(|_| failed("jsonwebtoken does not read the public key"))?;
    let mut validation = Validation::new(algorithm);
    validation.required_spec_claims.clear(); // the claims carry no times
    validation.validate_exp = false;
    let verifies = Rc::new(move |token: &str| {
        if per_call {
            let Ok(key) = decoding_key(kind, &text) else { return false };
            return decode::<Map<String, Value>>(token, &key, &validation).is_ok();
        }
        decode::<Map<String, Value>>(token, &parsed, &validation).is_ok()
    });
    let judge = verifies.clone();
    let accepts = Box::new(move |token: &str| judge(token));
    if operation == "verify" {
        let token = treatment.input("token").to_owned();
        split(&token).ok_or(failed("the input token is no compact JWS"))?;
        let shown = token.clone();
        return Ok(Operation {
            run: Box::new(move || verifies(&token).then_some(0)),
            witnesses,
            artefact: None,
            accepts,
            read_back: Box::new(move |_| read_back(&shown)),
        });
    }
    let sign = Rc::new(signer(treatment, algorithm, kind, per_call)?);
    let artefact = sign.clone();
    Ok(Operation {
        run: Box::new(move || sign().map(|token| token.len())),
        witnesses,
        artefact: Some(Box::new(move || artefact())),
        accepts,
        read_back: Box::new(read_back),
    })
}

fn signer(
    treatment: &Treatment,
    algorithm: Algorithm,
    kind: &'static str,
    per_call: bool,
) -> Result<impl Fn() -> Option<String> + use<>, Refusal> {
    let claims: Map<String, Value> =
        serde_json::from_str(treatment.input("claims")).map_err(|_| failed("the input claims is no JSON object"))?;
    let text = if kind == "oct" { treatment.secret()? } else { treatment.input("private_key_pem").into() };
    let parsed = encoding_key(kind, &text).map_err(|_| failed("jsonwebtoken does not read the private key"))?;
    let header = Header::new(algorithm);
    Ok(move || {
        if per_call {
            return encode(&header, &claims, &encoding_key(kind, &text).ok()?).ok();
        }
        encode(&header, &claims, &parsed).ok()
    })
}

fn encoding_key(kind: &str, text: &[u8]) -> Jwt<EncodingKey> {
    match kind {
        "oct" => Ok(EncodingKey::from_secret(text)),
        "RSA" => EncodingKey::from_rsa_pem(text),
        "EC" => EncodingKey::from_ec_pem(text),
        _ => EncodingKey::from_ed_pem(text),
    }
}

fn decoding_key(kind: &str, text: &[u8]) -> Jwt<DecodingKey> {
    match kind {
        "oct" => Ok(DecodingKey::from_secret(text)),
        "RSA" => DecodingKey::from_rsa_pem(text),
        "EC" => DecodingKey::from_ec_pem(text),
        _ => DecodingKey::from_ed_pem(text),
    }
}
