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

fn primitive(operation: &str, algorithm: &str, inputs: &[(&str, &str)]) -> Result<Operation, Refusal> {
    prepare(operation, &texts(&[("algorithm", algorithm)]), &texts(inputs))
}

/// FIPS 180-4 and 202, RFC 7693, BLAKE3's own, RFC 4231 (test case 1) and 8439 (2.5.2).
#[test]
fn hashes_and_macs_are_those_of_the_standards() {
    let key = encode(&[11; 20]);
    let one_time = "hda-eFdVbTN_RFL-QtUGqAEDgIr7DbL9Sr_2r0FJ9Rs";
    for (operation, algorithm, key, data, start) in [
        ("hash", "sha-256", "", "abc", [0xba, 0x78]),
        ("hash", "sha-512", "", "abc", [0xdd, 0xaf]),
        ("hash", "sha3-256", "", "abc", [0x3a, 0x98]),
        ("hash", "blake2b", "", "abc", [0xba, 0x80]),
        ("hash", "blake3", "", "abc", [0x64, 0x37]),
        ("mac", "hmac-sha-256", &key, "Hi There", [0xb0, 0x34]),
        ("mac", "hmac-sha-512", &key, "Hi There", [0x87, 0xaa]),
        ("mac", "poly1305", one_time, "Cryptographic Forum Research Group", [0xa8, 0x06]),
    ] {
        let mut of = primitive(operation, algorithm, &[("key", key), ("data", &encode(data.as_bytes()))]).unwrap();
        let made = decode(&of.artefact.as_mut().unwrap()().unwrap()).unwrap();
        assert_eq!((&made[..2], (of.run)()), (&start[..], Some(made.len())), "{algorithm}");
        assert!((of.accepts)(&encode(&made)) && !(of.accepts)(&encode(&made[1..])));
    }
}

#[test]
fn what_is_sealed_is_opened_and_not_with_a_bit_turned() {
    for algorithm in ["aes-256-gcm", "aes-128-gcm", "chacha20-poly1305", "aes-256-gcm-siv"] {
        let key = encode(&[7; 32][if algorithm == "aes-128-gcm" { 16 } else { 0 }..]);
        let data = encode(&[9; 100]);
        let mut seal = primitive("aead-seal", algorithm, &[("key", &key), ("data", &data)]).unwrap();
        let mut next = || seal.artefact.as_mut().unwrap()().unwrap();
        let (first, second) = (next(), next());
        assert_ne!(first[..16], second[..16]);
        let mut open = primitive("aead-open", algorithm, &[("key", &key), ("sealed", &first)]).unwrap();
        assert_eq!((open.run)(), Some(100));
        assert_eq!(open.artefact.as_mut().unwrap()().unwrap(), data);
        assert!((seal.accepts)(&second) && (seal.run)() == Some(116));
        let sealed = decode(&first).unwrap();
        for index in 0..sealed.len() {
            let mut wrong = sealed.clone();
            wrong[index] ^= 1;
            assert!(!(open.accepts)(&encode(&wrong)), "{algorithm}, byte {index}");
        }
        assert!(!(open.accepts)(&encode(&sealed[..27])));
    }
}

#[test]
fn both_sides_agree() {
    for algorithm in ["x25519", "p-256"] {
        let mut of =
            primitive("agree", algorithm, &[("private_key", &encode(&[1; 32])), ("public_key", "AAAA")]).unwrap();
        assert_eq!((of.run)(), Some(32));
        assert!(["", ".", "AA.AA", "a"].iter().all(|wrong| !(of.accepts)(wrong)));
    }
    assert!(primitive("agree", "ml-kem-768", &[("private_key", "AAAA"), ("public_key", "AAAA")]).is_err());
}

#[test]
fn a_stored_password_is_accepted_and_another_is_not() {
    let nothing = format!("{}${}", "A".repeat(22), "A".repeat(43));
    for (algorithm, head) in [
        ("argon2id", "$argon2id$v=19$m=64,t=1,p=1$"),
        ("scrypt", "$scrypt$ln=4,r=8,p=1$"),
        ("pbkdf2-sha256", "$pbkdf2-sha256$i=2$"),
        ("pbkdf2-sha512", "$pbkdf2-sha512$i=2$"),
        ("bcrypt", "$2b$04$"),
    ] {
        let like = format!("{head}{}", if algorithm == "bcrypt" { "A".repeat(53) } else { nothing.clone() });
        let mut of = primitive("password", algorithm, &[("password", "correct"), ("stored", &like)]).unwrap();
        let stored = of.artefact.as_mut().unwrap()().unwrap();
        assert_ne!(stored, like);
        for (password, right) in [("correct", Some(0)), ("horse", None)] {
            let inputs = [("password", password), ("stored", stored.as_str())];
            assert_eq!((primitive("password", algorithm, &inputs).unwrap().run)(), right, "{algorithm}");
        }
    }
}

#[test]
fn inputs_that_do_not_fit_are_refused() {
    for (operation, algorithm, inputs) in [
        ("hash", "sha-1", [("data", "AAAA"), ("key", "AAAA")]),
        ("hash", "sha-256", [("data", "A A"), ("key", "AAAA")]),
        ("mac", "poly1305", [("data", "AAAA"), ("key", "AAAA")]),
        ("aead-seal", "aes-256-gcm", [("data", "AAAA"), ("key", "AAAA")]),
        ("agree", "x25519", [("private_key", "AAAA"), ("public_key", "AAAA")]),
        ("password", "scrypt", [("password", "p"), ("stored", "$")]),
    ] {
        assert!(primitive(operation, algorithm, &inputs).is_err(), "{operation} {algorithm}");
    }
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
