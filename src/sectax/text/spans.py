"""Lengths of time as users type them."""

from __future__ import annotations

import math
import re

from sectax.model.errors import WrongUse

_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6}
_NUMBER = r"\d+(?:\.\d+)?"
# Hours, minutes and seconds in this order, each optional, or milli- or microseconds; a number alone is in seconds.
_SPAN = re.compile(
    rf"(?:(?P<h>{_NUMBER})\s*h\s*)?(?:(?P<m>{_NUMBER})\s*m(?:in)?\s*)?(?:(?P<s>{_NUMBER})\s*s?)?"
    rf"|(?P<ms>{_NUMBER})\s*ms|(?P<us>{_NUMBER})\s*[uµ]s",
    re.ASCII,
)


def seconds(text: str, option: str, example: str = "90, 60s, 1m30s or 1h") -> float:
    """Parse `90`, `90s`, `1.5m`, `1m30s`, `1h` or `40ms` into seconds.

    Raises:
        WrongUse: not a length of time; the message names the option.
    """
    match = _SPAN.fullmatch(text.strip())
    parts = match.groupdict(default="0") if match else {}
    value = math.fsum(float(number) * _SECONDS[unit] for unit, number in parts.items())
    if not 0 < value < math.inf:
        raise WrongUse(f"{option} {text!r} is not a length of time", f"write it as in {option} {example}")
    return value


def typed(value: float) -> str:
    """Seconds as a user would type them: `90s`, `40ms`."""
    return f"{value * 1e3:g}ms" if 0 < value < 1 else f"{value:g}s"
