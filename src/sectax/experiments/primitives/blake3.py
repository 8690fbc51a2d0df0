"""BLAKE3 for the referee, from its specification, with numpy.

Not the package blake3, which is the crate that the Rust probe measures.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_Words = NDArray[np.uint32]

_IV = np.array(
    [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19], dtype=np.uint32
)
_PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
_START, _END, _PARENT, _ROOT, _KEYED = 1, 2, 4, 8, 16
_CHUNK, _BLOCK, _ROUNDS = 1024, 64, 7
_MIXED = (
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
)  # fmt: skip


def blake3(data: bytes, key: bytes | None = None) -> bytes:
    """Return 32 bytes of the hash; keyed with a key of 32 bytes."""
    start = _IV if key is None else np.frombuffer(key, dtype="<u4").astype(np.uint32)
    mode = 0 if key is None else _KEYED
    whole = len(data) // _CHUNK
    if whole * _CHUNK == len(data) and whole:
        whole -= 1  # the last chunk is separate, even if it is whole
    values = [*_whole_chunks(data[: whole * _CHUNK], start, mode)]
    last = data[whole * _CHUNK :]
    if not values:
        return _chunk(last, 0, start, mode, _ROOT).astype("<u4").tobytes()
    values.append(_chunk(last, whole, start, mode, 0))
    return _tree(np.array(values).T, start, mode | _PARENT).astype("<u4").tobytes()


def _tree(values: _Words, start: _Words, flags: int) -> _Words:
    """Return the root of a tree of two or more chunks, paired by level."""
    while (count := values.shape[1]) > 1:
        pairs = count // 2
        both = np.concatenate([values[:, 0 : 2 * pairs : 2], values[:, 1 : 2 * pairs : 2]])
        keys = np.repeat(start[:, None], pairs, axis=1)
        root = _ROOT if count == 2 else 0
        joined = _compress(keys, both, np.zeros(pairs, np.uint64), _BLOCK, flags | root)
        values = np.concatenate([joined, values[:, 2 * pairs :]], axis=1)
    top: _Words = values[:, 0]
    return top


def _whole_chunks(data: bytes, start: _Words, mode: int) -> list[_Words]:
    """Return the values of all chunks except the last."""
    count = len(data) // _CHUNK
    if not count:
        return []
    blocks = np.frombuffer(data, dtype="<u4").astype(np.uint32).reshape(count, 16, 16).transpose(1, 2, 0)
    value = np.repeat(start[:, None], count, axis=1)
    for index, words in enumerate(blocks):
        flags = mode | (_START if index == 0 else 0) | (_END if index == 15 else 0)
        value = _compress(value, words, np.arange(count, dtype=np.uint64), _BLOCK, flags)
    return list(value.T)


def _chunk(data: bytes, number: int, start: _Words, mode: int, root: int) -> _Words:
    value = start[:, None]
    blocks = [data[start : start + _BLOCK] for start in range(0, len(data), _BLOCK)] or [b""]
    for index, block in enumerate(blocks):
        last = index == len(blocks) - 1
        flags = mode | (_START if index == 0 else 0) | (_END | root if last else 0)
        words = np.frombuffer(block.ljust(_BLOCK, b"\0"), dtype="<u4").astype(np.uint32)[:, None]
        value = _compress(value, words, np.array([number], np.uint64), len(block), flags)
    return value[:, 0]


def _compress(value: _Words, words: _Words, counter: NDArray[np.uint64], size: int, flags: int) -> _Words:
    """Return new values (8, chunks) from values and blocks (16, chunks)."""
    chunks = words.shape[1]
    state = np.empty((16, chunks), dtype=np.uint32)
    state[:8], state[8:12] = value, _IV[:4, None]
    state[12], state[13] = counter.astype(np.uint32), (counter >> np.uint64(32)).astype(np.uint32)
    state[14], state[15] = size, flags
    for number in range(_ROUNDS):
        for index, (a, b, c, d) in enumerate(_MIXED):
            for word, right, left in ((words[2 * index], 16, 12), (words[2 * index + 1], 8, 7)):
                state[a] += state[b] + word
                state[d] = _rotate(state[d] ^ state[a], right)
                state[c] += state[d]
                state[b] = _rotate(state[b] ^ state[c], left)
        if number < _ROUNDS - 1:
            words = words[_PERMUTATION]
    mixed: _Words = state[:8] ^ state[8:]
    return mixed


def _rotate(words: _Words, bits: int) -> _Words:
    rotated: _Words = (words >> np.uint32(bits)) | (words << np.uint32(32 - bits))
    return rotated
