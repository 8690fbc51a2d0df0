//! The Rust probe of sectax: times signatures of aws-lc-rs and of jsonwebtoken. It speaks probes/PROTOCOL.md.

mod algorithms;
mod jose;
mod kit;
mod library;
mod primitive;
#[cfg(test)]
mod tests;
mod treatment;

use std::collections::BTreeMap;

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
        libraries: vec![("aws-lc-rs", env!("AWS_LC_RS_VERSION")), ("jsonwebtoken", env!("JSONWEBTOKEN_VERSION"))],
        operations: BTreeMap::from([("sign", parameters.clone()), ("verify", parameters)]),
        prepare,
    };
    probe.serve(std::io::stdin().lock(), std::io::stdout().lock())
}

fn prepare(operation: &str, parameters: &Texts, inputs: &Texts) -> Result<Operation, Refusal> {
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
