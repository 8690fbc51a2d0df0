//! Every algorithm in both layers, and the conversation.

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{EcdsaKeyPair, Ed25519KeyPair, KeyPair, PqdsaKeyPair, RsaKeyPair};
use serde_json::{Value, json};

use crate::algorithms::{ALGORITHMS, Algorithm, Signing};
use crate::jose::{decode, encode};
use crate::kit::{Operation, Probe, Refusal, Texts};
use crate::prepare;

const CLAIMS: &str = r#"{"iss":"https://issuer.example","sub":"user"}"#;
const LAYERS: [&str; 2] = ["primitive", "library"];

fn texts(members: &[(&str, &str)]) -> Texts {
    members.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect()
}

fn algorithm(name: &str) -> &'static Algorithm {
    ALGORITHMS.iter().find(|known| known.name == name).unwrap()
}

fn pem_of(tag: &str, der: &[u8]) -> String {
    pem::encode(&pem::Pem::new(tag, der))
}

fn inputs_for(algorithm: &Algorithm) -> Texts {
    let header = encode(format!(r#"{{"typ":"JWT","alg":"{}"}}"#, algorithm.name).as_bytes());
    let input = format!("{header}.{}", encode(CLAIMS.as_bytes()));
    let mut inputs = texts(&[("claims", CLAIMS), ("signing_input", &input)]);
    macro_rules! with_pair {
        ($pair:expr, $private:expr) => {{
            let pair = $pair;
            let public: PublicKeyX509Der = pair.public_key().as_der().unwrap();
            inputs.insert("private_key_pem".into(), pem_of("PRIVATE KEY", $private(&pair).as_ref()));
            inputs.insert("public_key_pem".into(), pem_of("PUBLIC KEY", public.as_ref()));
        }};
    }
    match algorithm.signing {
        Signing::Hmac(_) => drop(inputs.insert("secret".into(), encode(&[107; 64]))),
        Signing::Rsa(_) => with_pair!(RsaKeyPair::generate(KeySize::Rsa2048).unwrap(), |pair: &RsaKeyPair| {
            AsDer::<aws_lc_rs::encoding::Pkcs8V1Der>::as_der(pair).unwrap().as_ref().to_vec()
        }),
        Signing::Ecdsa(signing) => {
            with_pair!(EcdsaKeyPair::generate(signing).unwrap(), |pair: &EcdsaKeyPair| { pair.to_pkcs8v1().unwrap() })
        }
        Signing::Ed25519 => {
            with_pair!(Ed25519KeyPair::generate().unwrap(), |pair: &Ed25519KeyPair| { pair.to_pkcs8v1().unwrap() })
        }
        Signing::MlDsa(signing) => {
            with_pair!(PqdsaKeyPair::generate(signing).unwrap(), |pair: &PqdsaKeyPair| { pair.to_pkcs8v1().unwrap() })
        }
    }
    inputs
}

fn prepared(operation: &str, name: &str, layer: &str, key_use: &str, inputs: &Texts) -> Result<Operation, Refusal> {
    prepare(operation, &texts(&[("algorithm", name), ("layer", layer), ("key_use", key_use)]), inputs)
}

/// A bit of every thirteenth byte turned, and tokens of strange form.
fn tampered(token: &str) -> Vec<String> {
    let parts: Vec<&str> = token.split('.').collect();
    let none = encode(br#"{"alg":"none"}"#);
    let mut wrong: Vec<String> = ["", "..", "a.b.c"].map(String::from).into();
    wrong.extend([format!("{}.{}.", parts[0], parts[1]), format!("{token}.{}", parts[2]), format!("{token}!")]);
    wrong.extend([format!("{none}.{}.", parts[1]), format!(" {token}")]);
    for place in 0..3 {
        let data = decode(parts[place]).unwrap();
        for index in (0..data.len()).step_by(13) {
            let mut changed = data.clone();
            changed[index] ^= 1;
            let text = encode(&changed);
            let mut others = parts.clone();
            others[place] = &text;
            wrong.push(others.join("."));
        }
    }
    wrong
}

#[test]
fn tokens_are_verified_by_both_layers_and_tampered_ones_by_none() {
    for algorithm in &ALGORITHMS {
        let mut inputs = inputs_for(algorithm);
        let layers = if algorithm.library.is_some() { &LAYERS[..] } else { &LAYERS[..1] };
        for (layer, key_use) in layers.iter().flat_map(|layer| [(layer, "parsed-once"), (layer, "parsed-per-call")]) {
            let mut signer = prepared("sign", algorithm.name, layer, key_use, &inputs).unwrap();
            let token = signer.artefact.as_mut().unwrap()().unwrap();
            assert!((signer.run)().unwrap() > 0);
            assert_eq!((signer.read_back)(&token)["alg"], algorithm.name);
            inputs.insert("token".into(), token.clone());
            for other in layers {
                let mut verifier = prepared("verify", algorithm.name, other, key_use, &inputs).unwrap();
                assert_eq!((verifier.run)(), Some(0));
                assert!((signer.accepts)(&token) && (verifier.accepts)(&token));
                for wrong in tampered(&token) {
                    assert!(!(verifier.accepts)(&wrong), "{other} accepts {wrong}");
                }
            }
        }
    }
}

#[test]
fn witnesses_are_read_from_the_key() {
    for (name, key_type, bits, curve) in [
        ("RS512", "RSA", 2048, Value::Null),
        ("ES512", "EC", 521, json!("P-521")),
        ("EdDSA", "OKP", 256, json!("Ed25519")),
        ("HS256", "oct", 512, Value::Null),
        ("ML-DSA-87", "AKP", 20736, Value::Null),
    ] {
        let inputs = inputs_for(algorithm(name));
        let read = prepared("sign", name, "primitive", "parsed-once", &inputs).unwrap().witnesses;
        assert_eq!((&read["key_type"], &read["key_bits"], &read["curve"]), (&json!(key_type), &json!(bits), &curve));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let inputs = inputs_for(algorithm("ES256"));
    for name in ["ES384", "ES256K", "RS256", "HS256", "EdDSA", "ML-DSA-44"] {
        let refused = prepared("sign", name, "primitive", "parsed-once", &inputs);
        assert!(matches!(refused, Err(Refusal::Failed(_))), "{name}");
    }
    assert!(matches!(prepared("sign", "Ed448", "primitive", "parsed-once", &inputs), Err(Refusal::Skipped(_))));
}

fn talk(lines: &[&str]) -> Vec<Value> {
    let operations = [("sign", [("way", vec!["right"])].into())].into();
    let run = |_: &str, parameters: &Texts, _: &Texts| {
        let right = parameters["way"] == "right";
        Ok(Operation {
            run: Box::new(move || right.then_some(2)),
            witnesses: json!({}),
            artefact: None,
            accepts: Box::new(|_| false),
            read_back: Box::new(|_| json!({})),
        })
    };
    let probe = Probe { name: "test", runtime: "1", libraries: vec![], operations, prepare: run };
    let mut out = Vec::new();
    probe.serve(lines.join("\n").as_bytes(), &mut out).unwrap();
    out.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

const RIGHT: &str = r#"{"seq":1,"command":"prepare","operation":"sign","parameters":{"way":"right"}}"#;

#[test]
fn a_batch_is_counted_and_timed() {
    let replies = talk(&[
        RIGHT,
        r#"{"seq":2,"command":"measure","count":7,"settle":3}"#,
        r#"{"seq":3,"command":"measure","count":7,"each":true}"#,
    ]);
    assert_eq!(
        (&replies[1]["count"], &replies[1]["bytes"], &replies[1]["failures"]),
        (&json!(7), &json!(14), &json!(0))
    );
    assert!(replies[1]["cpu_ns"].is_u64());
    assert_eq!((replies[2]["elapsed_ns"].as_array().unwrap().len(), &replies[2]["cpu_ns"]), (7, &Value::Null));
}

#[test]
fn wrong_results_are_failures() {
    let wrong = RIGHT.replace("right", "wrong");
    assert_eq!(talk(&[&wrong, r#"{"seq":2,"command":"measure","count":5,"settle":2}"#])[1]["failures"], 5);
}

#[test]
fn what_cannot_be_met_is_refused_and_the_conversation_goes_on() {
    for line in [
        r#"{"seq":9,"command":"measure","count":1}"#,
        r#"{"seq":9,"command":"witness"}"#,
        r#"{"seq":9,"command":"hello","protocol":2}"#,
        r#"{"seq":9,"command":"dance"}"#,
        r#"{"seq":9,"command":"prepare","operation":"thrice"}"#,
        r#"{"seq":9,"command":"prepare","operation":"sign","parameters":{"size":"1"}}"#,
        r#"{"seq":"9","command":"hello"}"#,
        "[]",
        "{",
    ] {
        let replies = talk(&[line, r#"{"seq":10,"command":"hello","protocol":1}"#]);
        assert_eq!((&replies[0]["status"], &replies[1]["status"]), (&json!("failed"), &json!("ok")), "{line}");
    }
    for members in [r#""count":0"#, r#""count":1000001,"each":true"#, r#""count":1,"settle":-1"#, r#""count":1.5"#] {
        let line = format!(r#"{{"seq":2,"command":"measure",{members}}}"#);
        assert_eq!(talk(&[RIGHT, &line])[1]["status"], "failed", "{members}");
    }
}

#[test]
fn stop_ends_the_conversation() {
    assert_eq!(talk(&[r#"{"seq":1,"command":"stop"}"#, RIGHT]), [json!({"seq": 1, "status": "ok"})]);
}
