"""Quotes of Intel TDX, version 4, which carry their certificates.

Source: Intel, TDX DCAP Quoting Library API, appendix A. What Intel says of the platform's patches (TCB info) is not
asked: that needs its network service.
"""

from __future__ import annotations

import datetime
import hashlib
import hmac

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from sectax.experiments.confidential.attestation.chain import NotGenuine, read_certificates, vouched

_HEADER, _BODY = 48, 584
_SIGNED = _HEADER + _BODY
_ATTRIBUTES, _MEASUREMENT, _REPORT_DATA = _HEADER + 120, _HEADER + 136, _HEADER + 520
_DEBUG = 1
_VERSION, _ECDSA_P256, _TDX = 4, 2, 0x81
_QE_REPORT, _QE_REPORT_DATA = 384, 320
_OF_QE, _PCK_CHAIN = 6, 5


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at

    def take(self, size: int) -> bytes:
        part = self._data[self._at : self._at + size]
        if len(part) != size:
            raise NotGenuine("the quote is cut short")
        self._at += size
        return part

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")


def verify(quote: bytes, when: datetime.datetime) -> tuple[str, bytes, bytes]:
    """Check a quote against the certificates that it carries.

    Returns:
        the root that vouches for it; the nonce that it was asked for with, 64 bytes; the measurement of the guest.
    Raises:
        NotGenuine: as the message says.
    """
    reader = _Reader(quote, 0)
    version, key_type, technology = reader.number(2), reader.number(2), reader.number(4)
    if (version, key_type, technology) != (_VERSION, _ECDSA_P256, _TDX):
        raise NotGenuine("it is not a quote of TDX in version 4")
    reader = _Reader(quote, _SIGNED)
    reader.number(4)
    signature, raw_key = reader.take(64), reader.take(64)
    if reader.number(2) != _OF_QE:
        raise NotGenuine("its certification is of a kind that is not known here")
    reader.number(4)
    qe_report, qe_signature = reader.take(_QE_REPORT), reader.take(64)
    authentication = reader.take(reader.number(2))
    if reader.number(2) != _PCK_CHAIN:
        raise NotGenuine("it does not carry the certificates of its platform")
    chain = read_certificates(reader.take(reader.number(4)).rstrip(b"\0"))
    root = vouched(chain[0], chain[1:], when)
    platform = chain[0].public_key()
    if not isinstance(platform, ec.EllipticCurvePublicKey):
        raise NotGenuine("its platform's key is not one on an elliptic curve")
    _refuse_unsigned(platform, qe_signature, qe_report, "the quoting enclave was not vouched for by its platform")
    bound = hashlib.sha256(raw_key + authentication).digest() + bytes(32)
    if not hmac.compare_digest(qe_report[_QE_REPORT_DATA:], bound):
        raise NotGenuine("its key is not the one that the quoting enclave vouches for")
    try:
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b"\x04" + raw_key)
    except ValueError as error:
        raise NotGenuine("its key is not a point of its curve") from error
    _refuse_unsigned(key, signature, quote[:_SIGNED], "its signature is not that of its key: it was changed")
    if int.from_bytes(quote[_ATTRIBUTES : _ATTRIBUTES + 8], "little") & _DEBUG:
        raise NotGenuine("its attributes let the host debug the guest, and so read its memory")
    return root, quote[_REPORT_DATA : _REPORT_DATA + 64], quote[_MEASUREMENT : _MEASUREMENT + 48]


def _refuse_unsigned(key: ec.EllipticCurvePublicKey, signature: bytes, signed: bytes, why: str) -> None:
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    try:
        key.verify(encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature as error:
        raise NotGenuine(why) from error
