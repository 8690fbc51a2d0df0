//! What is not as it should be, as a kind and a text.

use std::io;

use rustls::{AlertDescription, CertificateError, Error, InvalidMessage};
use serde_json::{Value, json};

const LONGEST: usize = 300;

#[derive(Debug)]
pub struct Fault {
    kind: &'static str,
    reason: String,
}

impl Fault {
    pub fn new(kind: &'static str, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into() }
    }

    pub fn into_reply(self) -> Value {
        json!({"ok": false, "kind": self.kind, "reason": self.reason.chars().take(LONGEST).collect::<String>()})
    }
}

pub fn other(reason: impl Into<String>) -> Fault {
    Fault::new("other", reason)
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
                "certificate-expired"
            }
            Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            ) => "certificate-name",
            Error::InvalidCertificate(CertificateError::UnknownIssuer) => "certificate-untrusted",
            Error::InvalidCertificate(_) | Error::NoCertificatesPresented => "certificate",
            Error::AlertReceived(
                AlertDescription::CertificateRequired
                | AlertDescription::BadCertificate
                | AlertDescription::CertificateUnknown,
            ) => "client-certificate",
            Error::InvalidMessage(InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion) => {
                "not-tls"
            }
            _ => "tls",
        };
        Self::new(kind, error.to_string())
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
            return inner.clone().into();
        }
        let kind = match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "timeout",
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => "closed",
            io::ErrorKind::ConnectionRefused => "refused",
            io::ErrorKind::AddrNotAvailable => "exhausted",
            _ => "other",
        };
        Self::new(kind, error.to_string())
    }
}
