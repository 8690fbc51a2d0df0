"""What names of benchmarks say: their levels, as `Sum/hash=plain/size=64B`, and the size of an operation."""

from __future__ import annotations

import re

from sectax.formats.numbers import BINARY

# Names are made by people, who write KB and mean either; a few per cent do not matter here.
_UNITS = {name.lower(): scale for name, scale in BINARY.items()}
_UNITS |= {name.replace("i", ""): scale for name, scale in _UNITS.items()}
# A number and a unit, and no part of a longer word: not the 8M of '8MHz', nor the 2b of 'blake2b'.
_SIZE = re.compile(r"(?<![A-Za-z0-9.])(\d{1,12}(?:\.\d{1,3})?)[ _]?((?:[kmgt]i?)?b)(?![A-Za-z0-9])", re.IGNORECASE)
_LONGEST = 2000


def levels_in(name: str) -> dict[str, str]:
    """Factor -> level, of a name whose parts are separated by strokes.

    `key=value` is a factor of that name; other parts are `part 1`, `part 2`. The whole name alone is `name`.
    """
    parts = [part for part in name.split("/") if part]
    levels: dict[str, str] = {}
    for at, part in enumerate(parts):
        key, equals, value = part.partition("=")
        if equals and key and value:
            levels[key] = value
        elif at == 0:
            levels["name"] = part
        else:
            levels[f"part {at}"] = part
    return levels or {"name": name}


def size_in(name: str) -> float | None:
    """The bytes that a name tells; None where it tells none or several."""
    found = {float(size[1]) * _UNITS[size[2].lower()] for size in _SIZE.finditer(name[:_LONGEST])}
    return found.pop() if len(found) == 1 and min(found) > 0 else None
