//! The Rust probe of sectax: times what aws-lc-rs, RustCrypto, blake3 and jsonwebtoken do. It speaks probes/PROTOCOL.md.

mod algorithms;
mod jose;
mod kit;
mod library;
mod primitive;
mod primitives;
#[cfg(test)]
mod tests;
mod treatment;

use algorithms::ALGORITHMS;
use kit::{Operation, Parameters, Probe, Refusal, Texts, failed, skipped};
use treatment::Treatment;

fn main() -> std::io::Result<()> {
    let parameters = Parameters::from([
        ("algorithm", ALGORITHMS.iter().map(|algorithm| algorithm.name).collect()),
        ("key_use", vec!["parsed-once", "parsed-per-call"]),
        ("layer", vec!["primitive", "library"]),
    ]);
    let probe = Probe {
        name: "rust",
        runtime: env!("RUSTC_VERSION"),
        libraries: vec![
            ("aws-lc-rs", env!("AWS_LC_RS_VERSION")),
            ("jsonwebtoken", env!("JSONWEBTOKEN_VERSION")),
            ("argon2", env!("ARGON2_VERSION")),
            ("bcrypt", env!("BCRYPT_VERSION")),
            ("blake2", env!("BLAKE2_VERSION")),
            ("blake3", env!("BLAKE3_VERSION")),
            ("poly1305", env!("POLY1305_VERSION")),
            ("scrypt", env!("SCRYPT_VERSION")),
            ("tiny-keccak", env!("TINY_KECCAK_VERSION")),
        ],
        operations: [("sign", parameters.clone()), ("verify", parameters)]
            .into_iter()
            .chain(primitives::operations())
            .collect(),
        prepare,
    };
    probe.serve(std::io::stdin().lock(), std::io::stdout().lock())
}

fn prepare(operation: &str, parameters: &Texts, inputs: &Texts) -> Result<Operation, Refusal> {
    if let Some(made) = primitives::prepare(operation, parameters, inputs) {
        return made;
    }
    let chosen = |name: &str| parameters.get(name).map_or("", String::as_str);
    let known = ALGORITHMS.iter().find(|algorithm| algorithm.name == chosen("algorithm"));
    let algorithm = known.ok_or(skipped("not in aws-lc-rs"))?; // others may have it
    let per_call = match chosen("key_use") {
        "parsed-once" => false,
        "parsed-per-call" => true,
        _ => return Err(failed("key_use must be parsed-once or parsed-per-call")),
    };
    let treatment = Treatment { algorithm, per_call, inputs };
    match chosen("layer") {
        "primitive" => primitive::prepare(operation, &treatment),
        "library" => library::prepare(operation, &treatment),
        _ => Err(failed("layer must be primitive or library")),
    }
}
