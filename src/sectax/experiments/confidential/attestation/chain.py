"""Certificates from a vendor's root down to the key that signed a report."""

from __future__ import annotations

import datetime
import hashlib
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, rsa
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

_PEM_LIST = re.compile(rb"-----BEGIN X509 CRL-----.*?-----END X509 CRL-----", re.DOTALL)


@dataclass(frozen=True)
class Vouched:
    """Who vouches for a certificate.

    Attributes:
        root: as in `ROOTS`.
        lists_of: whose revocation lists were asked on the way to it, by their names.
    """

    root: str
    lists_of: tuple[str, ...] = ()


class NotGenuine(Exception):
    """A report that no vendor vouches for, or that does not say what it should; the message says why."""


def vouched(
    leaf: x509.Certificate,
    others: Sequence[x509.Certificate],
    when: datetime.datetime,
    lists: Sequence[x509.CertificateRevocationList] = (),
) -> Vouched:
    """Which vendor's root vouches for a certificate.

    Args:
        others: the certificates between it and the root, and the root itself, in any order.
        when: all of them must be valid then.
        lists: revocation lists that a person has fetched. Those of others than this chain's issuers are passed over;
            where some are given, one of them must be of this chain.
    Raises:
        NotGenuine: a certificate is missing, expired, revoked or not signed by the next, the root is none that is
            known, or a list is out of date, not signed by its issuer, or none of this chain.
    """
    at = leaf
    asked: list[str] = []
    for _ in range(len(others) + 1):
        if not at.not_valid_before_utc <= when <= at.not_valid_after_utc:
            raise NotGenuine(f"the certificate of {_name(at)} is not valid on {when:%Y-%m-%d}")
        if at.issuer == at.subject:
            root = _known(at)
            if lists and not asked:
                raise NotGenuine("none of the revocation lists is of an issuer of its certificates")
            return Vouched(root, tuple(reversed(asked)))
        issuer = next((other for other in others if other.subject == at.issuer), None)
        if issuer is None:
            raise NotGenuine(f"the certificate that signed that of {_name(at)} is not there")
        _refuse_unsigned(at, issuer)
        for revocations in lists:
            if revocations.issuer == issuer.subject:
                _refuse_revoked(at, issuer, revocations, when)
                asked.append(_name(issuer))
        at = issuer
    raise NotGenuine("its certificates sign each other in a circle")


def _known(root: x509.Certificate) -> str:
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


def _refuse_revoked(
    certificate: x509.Certificate,
    issuer: x509.Certificate,
    revoked: x509.CertificateRevocationList,
    when: datetime.datetime,
) -> None:
    name, key = _name(issuer), issuer.public_key()
    if not isinstance(key, (ec.EllipticCurvePublicKey, rsa.RSAPublicKey)) or not revoked.is_signature_valid(key):
        raise NotGenuine(f"the revocation list of {name} was not signed by {name}")
    until = revoked.next_update_utc
    if not revoked.last_update_utc <= when or (until is not None and when > until):
        raise NotGenuine(f"the revocation list of {name} is not valid on {when:%Y-%m-%d}: fetch the present one")
    entry = revoked.get_revoked_certificate_by_serial_number(certificate.serial_number)
    if entry is not None:
        raise NotGenuine(
            f"{name} revoked the certificate of {_name(certificate)} on {entry.revocation_date_utc:%Y-%m-%d}"
        )


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


def read_lists(data: bytes) -> list[x509.CertificateRevocationList]:
    """Revocation lists of a PEM file, or a single one in DER. Raises `NotGenuine` where there is none."""
    blocks = _PEM_LIST.findall(data)
    try:
        if b"-----BEGIN" in data:
            if not blocks:
                raise ValueError
            return [x509.load_pem_x509_crl(block) for block in blocks]
        return [x509.load_der_x509_crl(data)]
    except ValueError as error:
        raise NotGenuine("it holds no certificate revocation list") from error
