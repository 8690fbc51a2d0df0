"""The client-side format: one for both clients, and it notices every change."""

from __future__ import annotations

import importlib.util
import os
import sys
from types import ModuleType

import pytest
from cryptography.exceptions import InvalidTag

from sectax.parts import cache

KEY = bytes(range(32))


@pytest.fixture(scope="module")
def sealed() -> ModuleType:
    path = cache.bundled("clients", "s3-python") / "sealed.py"
    loaded = importlib.util.spec_from_file_location("sealed", path)
    module = importlib.util.module_from_spec(loaded)
    sys.modules["sealed"] = module
    loaded.loader.exec_module(module)
    return module


@pytest.mark.parametrize("more", [-1, 0, 1, 7])
@pytest.mark.parametrize("segments", [0, 1, 3])
def test_what_was_sealed_opens_again_in_whatever_pieces_it_arrives(
    sealed: ModuleType, segments: int, more: int
) -> None:
    body = os.urandom(max(0, segments * sealed.SEGMENT + more))
    stored = sealed.seal(KEY, body)

    for piece in (1 << 20, 5_000):
        pieces = [stored[start : start + piece] for start in range(0, len(stored), piece)]
        assert b"".join(sealed.opened(KEY, pieces)) == body


def test_what_was_cut_or_exchanged_is_refused(sealed: ModuleType) -> None:
    stored = sealed.seal(KEY, os.urandom(3 * sealed.SEGMENT))
    header, segment = 39, sealed.SEGMENT + 16
    cut = stored[: header + 2 * segment]
    swapped = stored[:header] + stored[header + segment : header + 2 * segment] + stored[header : header + segment]
    for bad in (cut, swapped + stored[header + 2 * segment :], stored[:-1] + bytes([stored[-1] ^ 1])):
        with pytest.raises(InvalidTag):
            b"".join(sealed.opened(KEY, [bad]))


def test_another_key_opens_nothing(sealed: ModuleType) -> None:
    with pytest.raises(InvalidTag):
        b"".join(sealed.opened(KEY[::-1], [sealed.seal(KEY, b"body")]))
