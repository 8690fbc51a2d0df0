//! What both ends of an arm agree on, as configurations of rustls.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_STANDARD};
use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::{
    ClientConfig, CommonState, HandshakeKind, ProtocolVersion, RootCertStore, ServerConfig, SupportedProtocolVersion,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fault::{Fault, other};

/// Each end is given its own certificate and key, and whom it trusts, as PEM.
#[derive(Deserialize, Default, Clone)]
#[serde(default)]
pub struct Settings {
    pub protocol: String,
    pub group: String,
    pub certificates: String,
    pub key: String,
    pub roots: String,
    pub name: String,
    pub resumption: bool,
    pub request_bytes: usize,
    pub answer_bytes: usize,
    pub timeout_ns: u64,
}

fn groups() -> [(&'static str, &'static dyn SupportedKxGroup); 4] {
    use aws_lc_rs::kx_group;
    [
        ("X25519", kx_group::X25519),
        ("P-256", kx_group::SECP256R1),
        ("X25519MLKEM768", kx_group::X25519MLKEM768),
        ("SecP256r1MLKEM768", kx_group::SECP256R1MLKEM768),
    ]
}

static TLS12: &[&SupportedProtocolVersion] = &[&rustls::version::TLS12];
static TLS13: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13];

impl Settings {
    pub fn is_tls(&self) -> bool {
        self.protocol != "none"
    }

    /// AES-128-GCM and one key exchange: nothing is left to be negotiated.
    fn provider(&self) -> Result<Arc<CryptoProvider>, Fault> {
        let group = groups().into_iter().find(|(name, _)| *name == self.group);
        let (_, group) = group.ok_or_else(|| self.unsupported())?;
        let mut made = aws_lc_rs::default_provider();
        made.kx_groups = vec![group];
        made.cipher_suites.retain(|suite| format!("{:?}", suite.suite()).contains("AES_128_GCM"));
        Ok(Arc::new(made))
    }

    fn version(&self) -> Result<&'static [&'static SupportedProtocolVersion], Fault> {
        match self.protocol.as_str() {
            "tls12" => Ok(TLS12),
            "tls13" => Ok(TLS13),
            _ => Err(self.unsupported()),
        }
    }

    fn unsupported(&self) -> Fault {
        Fault::new("unsupported", format!("{} with {} is not in this library", self.protocol, self.group))
    }

    fn shown(&self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), Fault> {
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(self.certificates.as_bytes()).collect();
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).map_err(|error| other(error.to_string()))?;
        Ok((chain.map_err(|error| other(error.to_string()))?, key))
    }

    fn trusted(&self) -> Result<RootCertStore, Fault> {
        let mut made = RootCertStore::empty();
        for root in CertificateDer::pem_slice_iter(self.roots.as_bytes()) {
            made.add(root.map_err(|error| other(error.to_string()))?)?;
        }
        Ok(made)
    }

    pub fn client(&self) -> Result<ClientConfig, Fault> {
        let builder = ClientConfig::builder_with_provider(self.provider()?)
            .with_protocol_versions(self.version()?)?
            .with_root_certificates(self.trusted()?);
        let mut made = if self.certificates.is_empty() {
            builder.with_no_client_auth()
        } else {
            let (chain, key) = self.shown()?;
            builder.with_client_auth_cert(chain, key)?
        };
        if !self.resumption {
            made.resumption = Resumption::disabled();
        }
        Ok(made)
    }

    pub fn server(&self) -> Result<ServerConfig, Fault> {
        let provider = self.provider()?;
        let builder = ServerConfig::builder_with_provider(provider.clone()).with_protocol_versions(self.version()?)?;
        let builder = if self.roots.is_empty() {
            builder.with_no_client_auth()
        } else {
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(self.trusted()?), provider).build();
            builder.with_client_cert_verifier(verifier.map_err(|error| other(error.to_string()))?)
        };
        let (chain, key) = self.shown()?;
        let mut made = builder.with_single_cert(chain, key)?;
        made.session_storage = Arc::new(NoServerSessionStorage {});
        made.send_tls13_tickets = usize::from(self.resumption);
        if self.resumption {
            made.ticketer = aws_lc_rs::Ticketer::new()?;
        }
        Ok(made)
    }
}

/// What one end saw of a connection, in words that both ends and all libraries share.
pub fn seen(state: &CommonState) -> Value {
    let protocol = match state.protocol_version() {
        Some(ProtocolVersion::TLSv1_2) => "tls12",
        Some(ProtocolVersion::TLSv1_3) => "tls13",
        _ => "another",
    };
    let used = state.negotiated_key_exchange_group().map(|group| group.name());
    let group = groups().into_iter().find(|(_, known)| Some(known.name()) == used).map_or("", |(name, _)| name);
    let cipher = state.negotiated_cipher_suite().map(|suite| format!("{:?}", suite.suite())).unwrap_or_default();
    let certificate = state.peer_certificates().and_then(|chain| chain.first());
    json!({
        "protocol": protocol, "group": group, "cipher": cipher,
        "resumed": state.handshake_kind() == Some(HandshakeKind::Resumed),
        "chain": state.peer_certificates().map_or(0, |chain| chain.len()),
        "certificate": certificate.map(|der| BASE64_STANDARD.encode(der)).unwrap_or_default(),
    })
}
