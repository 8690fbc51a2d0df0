"""Tamper with artefacts that a probe must refuse."""

from __future__ import annotations

import secrets


def flip_bit(data: bytes) -> bytes:
    """Flip one bit, drawn at random."""
    index = secrets.randbelow(len(data) * 8)
    flipped = bytearray(data)
    flipped[index // 8] ^= 1 << (index % 8)
    return bytes(flipped)
