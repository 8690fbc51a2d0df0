"""Certificates of the members of a cluster, and of their authority."""

from __future__ import annotations

import datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def certificate(folder: Path, name: str, signer: tuple[x509.Name, ec.EllipticCurvePrivateKey] | None = None) -> Path:
    """A certificate and its key in one file, in a folder that is made; the first call makes its authority too."""
    folder.mkdir(exist_ok=True)
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issuer, signing = signer or (subject, key)
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=signer is None, path_length=None), critical=True)
        .sign(signing, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    if signer is None:
        (folder / f"{name}.pem").write_bytes(pem)
        return certificate(folder, f"{name}-member", (subject, key))
    pkcs8 = serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(serialization.Encoding.PEM, pkcs8, serialization.NoEncryption())
    (folder / f"{name}.pem").write_bytes(pem + secret)
    return folder / f"{name}.pem"
