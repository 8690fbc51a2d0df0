"""Certificates of one run: a root, a server's and a client's of each kind. Their keys are in no record."""

from __future__ import annotations

import datetime
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificateIssuerPrivateKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID

from sectax.experiments.tls.levels import DIRECT, INTERMEDIATE, ML_DSA

NAME = "server.test"
_VALID = datetime.timedelta(days=30)
# A clock may be a little behind.
_BEFORE = datetime.timedelta(hours=1)


class Pair(NamedTuple):
    """A certificate, and one that signed it where the root did not, and a private key, as PEM."""

    certificates: str
    key: str


class Authority(NamedTuple):
    """What a run has of one kind: the root's certificate, and what it signed for both ends."""

    root: str
    server: Pair
    client: Pair


def authority(kind: str, chain: str = DIRECT, name: str = NAME, ended: bool = False) -> Authority:
    """New certificates of a kind (a level of the factor `certificate`), all signed with a root of the same kind.

    Args:
        chain: a level of that factor: whether the root signed them itself.
        name: of the server. ended: the server's was valid until a minute ago.
    """
    root_key, root_name = _private_key(kind), _name("sectax root")
    root = _signed(root_name, root_key, root_name, root_key, None)
    by_key, by_name, intermediate = root_key, root_name, ""
    if chain == INTERMEDIATE:
        by_key, by_name = _private_key(kind), _name("sectax intermediate")
        intermediate = _pem(_signed(by_name, by_key, root_name, root_key, None))
    pairs = []
    for subject, is_ended in ((name, ended), ("client.test", False)):
        key = _private_key(kind)
        certificate = _signed(_name(subject), key, by_name, by_key, subject, is_ended)
        pairs.append(Pair(_pem(certificate) + intermediate, _key_pem(key)))
    return Authority(_pem(root), *pairs)


def kind_of(der: bytes) -> str:
    """The level of the factor `certificate` that a certificate is of, as read from its public key."""
    key = x509.load_der_x509_certificate(der).public_key()
    match key:
        case rsa.RSAPublicKey():
            return f"RSA-{key.key_size}"
        case ec.EllipticCurvePublicKey():
            return {"secp256r1": "P-256"}.get(key.curve.name, key.curve.name)
        case ed25519.Ed25519PublicKey():
            return "Ed25519"
    return {"MLDSA44PublicKey": ML_DSA}.get(type(key).__name__, type(key).__name__)


def _private_key(kind: str) -> CertificateIssuerPrivateKeyTypes:
    match kind:
        case "RSA-2048":
            return rsa.generate_private_key(public_exponent=65537, key_size=2048)
        case "P-256":
            return ec.generate_private_key(ec.SECP256R1())
        case "Ed25519":
            return ed25519.Ed25519PrivateKey.generate()
    from cryptography.hazmat.primitives.asymmetric import mldsa

    key: CertificateIssuerPrivateKeyTypes = mldsa.MLDSA44PrivateKey.generate()
    return key


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def _signed(
    subject: x509.Name,
    key: CertificateIssuerPrivateKeyTypes,
    issuer: x509.Name,
    by: CertificateIssuerPrivateKeyTypes,
    leaf: str | None,
    is_ended: bool = False,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _BEFORE)
        .not_valid_after(now - datetime.timedelta(minutes=1) if is_ended else now + _VALID)
        .add_extension(x509.BasicConstraints(ca=leaf is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(by.public_key()), critical=False)
    )
    if leaf is not None:
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(leaf)]), critical=False)
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
    digest = hashes.SHA256() if isinstance(by, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) else None
    return builder.sign(by, digest)


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def _key_pem(key: CertificateIssuerPrivateKeyTypes) -> str:
    unencrypted = serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, unencrypted).decode()
