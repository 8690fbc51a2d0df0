"""Sizes that stand in names: `size=64B`, `/16KiB-2`, `sha256sum 10MB.bin`."""

from __future__ import annotations

import re

from sectax.formats.numbers import BINARY

# Names are made by people, who write KB and mean either; a few per cent do not matter here.
_UNITS = {name.lower(): scale for name, scale in BINARY.items()}
_UNITS |= {name.replace("i", ""): scale for name, scale in _UNITS.items()}
# A number and a unit, and no part of a longer word: not the 8M of '8MHz', nor the 2b of 'blake2b'.
_SIZE = re.compile(r"(?<![A-Za-z0-9.])(\d{1,12}(?:\.\d{1,3})?)[ _]?((?:[kmgt]i?)?b)(?![A-Za-z0-9])", re.IGNORECASE)
# What is shown in the place of a size, where only the rest of a name counts.
_PLACE = "{size}"
_LONGEST = 2000


def size_in(name: str) -> float | None:
    """The bytes that a name tells; None where it tells none or several."""
    found = {float(size[1]) * _UNITS[size[2].lower()] for size in _SIZE.finditer(name[:_LONGEST])}
    return found.pop() if len(found) == 1 and min(found) > 0 else None


def without_size(name: str) -> str:
    """A name with its sizes taken out: what names share that differ in their sizes alone."""
    return _SIZE.sub(_PLACE, name[:_LONGEST])
