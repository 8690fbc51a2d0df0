"""ECDSA (RFC 7518, section 3.4): DER in cryptography, r‖s in JOSE."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
)
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from sectax_probe.jose import Malformed
from sectax_probe.operation import Call

_load_private = cast("Callable[[bytes, None], EllipticCurvePrivateKey]", load_pem_private_key)
_load_public = cast("Callable[[bytes], EllipticCurvePublicKey]", load_pem_public_key)


# Bytes of r and of s (RFC 7518, section 3.4).
_SIZES = {"P-256": 32, "P-384": 48, "P-521": 66, "secp256k1": 32}


class Ecdsa:
    constant_size = False  # the length of DER varies with r and s

    def __init__(self, hash_name: str, curve: str) -> None:
        self._ecdsa = ECDSA(getattr(hashes, hash_name)())
        self._size = _SIZES[curve]

    def signer(self, key: EllipticCurvePrivateKey, data: bytes) -> Call:
        ecdsa = self._ecdsa

        def sign() -> bytes:
            return key.sign(data, ecdsa)

        return sign

    def parsing_signer(self, pem: bytes, data: bytes) -> Call:
        load, ecdsa = _load_private, self._ecdsa

        def sign() -> bytes:
            return load(pem, None).sign(data, ecdsa)

        return sign

    def verifier(self, key: EllipticCurvePublicKey, signature: bytes, data: bytes) -> Call:
        ecdsa = self._ecdsa

        def verify() -> None:
            return key.verify(signature, data, ecdsa)

        return verify

    def parsing_verifier(self, pem: bytes, signature: bytes, data: bytes) -> Call:
        load, ecdsa = _load_public, self._ecdsa

        def verify() -> None:
            return load(pem).verify(signature, data, ecdsa)

        return verify

    def to_jose(self, signature: bytes) -> bytes:
        r, s = decode_dss_signature(signature)
        return r.to_bytes(self._size) + s.to_bytes(self._size)

    def from_jose(self, signature: bytes) -> bytes:
        if len(signature) != 2 * self._size:
            raise Malformed(f"a signature of {len(signature)} bytes, not {2 * self._size}")
        r, s = signature[: self._size], signature[self._size :]
        return encode_dss_signature(int.from_bytes(r), int.from_bytes(s))
