//! The operations of the experiment primitives: hashes, MACs, ciphers, key agreement and password hashes of aws-lc-rs, and
//! where it has none of RustCrypto and blake3.

mod ciphers;
mod exchange;
mod hashes;
mod passwords;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use serde_json::{Value, json};

use crate::jose::{decode, encode};
use crate::kit::{Operation, Parameters, Refusal, Texts, failed, skipped};

const AEAD: [&str; 4] = ["aes-256-gcm", "aes-128-gcm", "chacha20-poly1305", "aes-256-gcm-siv"];
const FAMILIES: [(&str, &[&str]); 6] = [
    ("hash", &["sha-256", "sha-512", "sha3-256", "blake2b", "blake3"]),
    ("mac", &["hmac-sha-256", "hmac-sha-512", "blake2b-keyed", "blake3-keyed", "poly1305", "kmac256"]),
    ("aead-seal", &AEAD),
    ("aead-open", &AEAD),
    ("agree", &["x25519", "p-256", "ml-kem-768", "x25519mlkem768"]),
    ("password", &["argon2id", "argon2id-rfc9106", "scrypt", "bcrypt", "pbkdf2-sha256", "pbkdf2-sha512"]),
];

/// Every operation, with the values of its parameter.
pub fn operations() -> impl Iterator<Item = (&'static str, Parameters)> {
    FAMILIES.iter().map(|(name, known)| (*name, Parameters::from([("algorithm", known.to_vec())])))
}

/// None where the operation is not one of these.
pub fn prepare(operation: &str, parameters: &Texts, inputs: &Texts) -> Option<Result<Operation, Refusal>> {
    let (_, known) = FAMILIES.iter().find(|(name, _)| *name == operation)?;
    let algorithm = parameters.get("algorithm").map_or("", String::as_str);
    if !known.contains(&algorithm) {
        return Some(Err(skipped("not in aws-lc-rs, RustCrypto or blake3")));
    }
    Some(match operation {
        "hash" | "mac" => hashes::prepare(operation, algorithm, inputs),
        "aead-seal" => ciphers::seal(algorithm, inputs),
        "aead-open" => ciphers::open(algorithm, inputs),
        "agree" => exchange::prepare(algorithm, inputs),
        _ => passwords::prepare(algorithm, inputs),
    })
}

fn bytes(inputs: &Texts, name: &str) -> Result<Vec<u8>, Refusal> {
    let read = inputs.get(name).and_then(|text| decode(text)).filter(|data| !data.is_empty());
    read.ok_or(failed(&format!("the input {name} is no base64url")))
}

fn same(one: &[u8], other: &[u8]) -> bool {
    verify_slices_are_equal(one, other).is_ok()
}

type Artefact = Box<dyn FnMut() -> Option<String>>;

fn ready(
    run: impl FnMut() -> Option<usize> + 'static,
    mut witnesses: Value,
    artefact: Artefact,
    accepts: impl Fn(&str) -> bool + 'static,
) -> Operation {
    witnesses["hardware"] = json!(format!("Rust sees: {}", hardware()));
    let (run, accepts) = (Box::new(run), Box::new(accepts));
    Operation { run, witnesses, artefact: Some(artefact), accepts, read_back: Box::new(|_| json!({})) }
}

/// The instructions for cryptography that the standard library sees here.
#[cfg(target_arch = "x86_64")]
fn hardware() -> String {
    use std::arch::is_x86_feature_detected as has;
    let seen = [
        ("AES-NI", has!("aes")),
        ("VAES", has!("vaes")),
        ("PCLMULQDQ", has!("pclmulqdq")),
        ("VPCLMULQDQ", has!("vpclmulqdq")),
        ("SHA-NI", has!("sha")),
        ("AVX2", has!("avx2")),
        ("AVX-512", has!("avx512f")),
    ];
    seen.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
}

#[cfg(not(target_arch = "x86_64"))]
fn hardware() -> String {
    "not asked on this architecture".into()
}

/// The operation of a function that always makes the same bytes.
fn produces(makes: impl Fn() -> Vec<u8> + Clone + 'static, witnesses: Value) -> Operation {
    let (shown, judged) = (makes.clone(), makes.clone());
    ready(
        move || Some(makes().len()),
        witnesses,
        Box::new(move || Some(encode(&shown()))),
        move |artefact| decode(artefact).is_some_and(|data| same(&data, &judged())),
    )
}
