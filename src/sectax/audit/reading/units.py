"""Units as written in outputs and tables: 'ms', 'usec', 'ops/s', 'Mbit/s'."""

from __future__ import annotations

import re

from sectax.audit.form import Quantity
from sectax.formats.numbers import BINARY, DECIMAL

Unit = tuple[Quantity, float]
_BYTES = BINARY | DECIMAL
# Units listed for `--unit`; synonyms are read as well.
KNOWN = ("ns", "us", "µs", "ms", "s", "min", "h", "op/s", *(f"{name}/s" for name in _BYTES), *_BYTES, "1")
_PARTS = {"m": 1e-3, "milli": 1e-3, "n": 1e-9, "nano": 1e-9, "p": 1e-12}
_PARTS |= {"": 1.0, **dict.fromkeys(("u", "µ", "μ", "micro"), 1e-6)}
# Words without their plural.
_TIMES = {f"{prefix}{word}": scale for prefix, scale in _PARTS.items() for word in ("s", "sec", "second")}
_TIMES |= {"min": 60.0, "minute": 60.0, "h": 3600.0, "hr": 3600.0, "hour": 3600.0}
_PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_SIZES = {name.lower(): scale for name, scale in _BYTES.items()}
_SIZES |= {f"{prefix}byte": scale for prefix, scale in _PREFIXES.items()}
_SIZES |= {f"{prefix}bit": scale / 8 for prefix, scale in _PREFIXES.items()}
# Names of operations, including frames, signatures and similar.
_OPERATION = re.compile(
    r"[kmg]?(?:op|operation|req|request|resp|response|iter|iteration|call|quer(?:y|ie)|tx|txn|transaction|tran|trx|event"
    r"|msg|message|it|run|exec|execution|invocation|loop|query|frame|record|row|item|elem|element|key|hash|hashe|sign"
    r"|signature|verif(?:y|ie)|handshake|conn|connection|token|job|task|packet|pkt|insert|read|write|get|set|put|lookup"
    r"|sample|cycle|step|file|object|anfragen|doc|document|user|page|hit|image|parse)s?"
)
_CYCLES = re.compile(r"[kmg]?cycles?(?:/(?:byte|b|op|call|iter|iteration))?|cpb")
_RATE = re.compile(r"([kmg]?)(?:[rqtf]ps|iops|hz)")


def base_unit(text: str) -> Unit | None:
    """Return the quantity of a unit and its scale; None where unknown."""
    # Mb/s are bits by custom; Mb alone may be either.
    word = re.sub(r"^([KMG])b(?=ps$|/)", r"\1bit", text.strip().removesuffix("(s)").strip("()[]"))
    if re.fullmatch(r"[KMG]b", word):
        return None
    quotient = re.sub(r"\s*(?:/|\bper\b)\s*", "/", re.sub(r"\s+", " ", word).lower())
    if _CYCLES.fullmatch(quotient):
        return Quantity.OTHER, _PREFIXES[quotient[0]] if quotient[0] in "kmg" else 1.0
    numerator, slash, denominator = quotient.partition("/")
    if not slash:
        return _simple_unit(numerator)
    seconds, amount = _unit_scale(_TIMES, denominator), _unit_scale(_SIZES, numerator)
    if seconds is None:
        of_one = _simple_unit(numerator) if _OPERATION.fullmatch(denominator) else None
        return of_one if of_one and of_one[0] in (Quantity.TIME, Quantity.MEMORY) else None
    if amount is not None:
        return Quantity.BANDWIDTH, amount / seconds
    if numerator not in ("", "1", "#") and not _OPERATION.fullmatch(numerator):
        return None
    prefix = numerator[:1] if _OPERATION.fullmatch(numerator[1:]) and numerator[:1] in _PREFIXES else ""
    return Quantity.RATE, _PREFIXES[prefix] / seconds


def _simple_unit(word: str) -> Unit | None:
    if (seconds := _unit_scale(_TIMES, word)) is not None:
        return Quantity.TIME, seconds
    if (amount := _unit_scale(_SIZES, word)) is not None:
        return Quantity.MEMORY, amount
    if (rate := _RATE.fullmatch(word)) is not None:
        return Quantity.RATE, _PREFIXES[rate[1]]
    # MB/s and Mbit/s without the slash: MBps, Mbps.
    if word.endswith("ps") and (amount := _unit_scale(_SIZES, word[:-2])) is not None:
        return Quantity.BANDWIDTH, amount
    return (Quantity.OTHER, 1.0) if word == "1" else None


def _unit_scale(units: dict[str, float], word: str) -> float | None:
    return units.get(word, units.get(word.removesuffix("s")) if len(word) > 3 else None)
