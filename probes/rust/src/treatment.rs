//! What `prepare` was asked for, and its keys.

use std::rc::Rc;

use aws_lc_rs::hmac;
use aws_lc_rs::signature::ParsedPublicKey;
use serde_json::{Value, json};

use crate::algorithms::{Algorithm, PrivateKey, Signing, read_public};
use crate::jose::decode;
use crate::kit::{Refusal, Texts, failed};

pub struct Treatment<'a> {
    pub algorithm: &'static Algorithm,
    pub per_call: bool,
    pub inputs: &'a Texts,
}

/// The parsed keys, and what they say of themselves.
pub struct Keys {
    pub secret: Option<Rc<hmac::Key>>,
    pub private: Option<Rc<PrivateKey>>,
    pub public: Option<Rc<ParsedPublicKey>>,
    pub witnesses: Value,
}

impl Treatment<'_> {
    /// An input; empty where it is missing.
    pub fn input(&self, name: &str) -> &str {
        self.inputs.get(name).map_or("", String::as_str)
    }

    pub fn secret(&self) -> Result<Vec<u8>, Refusal> {
        let secret = decode(self.input("secret")).filter(|secret| !secret.is_empty());
        secret.ok_or(failed("the input secret is no base64url"))
    }

    pub fn keys(&self, signs: bool, implementation: &str) -> Result<Keys, Refusal> {
        let algorithm = self.algorithm;
        let key_type = algorithm.key_type();
        if let Signing::Hmac(hash) = algorithm.signing {
            let secret = self.secret()?;
            let bits = 8 * secret.len();
            let witnesses = json!({"key_type": key_type, "key_bits": bits, "implementation": implementation});
            let secret = Some(Rc::new(hmac::Key::new(hash, &secret)));
            return Ok(Keys { secret, private: None, public: None, witnesses });
        }
        let unreadable = |name: &str| failed(&format!("the input {name} is no PEM of a key for {}", algorithm.name));
        let public = read_public(algorithm, self.input("public_key_pem")).ok_or(unreadable("public_key_pem"))?;
        let private = PrivateKey::read(algorithm, self.input("private_key_pem"));
        if signs && private.is_none() {
            return Err(unreadable("private_key_pem"));
        }
        let bits = algorithm.bits_of(&public).ok_or(unreadable("public_key_pem"))?;
        let mut witnesses = json!({"key_type": key_type, "key_bits": bits, "implementation": implementation});
        if !algorithm.curve.is_empty() {
            witnesses[if key_type == "AKP" { "parameters" } else { "curve" }] = json!(algorithm.curve);
        }
        Ok(Keys { secret: None, private: private.map(Rc::new), public: Some(Rc::new(public)), witnesses })
    }
}
