"""RSASSA-PKCS1-v1_5 and RSASSA-PSS (RFC 7518, sections 3.3 and 3.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, AsymmetricPadding, PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from sectax_probe.operation import Call

# A cast inside the timed call would be one more call.
_load_private = cast("Callable[[bytes, None], RSAPrivateKey]", load_pem_private_key)
_load_public = cast("Callable[[bytes], RSAPublicKey]", load_pem_public_key)


class RsaPkcs1:
    constant_size = True

    def __init__(self, hash_name: str) -> None:
        self._hash: hashes.HashAlgorithm = getattr(hashes, hash_name)()
        self._padding: AsymmetricPadding = PKCS1v15()

    def signer(self, key: RSAPrivateKey, data: bytes) -> Call:
        padding, hash_ = self._padding, self._hash

        def sign() -> bytes:
            return key.sign(data, padding, hash_)

        return sign

    def parsing_signer(self, pem: bytes, data: bytes) -> Call:
        load, padding, hash_ = _load_private, self._padding, self._hash

        # The loader checks the primes: 35 ms since OpenSSL 3, a hundred times the signature.
        # https://github.com/pyca/cryptography/issues/7236. It can be told not to, which users rarely do.
        def sign() -> bytes:
            return load(pem, None).sign(data, padding, hash_)

        return sign

    def verifier(self, key: RSAPublicKey, signature: bytes, data: bytes) -> Call:
        padding, hash_ = self._padding, self._hash

        def verify() -> None:
            return key.verify(signature, data, padding, hash_)

        return verify

    def parsing_verifier(self, pem: bytes, signature: bytes, data: bytes) -> Call:
        load, padding, hash_ = _load_public, self._padding, self._hash

        def verify() -> None:
            return load(pem).verify(signature, data, padding, hash_)

        return verify

    def to_jose(self, signature: bytes) -> bytes:
        return signature

    def from_jose(self, signature: bytes) -> bytes:
        return signature


class RsaPss(RsaPkcs1):
    def __init__(self, hash_name: str) -> None:
        super().__init__(hash_name)
        self._padding = PSS(MGF1(self._hash), self._hash.digest_size)
