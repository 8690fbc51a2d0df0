"""Signatures by cryptography's key objects: RSA, ECDSA, and those with a hash of their own (EdDSA, ML-DSA).

They differ in what `sign` and `verify` take behind the data. Every call is written out: one that unpacks a
tuple of arguments takes longer than what users write.
"""

from __future__ import annotations

from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from sectax_probe.algorithms import Algorithm
from sectax_probe.jose import Malformed
from sectax_probe.kit.timing import Call

# Bytes of r and of s (RFC 7518, section 3.4).
_SIZES = {"P-256": 32, "P-384": 48, "P-521": 66, "secp256k1": 32}
# Not as they are declared: a check of the key's type inside the timed call would be a part of it.
_load_private: Any = load_pem_private_key
_load_public: Any = load_pem_public_key


class Signatures:
    """`how` is what the calls take behind the data: padding and hash, ECDSA with a hash, or nothing."""

    def __init__(self, algorithm: Algorithm) -> None:
        self._how = _how(algorithm)
        self._size = _SIZES[str(algorithm.curve)] if algorithm.scheme == "ecdsa" else 0

    def signer(self, key: Any, data: bytes) -> Call:
        match self._how:
            case (padding, hash_):
                return lambda: key.sign(data, padding, hash_)
            case (ecdsa,):
                return lambda: key.sign(data, ecdsa)
        return lambda: key.sign(data)

    def parsing_signer(self, pem: bytes, data: bytes) -> Call:
        # Of RSA the loader checks the primes: 35 ms since OpenSSL 3, a hundred times the signature.
        # https://github.com/pyca/cryptography/issues/7236. It can be told not to, which users rarely do.
        load = _load_private
        match self._how:
            case (padding, hash_):
                return lambda: load(pem, None).sign(data, padding, hash_)
            case (ecdsa,):
                return lambda: load(pem, None).sign(data, ecdsa)
        return lambda: load(pem, None).sign(data)

    def verifier(self, key: Any, signature: bytes, data: bytes) -> Call:
        match self._how:
            case (padding, hash_):
                return lambda: key.verify(signature, data, padding, hash_)
            case (ecdsa,):
                return lambda: key.verify(signature, data, ecdsa)
        return lambda: key.verify(signature, data)

    def parsing_verifier(self, pem: bytes, signature: bytes, data: bytes) -> Call:
        load = _load_public
        match self._how:
            case (padding, hash_):
                return lambda: load(pem).verify(signature, data, padding, hash_)
            case (ecdsa,):
                return lambda: load(pem).verify(signature, data, ecdsa)
        return lambda: load(pem).verify(signature, data)

    def to_jose(self, signature: bytes) -> bytes:
        """DER of ECDSA as r‖s (RFC 7518, section 3.4)."""
        if not self._size:
            return signature
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

        r, s = decode_dss_signature(signature)
        return r.to_bytes(self._size) + s.to_bytes(self._size)

    def from_jose(self, signature: bytes) -> bytes:
        """Turn it back; `Malformed` where that cannot be."""
        if not self._size:
            return signature
        from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

        if len(signature) != 2 * self._size:
            raise Malformed(f"malformed: a signature of {len(signature)} bytes, not {2 * self._size}")
        r, s = signature[: self._size], signature[self._size :]
        return encode_dss_signature(int.from_bytes(r), int.from_bytes(s))


def _how(algorithm: Algorithm) -> tuple[Any, ...]:
    if algorithm.scheme == "pure":
        return ()
    hash_ = getattr(hashes, algorithm.hash)()
    if algorithm.scheme == "ecdsa":
        from cryptography.hazmat.primitives.asymmetric.ec import ECDSA

        return (ECDSA(hash_),)
    from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, PKCS1v15

    return (PKCS1v15() if algorithm.scheme == "rsa-pkcs1" else PSS(MGF1(hash_), hash_.digest_size), hash_)
