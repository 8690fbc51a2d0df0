"""Printed numbers: their value in base units and the step of their digits."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from sectax.formats.numbers import LARGEST, SECONDS

# No possessive group: with one, Debian 12's Python 3.11.2 also matches the comma after a number (3.11.7 does not).
NUMBER = r"[+-]?(?:\d++(?:,\d++)*(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?"
# Printed in place of a missing number.
_NONE = r"[+-]?(?:[nN]a[nN]|[iI]nf(?:inity)?)"
_PREFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "m": 1e-3, "µ": 1e-6}
_TIMES = SECONDS | {"ps": 1e-12, "sec": 1.0, "secs": 1.0, "seconds": 1.0, "min": 60.0, "msec": 1e-3, "usec": 1e-6}
_ONE_TIME = rf"(?:{NUMBER})\s?(?:{'|'.join(sorted(map(re.escape, _TIMES), key=len, reverse=True))})(?![A-Za-zµ])"
_PART = re.compile(rf"({NUMBER})\s?([A-Za-zµμ]+)")
_SIZE = r"(?:[kKMGT]i?)?(?:[bB]ytes|B)"
_ALONE = re.compile(NUMBER)


class Number(NamedTuple):
    """A printed number in base units ('s', 'bytes', 'bytes/s', 'op/s', '1'), with its step."""

    value: float
    step: float = 0.0
    unit: str = "1"


def plain_number(text: str, scale: float = 1.0, unit: str = "1") -> Number | None:
    """Parse a number and the step of its last digit, scaled; None otherwise."""
    match = _ALONE.fullmatch(text)
    if match is None:
        return None
    digits = text.replace(",", "")
    mantissa, _, exponent = digits.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    value = float(digits) * scale
    if not math.isfinite(value) or abs(value) > LARGEST:
        return None
    power = int(exponent) if exponent and len(exponent) < 5 else 0
    return Number(value, 10.0 ** min(power - decimals, 300) * abs(scale), unit)


def _prefixed_count(text: str, unit: str = "1") -> Number | None:
    number = text.rstrip("kKMG")
    return plain_number(number, _PREFIXES[text[len(number) :][:1]], unit)


def _duration(text: str) -> Number | None:
    """Parse a duration such as `1.5ms`, `4m59.883s`, `2 secs`."""
    total, last = 0.0, None
    for part in _PART.finditer(text):
        last = plain_number(part[1], _TIMES.get(part[2], math.nan), "s")
        if last is None:
            return None
        total += last.value
    return None if last is None else Number(total, last.step, "s")


def _amount(text: str, thousand: float, unit: str, scale: float = 1.0) -> Number | None:
    match = re.match(rf"({NUMBER})\s*+([A-Za-z]*)", text)
    if match is None:
        return None
    word = match[2].replace("ytes", "").replace("yte", "")
    prefix = word[:-1] if word[-1:] in ("B", "b") else word
    power = 1 + "KMGT".find(prefix[0].upper()) if prefix else 0
    return plain_number(match[1], scale * (1024.0 if prefix.endswith("i") else thousand) ** power, unit)


def _bits(text: str) -> Number | None:
    return _amount(text.replace("bits", "B"), 1000, "bytes/s", 0.125)


def _clock(text: str) -> Number | None:
    """Parse a duration such as `1:02:03`, `1:02.31`, `0.105`."""
    *larger, last = text.split(":")
    number = plain_number(last, 1.0, "s")
    if number is None or len(larger) > 2 or not all(part.isdecimal() for part in larger):
        return None
    return number._replace(value=number.value + sum(60.0**at * int(n) for at, n in enumerate(larger[::-1], 1)))


def _in_seconds(unit: str) -> tuple[str, object]:
    return rf"{NUMBER}|{_NONE}", lambda text: plain_number(text, SECONDS[unit], "s")


# Kind -> pattern and parser; the parser returns None for '-nan' and similar.
KINDS: dict[str, tuple[str, object]] = {
    "n": (rf"(?:{NUMBER})[kKMG]?(?![A-Za-z\d])|{_NONE}", _prefixed_count),
    "r": (rf"(?:{NUMBER})[kKMG]?(?![A-Za-z\d])|{_NONE}", lambda text: _prefixed_count(text, "op/s")),
    "t": (rf"(?:{_ONE_TIME})(?: ?{_ONE_TIME}){{0,4}}|{_NONE}", _duration),
    **{unit: _in_seconds(unit) for unit in ("s", "ms", "us", "ns")},
    "%": (rf"{NUMBER}|{_NONE}", lambda text: plain_number(text, 0.01)),
    "b": (rf"{NUMBER}\s?{_SIZE}", lambda text: _amount(text, 1000, "bytes")),
    "B": (rf"{NUMBER}\s?{_SIZE}", lambda text: _amount(text, 1024, "bytes")),
    "b/s": (rf"{NUMBER}\s?{_SIZE}", lambda text: _amount(text, 1000, "bytes/s")),
    "B/s": (rf"{NUMBER}\s?{_SIZE}", lambda text: _amount(text, 1024, "bytes/s")),
    "bit/s": (rf"{NUMBER}\s?[kKMGT]?bits", _bits),
    "clock": (r"(?:\d{1,6}:){0,2}\d{1,9}(?:\.\d{1,9})?", _clock),
    "q": (r"\d{1,3}(?:\.\d{1,9})?", str),
    "flag": ("", lambda _: "yes"),
    "w": (r"\S+", str),
    "text": (r"\S.*?", str),
}


def read(kind: str, text: str) -> Number | str | None:
    """Parse a value of this kind."""
    return KINDS[kind][1](text.strip())  # type: ignore[operator,no-any-return]


def of_json(kind: str, value: float) -> Number:
    """Convert a JSON number of this kind to base units."""
    units = {"b": "bytes", "B": "bytes", "b/s": "bytes/s", "B/s": "bytes/s", "bit/s": "bytes/s", "r": "op/s"}
    if kind in ("s", "ms", "us", "ns"):
        return Number(value * SECONDS[kind], 0.0, "s")
    return Number(value * {"%": 0.01, "bit/s": 0.125}.get(kind, 1.0), 0.0, units.get(kind, "1"))


def percentile_name(percentile: str) -> str:
    """Convert '50.000' to 'median', '99' to 'p99', '100' to 'max', '0' to 'min'."""
    value = float(percentile)
    return {0.0: "min", 50.0: "median", 100.0: "max"}.get(value, f"p{value:.10g}")
