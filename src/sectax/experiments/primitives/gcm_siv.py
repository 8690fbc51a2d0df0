"""AES-256-GCM-SIV (RFC 8452) for the referee, without additional data."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Callable
from typing import Any

_NONCE_BYTES, _TAG_BYTES = 12, 16
# x^128 + x^127 + x^126 + x^121 + 1, RFC 8452, section 3, in little-endian order of bits; and x^-128 in that field.
_FIELD = 1 << 128 | 1 << 127 | 1 << 126 | 1 << 121 | 1
_INVERSE = 1 << 127 | 1 << 124 | 1 << 121 | 1 << 114 | 1


def seal(key: bytes, nonce: bytes, data: bytes) -> bytes:
    """Return the ciphertext with its tag."""
    authenticates, encrypts = _keys(key, nonce)
    tag = _tag(authenticates, encrypts, nonce, data)
    return _counter_mode(encrypts, tag, data) + tag


def open_sealed(key: bytes, nonce: bytes, sealed: bytes) -> bytes | None:
    """Return the message; None if the tag is wrong."""
    if len(sealed) < _TAG_BYTES or len(nonce) != _NONCE_BYTES:
        return None
    authenticates, encrypts = _keys(key, nonce)
    ciphertext, tag = sealed[:-_TAG_BYTES], sealed[-_TAG_BYTES:]
    data = _counter_mode(encrypts, tag, ciphertext)
    return data if secrets.compare_digest(_tag(authenticates, encrypts, nonce, data), tag) else None


def _keys(key: bytes, nonce: bytes) -> tuple[bytes, bytes]:
    """Derive the keys of one message: section 4."""
    block = _aes(key)
    halves = [block(number.to_bytes(4, "little") + nonce)[:8] for number in range(6)]
    return b"".join(halves[:2]), b"".join(halves[2:])


def _tag(authenticates: bytes, encrypts: bytes, nonce: bytes, data: bytes) -> bytes:
    lengths = bytes(8) + (8 * len(data)).to_bytes(8, "little")
    summed = bytearray(_polyval(authenticates, data + bytes(-len(data) % 16) + lengths))
    for index, byte in enumerate(nonce):
        summed[index] ^= byte
    summed[15] &= 0x7F
    return _aes(encrypts)(bytes(summed))


def _counter_mode(key: bytes, tag: bytes, data: bytes) -> bytes:
    """Encrypt in counter mode with a leading little-endian counter of 32 bits."""
    from Crypto.Cipher import AES
    from Crypto.Util import Counter

    first = tag[:15] + bytes([tag[15] | 0x80])
    start = int.from_bytes(first[:4], "little")
    counter = Counter.new(32, suffix=first[4:], initial_value=start, little_endian=True)
    return bytes(AES.new(key, AES.MODE_CTR, counter=counter).encrypt(data))


def _aes(key: bytes) -> Callable[[bytes], bytes]:
    from Crypto.Cipher import AES

    cipher: Any = AES.new(key, AES.MODE_ECB)
    return lambda block: bytes(cipher.encrypt(block))


def _polyval(key: bytes, data: bytes) -> bytes:
    tables = _tables(_product(int.from_bytes(key, "little"), _INVERSE))
    total = 0
    for start in range(0, len(data), 16):
        total ^= int.from_bytes(data[start : start + 16], "little")
        product = 0
        for table, byte in zip(tables, total.to_bytes(16, "little"), strict=True):
            product ^= table[byte]
        total = product
    return total.to_bytes(16, "little")


@functools.lru_cache(maxsize=8)
def _tables(factor: int) -> list[list[int]]:
    """For each position of a byte, the products of its values with *factor*."""
    tables = []
    power = factor  # times x^(8·position + bit)
    for _ in range(16):
        bit_products = []
        for _ in range(8):
            bit_products.append(power)
            power = power << 1 ^ (_FIELD if power >> 127 else 0)
        table = [0] * 256
        for value in range(1, 256):
            low = value & -value
            table[value] = table[value ^ low] ^ bit_products[low.bit_length() - 1]
        tables.append(table)
    return tables


def _product(left: int, right: int) -> int:
    product = 0
    while right:
        if right & 1:
            product ^= left
        right >>= 1
        left = left << 1 ^ (_FIELD if left >> 127 else 0)
    return product
