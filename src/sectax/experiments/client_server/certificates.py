"""Certificates that a run makes for its own servers and clients. Their keys are in no record."""

from __future__ import annotations

import datetime
import ipaddress
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificateIssuerPrivateKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID

LOOPBACK = ("localhost", "127.0.0.1")
# TLS clients refuse what is valid for longer than some years, and a clock may be a little behind.
_VALID = datetime.timedelta(days=30)
_BEFORE = datetime.timedelta(hours=1)


class Owner(NamedTuple):
    """Who a certificate is of: the name in it, and the key."""

    name: str
    key: CertificateIssuerPrivateKeyTypes


class Pair(NamedTuple):
    """A certificate, and one that signed it where the root did not, and a private key, as PEM."""

    certificates: str
    key: str


def certificate(
    of: Owner,
    by: Owner,
    hosts: tuple[str, ...] = (),
    *,
    signs: bool = False,
    below: int | None = 0,
    for_clients: bool = False,
    ended: bool = False,
) -> str:
    """A certificate as PEM.

    Args:
        by: who signs it. hosts: names and addresses that it is for.
        signs: whether it may sign others, with so many authorities *below* it; None for any number.
        for_clients: one that does not sign is for a server; whether it is for a client too.
        ended: it was valid until a minute ago.
    """
    now, key = datetime.datetime.now(datetime.UTC), of.key.public_key()
    made = (
        x509.CertificateBuilder()
        .subject_name(_name(of))
        .issuer_name(_name(by))
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _BEFORE)
        .not_valid_after(now - datetime.timedelta(minutes=1) if ended else now + _VALID)
        .add_extension(x509.BasicConstraints(ca=signs, path_length=below if signs else None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(by.key.public_key()), critical=False)
    )
    if hosts:
        made = made.add_extension(x509.SubjectAlternativeName(list(map(_host, hosts))), critical=False)
    if not signs:
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, *[ExtendedKeyUsageOID.CLIENT_AUTH] * for_clients]
        made = made.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
    digest = hashes.SHA256() if isinstance(by.key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) else None
    return made.sign(by.key, digest).public_bytes(serialization.Encoding.PEM).decode()


def pem(key: CertificateIssuerPrivateKeyTypes) -> str:
    unencrypted = serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, unencrypted).decode()


def for_loopback() -> Pair:
    """A self-signed certificate for this machine's loopback, and its private key."""
    server = Owner("sectax local server", ec.generate_private_key(ec.SECP256R1()))
    return Pair(certificate(server, server, LOOPBACK, signs=True), pem(server.key))


def signed_for_loopback(name: str) -> tuple[str, Pair]:
    """The certificate of an authority, and one for this machine's loopback that it signed.

    Two certificates, since rustls takes none that signs others for a server's own.
    """
    authority, server = (
        Owner(whose, ec.generate_private_key(ec.SECP256R1())) for whose in (f"authority of {name}", name)
    )
    own = Pair(certificate(server, authority, LOOPBACK), pem(server.key))
    return certificate(authority, authority, signs=True), own


def _name(of: Owner) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, of.name)])


def _host(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
