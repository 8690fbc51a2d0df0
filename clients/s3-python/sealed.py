"""Client-side AES-256-GCM in segments; the format stands in clients/PROTOCOL.md."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SEGMENT = 64 * 1024
_SALT, _PREFIX, _TAG = 32, 7, 16


def seal(key: bytes, body: bytes) -> bytes:
    """The whole object as it is stored."""
    salt, prefix = os.urandom(_SALT), os.urandom(_PREFIX)
    cipher = _cipher(key, salt)
    view = memoryview(body)
    last = max(0, (len(body) - 1) // SEGMENT)
    sealed = bytearray(salt + prefix)
    for number in range(last + 1):
        segment = view[number * SEGMENT : (number + 1) * SEGMENT]
        sealed += cipher.encrypt(_nonce(prefix, number, number == last), segment, None)
    return bytes(sealed)


def opened(key: bytes, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The plaintext, segment by segment as the stored object arrives.

    Raises:
        cryptography.exceptions.InvalidTag: it was cut or changed.
    """
    waiting = bytearray()
    cipher: AESGCM | None = None
    prefix, number = b"", 0
    for chunk in chunks:
        waiting += chunk
        if cipher is None and len(waiting) >= _SALT + _PREFIX:
            cipher, prefix = _cipher(key, bytes(waiting[:_SALT])), bytes(waiting[_SALT : _SALT + _PREFIX])
            del waiting[: _SALT + _PREFIX]
        # The last segment is known by the end alone, so a whole one waits until something follows it.
        while cipher is not None and len(waiting) > SEGMENT + _TAG:
            yield cipher.decrypt(_nonce(prefix, number, False), bytes(waiting[: SEGMENT + _TAG]), None)
            del waiting[: SEGMENT + _TAG]
            number += 1
    if cipher is None:
        raise ValueError("the object is shorter than its header")
    yield cipher.decrypt(_nonce(prefix, number, True), bytes(waiting), None)


def _cipher(key: bytes, salt: bytes) -> AESGCM:
    return AESGCM(HKDF(SHA256(), 32, salt, b"sectax s3 v1").derive(key))


def _nonce(prefix: bytes, number: int, last: bool) -> bytes:
    return prefix + number.to_bytes(4, "big") + bytes([last])
