//! The compact form of a JWS (RFC 7515, section 7.1).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

pub fn encode(data: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(data)
}

/// Base64url in its one spelling: this decoder takes no spare bits and no foreign characters.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// The signing input of a token, and its signature.
pub fn split(token: &str) -> Option<(&str, Vec<u8>)> {
    let (input, signature) = token.rsplit_once('.')?;
    (input.matches('.').count() == 1).then_some((input, decode(signature)?))
}

/// The witness `alg`, read off the header.
pub fn read_back(token: &str) -> Value {
    let header = token.split('.').next().and_then(decode).unwrap_or_default();
    json!({"alg": serde_json::from_slice::<Value>(&header).map_or(Value::Null, |header| header["alg"].clone())})
}
