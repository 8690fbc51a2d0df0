"""What S3 services have in common: where one is and the credentials for it, how it fails, a certificate on loopback."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass, field

from sectax.model.errors import ExitStatus, SessionOver


class ServerFailed(SessionOver):
    """The server did not start, or ended while it was needed."""

    exit_status = ExitStatus.NOTHING_MEASURED


@dataclass(frozen=True)
class Access:
    """Where an S3 service is, and the credentials for it.

    Attributes:
        endpoint: its address; empty for AWS's own.
        access_key, secret_key: empty where the environment or AWS's files have them.
        ca_pem: the certificate to trust besides the system's; empty for none.
    """

    endpoint: str
    region: str = "us-east-1"
    access_key: str = ""
    secret_key: str = field(default="", repr=False)
    session_token: str = field(default="", repr=False)
    ca_pem: str = field(default="", repr=False)

    def secrets(self) -> tuple[str, ...]:
        """What may stand in no record, log or message."""
        return tuple(filter(None, (self.access_key, self.secret_key, self.session_token)))


# TLS clients refuse what is valid for longer than some years, and a clock may be a little behind.
_VALID = datetime.timedelta(days=30)
_BEFORE = datetime.timedelta(hours=1)


def loopback_certificate() -> tuple[str, str]:
    """A self-signed certificate for 127.0.0.1 and localhost, and its private key, both as PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "sectax local S3 server")])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _BEFORE)
        .not_valid_after(now + _VALID)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode(), private.decode()
