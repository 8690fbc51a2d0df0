//! How aws-lc-rs signs and verifies each algorithm, and what jsonwebtoken calls the same.
//! A new algorithm is a row here, and a scheme below if its kind is new.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::PublicEncryptingKey;
use aws_lc_rs::signature::{
    self, EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair, ParsedPublicKey, PqdsaKeyPair, PqdsaSigningAlgorithm,
    RsaEncoding, RsaKeyPair, VerificationAlgorithm,
};
use aws_lc_rs::{encoding::AsDer, hmac};
use jsonwebtoken::Algorithm as Library;

/// How a private key of a kind is read, and what it signs with.
#[derive(Clone, Copy)]
pub enum Signing {
    Hmac(hmac::Algorithm),
    Rsa(&'static dyn RsaEncoding),
    Ecdsa(&'static EcdsaSigningAlgorithm),
    Ed25519,
    MlDsa(&'static PqdsaSigningAlgorithm),
}

#[derive(Clone, Copy)]
pub struct Algorithm {
    pub name: &'static str,
    /// The curve, or the parameters of ML-DSA; empty where there is none.
    pub curve: &'static str,
    /// Of the key; 0 where that is read off each key.
    pub bits: usize,
    pub signing: Signing,
    /// None of those with a shared secret.
    pub verifying: Option<&'static dyn VerificationAlgorithm>,
    pub library: Option<Library>,
}

macro_rules! row {
    ($name:literal, $curve:literal, $bits:literal, $signing:expr, $verifying:expr, $library:expr) => {
        Algorithm {
            name: $name,
            curve: $curve,
            bits: $bits,
            signing: $signing,
            verifying: $verifying,
            library: $library,
        }
    };
}

pub static ALGORITHMS: [Algorithm; 17] = {
    use Signing::{Ecdsa, Ed25519, Hmac, MlDsa, Rsa};
    use signature::*;
    [
        row!("HS256", "", 0, Hmac(hmac::HMAC_SHA256), None, Some(Library::HS256)),
        row!("HS384", "", 0, Hmac(hmac::HMAC_SHA384), None, Some(Library::HS384)),
        row!("HS512", "", 0, Hmac(hmac::HMAC_SHA512), None, Some(Library::HS512)),
        row!("RS256", "", 0, Rsa(&RSA_PKCS1_SHA256), Some(&RSA_PKCS1_2048_8192_SHA256), Some(Library::RS256)),
        row!("RS384", "", 0, Rsa(&RSA_PKCS1_SHA384), Some(&RSA_PKCS1_2048_8192_SHA384), Some(Library::RS384)),
        row!("RS512", "", 0, Rsa(&RSA_PKCS1_SHA512), Some(&RSA_PKCS1_2048_8192_SHA512), Some(Library::RS512)),
        row!("PS256", "", 0, Rsa(&RSA_PSS_SHA256), Some(&RSA_PSS_2048_8192_SHA256), Some(Library::PS256)),
        row!("PS384", "", 0, Rsa(&RSA_PSS_SHA384), Some(&RSA_PSS_2048_8192_SHA384), Some(Library::PS384)),
        row!("PS512", "", 0, Rsa(&RSA_PSS_SHA512), Some(&RSA_PSS_2048_8192_SHA512), Some(Library::PS512)),
        row!(
            "ES256",
            "P-256",
            256,
            Ecdsa(&ECDSA_P256_SHA256_FIXED_SIGNING),
            Some(&ECDSA_P256_SHA256_FIXED),
            Some(Library::ES256)
        ),
        row!(
            "ES384",
            "P-384",
            384,
            Ecdsa(&ECDSA_P384_SHA384_FIXED_SIGNING),
            Some(&ECDSA_P384_SHA384_FIXED),
            Some(Library::ES384)
        ),
        row!("ES512", "P-521", 521, Ecdsa(&ECDSA_P521_SHA512_FIXED_SIGNING), Some(&ECDSA_P521_SHA512_FIXED), None),
        row!(
            "ES256K",
            "secp256k1",
            256,
            Ecdsa(&ECDSA_P256K1_SHA256_FIXED_SIGNING),
            Some(&ECDSA_P256K1_SHA256_FIXED),
            None
        ),
        row!("EdDSA", "Ed25519", 256, Ed25519, Some(&ED25519), Some(Library::EdDSA)),
        row!("ML-DSA-44", "ML-DSA-44", 10496, MlDsa(&ML_DSA_44_SIGNING), Some(&ML_DSA_44), None),
        row!("ML-DSA-65", "ML-DSA-65", 15616, MlDsa(&ML_DSA_65_SIGNING), Some(&ML_DSA_65), None),
        row!("ML-DSA-87", "ML-DSA-87", 20736, MlDsa(&ML_DSA_87_SIGNING), Some(&ML_DSA_87), None),
    ]
};

impl Algorithm {
    pub fn key_type(&self) -> &'static str {
        match self.signing {
            Signing::Hmac(_) => "oct",
            Signing::Rsa(_) => "RSA",
            Signing::Ecdsa(_) => "EC",
            Signing::Ed25519 => "OKP",
            Signing::MlDsa(_) => "AKP",
        }
    }

    /// Bits of a key that aws-lc-rs has read: it takes a key of no other curve or parameters for the algorithm.
    pub fn bits_of(&self, public: &ParsedPublicKey) -> Option<usize> {
        match self.signing {
            Signing::Rsa(_) => {
                let der = AsDer::<aws_lc_rs::encoding::PublicKeyX509Der>::as_der(public).ok()?;
                Some(PublicEncryptingKey::from_der(der.as_ref()).ok()?.key_size_bits())
            }
            _ => Some(self.bits),
        }
    }
}

/// A private key that was read, with what it signs.
pub enum PrivateKey {
    Rsa(RsaKeyPair, &'static dyn RsaEncoding),
    Ecdsa(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    MlDsa(PqdsaKeyPair),
}

impl PrivateKey {
    /// Out of the text of a PKCS#8 PEM.
    pub fn read(algorithm: &Algorithm, text: &str) -> Option<PrivateKey> {
        let pem = pem::parse(text).ok()?;
        let der = pem.contents();
        Some(match algorithm.signing {
            Signing::Hmac(_) => return None,
            Signing::Rsa(encoding) => PrivateKey::Rsa(RsaKeyPair::from_pkcs8(der).ok()?, encoding),
            Signing::Ecdsa(signing) => PrivateKey::Ecdsa(EcdsaKeyPair::from_pkcs8(signing, der).ok()?),
            Signing::Ed25519 => PrivateKey::Ed25519(Ed25519KeyPair::from_pkcs8(der).ok()?),
            Signing::MlDsa(signing) => PrivateKey::MlDsa(PqdsaKeyPair::from_pkcs8(signing, der).ok()?),
        })
    }

    /// A signature in the form of JOSE, in `out`, which is as long as any; how long it is.
    pub fn sign(&self, random: &SystemRandom, data: &[u8], out: &mut [u8]) -> Option<usize> {
        let copied = |out: &mut [u8], made: &[u8]| {
            out[..made.len()].copy_from_slice(made);
            Some(made.len())
        };
        match self {
            PrivateKey::Rsa(key, encoding) => {
                let size = key.public_modulus_len();
                key.sign(*encoding, random, data, &mut out[..size]).ok()?;
                Some(size)
            }
            PrivateKey::Ecdsa(key) => copied(out, key.sign(random, data).ok()?.as_ref()),
            PrivateKey::Ed25519(key) => copied(out, key.sign(data).as_ref()),
            PrivateKey::MlDsa(key) => key.sign(data, out).ok(),
        }
    }
}

/// Out of the text of a SubjectPublicKeyInfo PEM.
pub fn read_public(algorithm: &Algorithm, text: &str) -> Option<ParsedPublicKey> {
    let pem = pem::parse(text).ok()?;
    ParsedPublicKey::new(algorithm.verifying?, pem.contents()).ok()
}
