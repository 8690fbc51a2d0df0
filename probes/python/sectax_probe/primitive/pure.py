"""Schemes with a hash of their own: EdDSA (RFC 8037, section 3.1), ML-DSA (FIPS 204, without a context)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast

from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from sectax_probe.operation import Call


class _PrivateKey(Protocol):
    def sign(self, data: bytes) -> bytes: ...


class _PublicKey(Protocol):
    def verify(self, signature: bytes, data: bytes) -> None: ...


_load_private = cast("Callable[[bytes, None], _PrivateKey]", load_pem_private_key)
_load_public = cast("Callable[[bytes], _PublicKey]", load_pem_public_key)


class Pure:
    constant_size = True

    def signer(self, key: _PrivateKey, data: bytes) -> Call:
        def sign() -> bytes:
            return key.sign(data)

        return sign

    def parsing_signer(self, pem: bytes, data: bytes) -> Call:
        load = _load_private

        def sign() -> bytes:
            return load(pem, None).sign(data)

        return sign

    def verifier(self, key: _PublicKey, signature: bytes, data: bytes) -> Call:
        def verify() -> None:
            return key.verify(signature, data)

        return verify

    def parsing_verifier(self, pem: bytes, signature: bytes, data: bytes) -> Call:
        load = _load_public

        def verify() -> None:
            return load(pem).verify(signature, data)

        return verify

    def to_jose(self, signature: bytes) -> bytes:
        return signature

    def from_jose(self, signature: bytes) -> bytes:
        return signature
