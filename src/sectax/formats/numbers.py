"""Reads numbers and units as tools print them; only finite, unsigned ones pass."""

from __future__ import annotations

import math
import re

from sectax.formats.bad_input import BadInput
from sectax.text.printable import printable

# No other characters: `float` would also accept nan, inf, 1_000 and the digits of other scripts. Possessive digits keep
# a million of them that end in a letter fast.
_NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
_LONGEST_SHOWN = 40
# Sums and squares of values must be finite too.
LARGEST = 1e150

SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
BINARY = {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
DECIMAL = {"B": 1.0, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}


def number(text: str, *, scale: float = 1.0, line: int | None = None, column: int | None = None) -> float:
    """A finite number that is not negative, times *scale*.

    Raises:
        BadInput: missing, text, negative, infinite, not a number, or too large once it is scaled.
    """
    stripped = text.strip()
    value = float(stripped) * scale if _NUMBER.fullmatch(stripped) else math.nan
    if 0 <= value <= LARGEST:
        return value
    raise BadInput(
        _complaint(stripped, value), "every value must be a finite number of 0 or more", line=line, column=column
    )


def match_number(match: re.Match[str], group: int | str, line: int | None, scale: float = 1.0) -> float:
    """The number matched by a pattern; errors as in `number`, with its place."""
    return number(match[group], scale=scale, line=line, column=match.start(group) + 1)


def _complaint(text: str, value: float) -> str:
    shown = repr(printable(text, _LONGEST_SHOWN))
    if not text:
        return "a value is missing"
    if math.isnan(value):
        lower = text.lower().lstrip("+-")
        if lower == "nan":
            return f"{shown} is not a number"
        return f"{shown} is infinite" if lower in ("inf", "infinity") else f"{shown} is not a number"
    return f"{shown} is negative" if value < 0 else f"{shown} is too large"
