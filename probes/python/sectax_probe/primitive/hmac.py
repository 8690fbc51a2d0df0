"""HMAC (RFC 7518, section 3.2)."""

from __future__ import annotations

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.hmac import HMAC

from sectax_probe.operation import Call


class Hmac:
    """The key is given to every HMAC anew, as in cryptography's documentation and in PyJWT: the secret is
    the key, and a keyed context that is kept and copied would be a cache that they do not have.
    """

    constant_size = True

    def __init__(self, hash_name: str) -> None:
        self._hash: hashes.HashAlgorithm = getattr(hashes, hash_name)()

    def signer(self, key: bytes, data: bytes) -> Call:
        new, hash_ = HMAC, self._hash

        def sign() -> bytes:
            mac = new(key, hash_)
            mac.update(data)
            return mac.finalize()

        return sign

    def verifier(self, key: bytes, signature: bytes, data: bytes) -> Call:
        new, hash_ = HMAC, self._hash

        def verify() -> None:
            mac = new(key, hash_)
            mac.update(data)
            mac.verify(signature)

        return verify

    def to_jose(self, signature: bytes) -> bytes:
        return signature

    from_jose = to_jose
