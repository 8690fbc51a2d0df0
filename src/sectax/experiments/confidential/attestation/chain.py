"""Certificates from a vendor's root down to the key that signed a report."""

from __future__ import annotations

import datetime
import hashlib
import warnings
from collections.abc import Sequence

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.utils import CryptographyDeprecationWarning

# SHA-256 of the public keys (as SubjectPublicKeyInfo) of the roots that vendors publish.
# AMD: https://kdsintf.amd.com/vcek/v1/{Milan,Genoa,Turin}/cert_chain; Intel: the SGX Root CA, which is TDX's too.
ROOTS = {
    "9f056bee44377e29308cb5ffa895bdfb62d18881fa6bed8d6f075b0204089cb9": "AMD's root for Milan",
    "429a69c9422aa258ee4d8db5fcda9c6470ef15f8cd5a9cebd6cbc7d90b863831": "AMD's root for Genoa",
    "4f125410563a2ab9a50356f9243f6fe0b6f73de98603f53f90339c70e9d7ad08": "AMD's root for Turin",
    "a0af031289f5d5d4132f9186068a7fc13628633ba235777472e29b6b6c67a49e": "Intel's SGX Root CA",
}


class NotGenuine(Exception):
    """A report that no vendor vouches for, or that does not say what it should; the message says why."""


def vouched(leaf: x509.Certificate, authorities: Sequence[x509.Certificate], when: datetime.datetime) -> str:
    """Which vendor's root vouches for a certificate, as in `ROOTS`.

    Args:
        authorities: the certificates between it and the root, and the root itself, in any order.
        when: all of them must be valid then.
    Raises:
        NotGenuine: a certificate is missing, expired or not signed by the next, or the root is not a known one.
    """
    at = leaf
    for _ in range(len(authorities) + 1):
        if not at.not_valid_before_utc <= when <= at.not_valid_after_utc:
            raise NotGenuine(f"the certificate of {_name(at)} is not valid on {when:%Y-%m-%d}")
        if at.issuer == at.subject:
            return _name_of_root(at)
        issuer = next((authority for authority in authorities if authority.subject == at.issuer), None)
        if issuer is None:
            raise NotGenuine(f"the certificate that signed that of {_name(at)} is not there")
        _refuse_unsigned(at, issuer)
        at = issuer
    raise NotGenuine("its certificates sign each other in a circle")


def _name_of_root(root: x509.Certificate) -> str:
    _refuse_unsigned(root, root)
    key = root.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    name = ROOTS.get(hashlib.sha256(key).hexdigest())
    if name is None:
        raise NotGenuine(f"{_name(root)} is not the root of a vendor that is known here")
    return name


def _refuse_unsigned(certificate: x509.Certificate, issuer: x509.Certificate) -> None:
    try:
        certificate.verify_directly_issued_by(issuer)
    except (InvalidSignature, ValueError, TypeError) as error:
        raise NotGenuine(f"the certificate of {_name(certificate)} was not signed by {_name(issuer)}") from error


def _name(certificate: x509.Certificate) -> str:
    common = certificate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
    return str(common[0].value) if common else "somebody"


def read_certificates(data: bytes) -> list[x509.Certificate]:
    """Certificates of a PEM file, or a single one in DER. Raises `NotGenuine` where there is none."""
    with warnings.catch_warnings():
        # AMD numbers the certificates of its chips 0, which the standard does not allow.
        warnings.simplefilter("ignore", CryptographyDeprecationWarning)
        try:
            if b"-----BEGIN" in data:
                return x509.load_pem_x509_certificates(data)
            return [x509.load_der_x509_certificate(data)]
        except ValueError as error:
            raise NotGenuine("its certificates cannot be read") from error
