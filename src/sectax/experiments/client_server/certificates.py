"""Certificates for a run's own servers and clients; keys are never recorded."""

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
# TLS clients reject a validity of many years, and a clock may be slightly behind.
_VALID = datetime.timedelta(days=30)
_BEFORE = datetime.timedelta(hours=1)


class Owner(NamedTuple):
    """A certificate's subject: its common name and key."""

    name: str
    key: CertificateIssuerPrivateKeyTypes


class Pair(NamedTuple):
    """A certificate with its intermediate, if any, and its private key, as PEM."""

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
    """Create a certificate as PEM.

    Args:
        of, by: subject and issuer.
        hosts: names and addresses that it is valid for.
        signs: whether it is a CA; *below* is its path length, None for any.
        for_clients: whether a leaf is valid for clients too.
        ended: whether it expired a minute ago.
    """
    now, key = datetime.datetime.now(datetime.UTC), of.key.public_key()
    builder = (
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
        builder = builder.add_extension(x509.SubjectAlternativeName(list(map(_host, hosts))), critical=False)
    if not signs:
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, *[ExtendedKeyUsageOID.CLIENT_AUTH] * for_clients]
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
    digest = hashes.SHA256() if isinstance(by.key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) else None
    return builder.sign(by.key, digest).public_bytes(serialization.Encoding.PEM).decode()


def pem(key: CertificateIssuerPrivateKeyTypes) -> str:
    unencrypted = serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, unencrypted).decode()


def self_signed_loopback() -> Pair:
    """Create a self-signed certificate for loopback."""
    server = Owner("sectax local server", ec.generate_private_key(ec.SECP256R1()))
    return Pair(certificate(server, server, LOOPBACK, signs=True), pem(server.key))


def ca_signed_loopback(name: str) -> tuple[str, Pair]:
    """Create a CA certificate, and one for loopback that it signed.

    rustls rejects a CA certificate as a server's own.
    """
    authority, server = (
        Owner(common_name, ec.generate_private_key(ec.SECP256R1())) for common_name in (f"authority of {name}", name)
    )
    pair = Pair(certificate(server, authority, LOOPBACK), pem(server.key))
    return certificate(authority, authority, signs=True), pair


def _name(of: Owner) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, of.name)])


def _host(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
