"""Attestation reports of AMD SEV-SNP.

Source: AMD, SEV Secure Nested Paging Firmware ABI Specification (56860), table 23, and the GHCB specification (56421),
section 4.1.8.1, for the table of certificates.
"""

from __future__ import annotations

import datetime
import hmac
import uuid
from collections.abc import Sequence

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from sectax.experiments.confidential.attestation.chain import NotGenuine, read_certificates, vouched

SIZE = 0x4A0
_SIGNED = 0x2A0
_POLICY, _ALGORITHM, _REPORT_DATA, _MEASUREMENT, _CHIP = 0x08, 0x34, 0x50, 0x90, 0x1A0
_ECDSA_P384_SHA384 = 1
_DEBUG = 1 << 19
_COMPONENT = 72  # bytes of each of the two numbers of a signature, the lowest first
_VCEK, _VLEK = "63da758d-e664-4564-adc5-f4b93be8accd", "a8074bc2-a25a-483e-aae6-39c045a0b8a1"
_ENTRY = 24
_MOST_ENTRIES = 16
_CHIP_ID = x509.ObjectIdentifier("1.3.6.1.4.1.3704.1.4")


def certificates(table: bytes) -> list[x509.Certificate]:
    """The certificates that a host hands out with a report, that of the signing key first.

    Raises:
        NotGenuine: it is not such a table.
    """
    entries: dict[str, bytes] = {}
    for place in range(0, _MOST_ENTRIES * _ENTRY, _ENTRY):
        entry = table[place : place + _ENTRY]
        if len(entry) < _ENTRY or entry == bytes(_ENTRY):
            break
        offset, length = (int.from_bytes(entry[at : at + 4], "little") for at in (16, 20))
        if offset + length > len(table):
            raise NotGenuine("its table of certificates is cut short")
        entries[str(uuid.UUID(bytes_le=entry[:16]))] = table[offset : offset + length]
    ordered = sorted(entries, key=lambda name: name not in (_VCEK, _VLEK))
    return [read_certificate for name in ordered for read_certificate in read_certificates(entries[name])]


def verify(report: bytes, chain: Sequence[x509.Certificate], when: datetime.datetime) -> tuple[str, bytes, bytes]:
    """Check a report against its certificates, that of the signing key first.

    Returns:
        the root that vouches for it; the nonce that it was asked for with, 64 bytes; the measurement of the guest.
    Raises:
        NotGenuine: as the message says.
    """
    if len(report) != SIZE:
        raise NotGenuine(f"a report of SEV-SNP has {SIZE} bytes, and this one {len(report)}")
    if not chain:
        raise NotGenuine("its certificates are not there")
    leaf, *authorities = chain
    root = vouched(leaf, authorities, when)
    if int.from_bytes(report[_ALGORITHM : _ALGORITHM + 4], "little") != _ECDSA_P384_SHA384:
        raise NotGenuine("it is signed by an algorithm that is not known here")
    key = leaf.public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey):
        raise NotGenuine("its signing key is not one on an elliptic curve")
    r, s = (int.from_bytes(report[start : start + _COMPONENT], "little") for start in (_SIGNED, _SIGNED + _COMPONENT))
    try:
        key.verify(encode_dss_signature(r, s), report[:_SIGNED], ec.ECDSA(hashes.SHA384()))
    except InvalidSignature as error:
        raise NotGenuine("its signature is not that of its certificate: it was changed, or is another's") from error
    _refuse_another_chip(report, leaf)
    if int.from_bytes(report[_POLICY : _POLICY + 8], "little") & _DEBUG:
        raise NotGenuine("its policy lets the host debug the guest, and so read its memory")
    return root, report[_REPORT_DATA : _REPORT_DATA + 64], report[_MEASUREMENT : _MEASUREMENT + 48]


def _refuse_another_chip(report: bytes, leaf: x509.Certificate) -> None:
    """A key of one chip (VCEK) names it; the key of a provider (VLEK) does not."""
    try:
        extension = leaf.extensions.get_extension_for_oid(_CHIP_ID).value
    except x509.ExtensionNotFound:
        return
    assert isinstance(extension, x509.UnrecognizedExtension)
    # Some of AMD's certificates hold the bare bytes, others a DER octet string of them.
    if not hmac.compare_digest(extension.value[-64:], report[_CHIP : _CHIP + 64]):
        raise NotGenuine("its certificate is that of another chip")
