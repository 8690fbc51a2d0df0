"""Certificates of a run: root, server and client of each kind."""

from __future__ import annotations

from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificateIssuerPrivateKeyTypes

from sectax.experiments.client_server.certificates import Owner, Pair, certificate, pem
from sectax.experiments.tls.levels import DIRECT, INTERMEDIATE, ML_DSA

NAME = "server.test"


class Authority(NamedTuple):
    """A root certificate, and the server's and client's certificates below it."""

    root: str
    server: Pair
    client: Pair


def authority(kind: str, chain: str = DIRECT, name: str = NAME, ended: bool = False) -> Authority:
    """Create certificates of one kind.

    Args:
        kind, chain: levels of the factors `certificate` and `chain`.
        name: the server's host name.
        ended: whether the server's certificate expired a minute ago.
    """
    root = by = Owner("sectax root", _private_key(kind))
    intermediate = ""
    if chain == INTERMEDIATE:
        by = Owner("sectax intermediate", _private_key(kind))
        intermediate = certificate(by, root, signs=True, below=None)
    pairs = []
    for subject, is_ended in ((name, ended), ("client.test", False)):
        owner = Owner(subject, _private_key(kind))
        pairs.append(
            Pair(certificate(owner, by, (subject,), for_clients=True, ended=is_ended) + intermediate, pem(owner.key))
        )
    return Authority(certificate(root, root, signs=True, below=None), *pairs)


def certificate_level(der: bytes) -> str:
    """Level of the factor `certificate`, read from the public key."""
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
