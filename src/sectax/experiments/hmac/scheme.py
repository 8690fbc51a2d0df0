"""The published scheme of tokens and its variants, as pure functions.

Every variant works in two steps, key' = f(shared key, salt) and token = f(key', data); a token is written in lower-case
hexadecimal. The functions in functions/hmac_authorizer do the same without sectax.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Scheme:
    """The two steps of a variant, each from a key and a message to bytes."""

    derive: Callable[[bytes, bytes], bytes]
    mac: Callable[[bytes, bytes], bytes]


def _sha512(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha512")


def _sha256(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def _blake2b(key: bytes, message: bytes) -> bytes:
    # The key parameter (RFC 7693) holds 64 bytes; a longer key is hashed first, as HMAC does with keys longer than a
    # block.
    fitting = key if len(key) <= hashlib.blake2b.MAX_KEY_SIZE else hashlib.blake2b(key).digest()
    return hashlib.blake2b(message, key=fitting).digest()


SCHEMES = {
    # As published: key' is the hexadecimal text of the digest.
    "published": Scheme(lambda key, salt: _sha512(key, salt).hex().encode(), _sha512),
    "raw-digests": Scheme(_sha512, _sha512),
    "hmac-sha256": Scheme(lambda key, salt: _sha256(key, salt).hex().encode(), _sha256),
    "blake2b": Scheme(_blake2b, _blake2b),
}


def token(scheme: Scheme, shared_key: bytes, salt: bytes, data: bytes) -> str:
    """The token of *data* in lower-case hexadecimal."""
    return scheme.mac(scheme.derive(shared_key, salt), data).hex()


def is_genuine(scheme: Scheme, shared_key: bytes, salt: bytes, data: bytes, given: str) -> bool:
    """Whether *given* is the token of *data*, compared in constant time."""
    return hmac.compare_digest(given.encode(), token(scheme, shared_key, salt, data).encode())
