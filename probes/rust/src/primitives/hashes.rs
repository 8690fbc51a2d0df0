//! Hashes and MACs, in one call each. aws-lc-rs reads the key of an HMAC once; the others take its bytes.

use aws_lc_rs::{digest, hmac};
use blake2::digest::consts::U32;
use blake2::digest::{Digest, FixedOutput, KeyInit, Update};
use serde_json::json;
use tiny_keccak::{Hasher, Kmac};

use super::{bytes, produces};
use crate::kit::{Operation, Refusal, Texts, failed};

pub fn prepare(operation: &str, algorithm: &str, inputs: &Texts) -> Result<Operation, Refusal> {
    let data = bytes(inputs, "data")?;
    if operation == "hash" {
        let witnesses = |implementation| json!({"data_bytes": data.len(), "implementation": implementation});
        let aws = witnesses("aws-lc-rs");
        return Ok(match algorithm {
            "sha-256" => produces(digested(&digest::SHA256, data), aws),
            "sha-512" => produces(digested(&digest::SHA512, data), aws),
            "sha3-256" => produces(digested(&digest::SHA3_256, data), aws),
            "blake2b" => {
                let witnesses = witnesses("RustCrypto blake2");
                produces(move || blake2::Blake2b512::digest(&data).to_vec(), witnesses)
            }
            _ => {
                let witnesses = witnesses("blake3");
                produces(move || blake3::hash(&data).as_bytes().to_vec(), witnesses)
            }
        });
    }
    let key = bytes(inputs, "key")?;
    let implementation = match algorithm {
        "blake2b-keyed" => "RustCrypto blake2",
        "blake3-keyed" => "blake3",
        "poly1305" => "RustCrypto poly1305",
        "kmac256" => "tiny-keccak",
        _ => "aws-lc-rs",
    };
    let witnesses = json!({"key_bits": 8 * key.len(), "data_bytes": data.len(), "implementation": implementation});
    if matches!(algorithm, "blake3-keyed" | "poly1305") && key.len() != 32 {
        return Err(failed("the input key must have 32 bytes"));
    }
    Ok(match algorithm {
        "hmac-sha-256" => produces(authenticated(hmac::HMAC_SHA256, &key, data), witnesses),
        "hmac-sha-512" => produces(authenticated(hmac::HMAC_SHA512, &key, data), witnesses),
        "blake2b-keyed" => {
            let tag = move || {
                let mut mac = <blake2::Blake2bMac<U32> as KeyInit>::new_from_slice(&key).expect("at most 64 bytes");
                Update::update(&mut mac, &data);
                mac.finalize_fixed().to_vec()
            };
            produces(tag, witnesses)
        }
        "blake3-keyed" => {
            let key: [u8; 32] = key.try_into().expect("looked at above");
            produces(move || blake3::keyed_hash(&key, &data).as_bytes().to_vec(), witnesses)
        }
        "poly1305" => {
            let tag = move || {
                let mac = poly1305::Poly1305::new_from_slice(&key).expect("looked at above");
                mac.compute_unpadded(&data).to_vec()
            };
            produces(tag, witnesses)
        }
        _ => {
            let tag = move || {
                let (mut mac, mut out) = (Kmac::v256(&key, b""), [0; 32]);
                mac.update(&data);
                mac.finalize(&mut out);
                out.to_vec()
            };
            produces(tag, witnesses)
        }
    })
}

fn digested(algorithm: &'static digest::Algorithm, data: Vec<u8>) -> impl Fn() -> Vec<u8> + Clone {
    move || digest::digest(algorithm, &data).as_ref().to_vec()
}

fn authenticated(algorithm: hmac::Algorithm, key: &[u8], data: Vec<u8>) -> impl Fn() -> Vec<u8> + Clone + use<> {
    let key = hmac::Key::new(algorithm, key);
    move || hmac::sign(&key, &data).as_ref().to_vec()
}
