"""The study's scheme and its variants: a key derived from the salt, a token over the data, a comparison.

Every variant works in two steps, key' = f(shared key, salt) and token = f(key', data), and on the wire every token is
lower-case hexadecimal.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import Protocol


class Scheme(Protocol):
    """What the check consists of. `token_digits` is the length of a token on the wire."""

    token_digits: int

    def derive(self, salt: bytes) -> bytes:
        """The key of this event."""

    def mac(self, key: bytes, data: bytes) -> bytes:
        """The token that *data* should have, in the form in which it is compared."""

    def matches(self, token: str, mac: bytes) -> bool:
        """Whether the token that came is the one that it should be, in constant time."""


class HexHmac:
    """As published: both digests pass through their hexadecimal text."""

    def __init__(self, shared_key: bytes, digest: str) -> None:
        self._shared_key = shared_key
        self._digest = digest
        self.token_digits = 2 * hashlib.new(digest).digest_size

    def derive(self, salt: bytes) -> bytes:
        return hmac.new(self._shared_key, salt, self._digest).hexdigest().encode()

    def mac(self, key: bytes, data: bytes) -> bytes:
        return hmac.new(key, data, self._digest).hexdigest().encode()

    def matches(self, token: str, mac: bytes) -> bool:
        return hmac.compare_digest(token.encode(), mac)


class RawHmac:
    """The digests themselves: key' is 64 bytes in place of 128, and so are the sides of the comparison."""

    def __init__(self, shared_key: bytes) -> None:
        self._shared_key = shared_key
        self.token_digits = 128

    def derive(self, salt: bytes) -> bytes:
        return hmac.new(self._shared_key, salt, "sha512").digest()

    def mac(self, key: bytes, data: bytes) -> bytes:
        return hmac.new(key, data, "sha512").digest()

    def matches(self, token: str, mac: bytes) -> bool:
        return hmac.compare_digest(bytes.fromhex(token), mac)


class KeyedBlake2b:
    """BLAKE2b with its own key parameter (RFC 7693) in place of HMAC; key' is the raw digest of 64 bytes."""

    def __init__(self, shared_key: bytes) -> None:
        # The key parameter holds 64 bytes; a longer key is hashed first, as HMAC does with keys longer than a block.
        fits = len(shared_key) <= hashlib.blake2b.MAX_KEY_SIZE
        self._shared_key = shared_key if fits else hashlib.blake2b(shared_key).digest()
        self.token_digits = 128

    def derive(self, salt: bytes) -> bytes:
        return hashlib.blake2b(salt, key=self._shared_key).digest()

    def mac(self, key: bytes, data: bytes) -> bytes:
        return hashlib.blake2b(data, key=key).hexdigest().encode()

    def matches(self, token: str, mac: bytes) -> bool:
        return hmac.compare_digest(token.encode(), mac)


# What makes the scheme of a treatment out of the shared key.
SCHEMES: dict[str, Callable[[bytes], Scheme]] = {
    "hmac-sha512": lambda key: HexHmac(key, "sha512"),
    "raw-digests": RawHmac,
    "hmac-sha256": lambda key: HexHmac(key, "sha256"),
    "blake2b": KeyedBlake2b,
}
