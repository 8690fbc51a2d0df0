//! The work that rivals and sectax are given in Rust.

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// So many HMAC-SHA-256 of 1 KiB, each over a message that begins with the tag before it.
pub fn links(count: u32) -> [u8; 32] {
    let mut tag = [0u8; 32];
    let mut message = [0u8; 1024];
    let mut mac = Hmac::<Sha256>::new_from_slice(&tag).expect("a key may have any length");
    for _ in 0..count {
        mac.update(&message);
        tag = mac.finalize_reset().into_bytes().into();
        message[..32].copy_from_slice(&tag);
    }
    tag
}

#[cfg(test)]
mod tests {
    /// The first tag as Python's hmac has it: hmac.digest(bytes(32), bytes(1024), "sha256").
    #[test]
    fn one_link() {
        let tag: String = super::links(1)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();

        assert_eq!(
            tag,
            "0b29a86642575ca4917afd4ec625137f4d0edf38c563fea14cb9ed3c6f578b8f"
        );
    }
}
