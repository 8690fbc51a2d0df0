//! Checking a password against what was stored of it: RustCrypto's argon2 and scrypt, bcrypt, and aws-lc-rs's PBKDF2.

use std::num::NonZeroU32;

use aws_lc_rs::{pbkdf2, rand};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::json;

use super::{ready, same};
use crate::kit::{Operation, Refusal, Texts, failed};

const BYTES: usize = 32;

/// A text such as `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`.
struct Stored {
    head: String,
    settings: Vec<(String, u32)>,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

impl Stored {
    fn read(text: &str) -> Option<Stored> {
        let (rest, hash) = text.rsplit_once('$')?;
        let (head, salt) = rest.rsplit_once('$')?;
        let settings = head.rsplit_once('$')?.1.split(',');
        let settings = settings.map(|one| one.split_once('=').and_then(|(n, v)| Some((n.into(), v.parse().ok()?))));
        let decode = |text| STANDARD_NO_PAD.decode(text).ok();
        Some(Stored {
            head: head.into(),
            settings: settings.collect::<Option<_>>()?,
            salt: decode(salt)?,
            hash: decode(hash)?,
        })
    }

    fn of(&self, name: &str) -> u32 {
        self.settings.iter().find(|(known, _)| known == name).map_or(0, |(_, value)| *value)
    }
}

fn derived(algorithm: &str, password: &[u8], stored: &Stored) -> Option<[u8; BYTES]> {
    let mut out = [0; BYTES];
    let of = |name| stored.of(name);
    match algorithm {
        "scrypt" => {
            let settings = scrypt::Params::new(of("ln").try_into().ok()?, of("r"), of("p")).ok()?;
            scrypt::scrypt(password, &stored.salt, &settings, &mut out).ok()?;
        }
        "pbkdf2-sha256" | "pbkdf2-sha512" => {
            let sha256 = algorithm == "pbkdf2-sha256";
            let hash = if sha256 { pbkdf2::PBKDF2_HMAC_SHA256 } else { pbkdf2::PBKDF2_HMAC_SHA512 };
            pbkdf2::derive(hash, NonZeroU32::new(of("i"))?, &stored.salt, password, &mut out);
        }
        _ => {
            let settings = argon2::Params::new(of("m"), of("t"), of("p"), Some(BYTES)).ok()?;
            let argon2 = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, settings);
            argon2.hash_password_into(password, &stored.salt, &mut out).ok()?;
        }
    }
    Some(out)
}

/// What checks the password against a stored one; None where that is none.
fn checker(algorithm: &str, password: &[u8], text: &str) -> Option<Box<dyn Fn() -> bool>> {
    let (algorithm, password, text) = (algorithm.to_owned(), password.to_owned(), text.to_owned());
    if algorithm == "bcrypt" {
        return Some(Box::new(move || bcrypt::verify(&password, &text).unwrap_or(false)));
    }
    let stored = Stored::read(&text)?;
    Some(Box::new(move || derived(&algorithm, &password, &stored).is_some_and(|made| same(&made, &stored.hash))))
}

/// What is kept of a password, with a fresh salt and the settings of another.
fn store(algorithm: &str, password: &[u8], like: &str) -> Option<String> {
    if algorithm == "bcrypt" {
        return bcrypt::hash(password, like.get(4..6)?.parse().ok()?).ok();
    }
    let mut stored = Stored::read(like)?;
    rand::fill(&mut stored.salt).ok()?;
    let made = derived(algorithm, password, &stored)?;
    Some(format!("{}${}${}", stored.head, STANDARD_NO_PAD.encode(&stored.salt), STANDARD_NO_PAD.encode(made)))
}

pub fn prepare(algorithm: &str, inputs: &Texts) -> Result<Operation, Refusal> {
    let given = |name: &str| inputs.get(name).cloned().ok_or(failed("the inputs password and stored are needed"));
    let (password, stored, name) = (given("password")?.into_bytes(), given("stored")?, algorithm.to_owned());
    let check = checker(algorithm, &password, &stored).ok_or(failed("the input stored is no stored password"))?;
    let implementation = match algorithm {
        "bcrypt" => "bcrypt",
        "scrypt" => "RustCrypto scrypt",
        _ if algorithm.starts_with("pbkdf2") => "aws-lc-rs",
        _ => "RustCrypto argon2",
    };
    let (again, shown) = (password.clone(), name.clone());
    Ok(ready(
        move || check().then_some(0),
        json!({"implementation": implementation}),
        Box::new(move || store(&shown, &again, &stored)),
        move |text| checker(&name, &password, text).is_some_and(|check| check()),
    ))
}
