"""Units as people write them at the head of a column: `ops/s`, `req/sec`, `usec`, `ns/iter`, `MB/sec`, `Bytes`."""

from __future__ import annotations

import re

from sectax.audit.form import Quantity
from sectax.formats.numbers import BINARY, DECIMAL, SECONDS

# What `--unit` is said to know; the words below are read besides.
UNITS: dict[str, tuple[Quantity, float]] = {
    **{name: (Quantity.TIME, scale) for name, scale in SECONDS.items() if name not in ("m", "h")},
    "min": (Quantity.TIME, 60.0),
    "op/s": (Quantity.RATE, 1.0),
    **{f"{name}/s": (Quantity.BANDWIDTH, scale) for name, scale in (BINARY | DECIMAL).items()},
    **{name: (Quantity.MEMORY, scale) for name, scale in (BINARY | DECIMAL).items()},
    "1": (Quantity.OTHER, 1.0),
}
_TIMES = {"ps": 1e-12, "min": 60.0, "h": 3600.0} | {name: each for name, each in SECONDS.items() if name != "m"}
for _short, _words in {
    "ns": "nsec nano nanos nanosec nanosecond",
    "us": "usec micro micros microsec microsecond µsec μsec",
    "ms": "msec milli millis millisec millisecond",
    "s": "sec second",
    "min": "mins minute",
    "h": "hr hour",
}.items():
    _TIMES |= dict.fromkeys(_words.split(), _TIMES[_short])
# What is counted. Frames, signatures and the like are operations too.
_OPERATION = re.compile(
    r"(?:op|operation|req|request|resp|response|iter|iteration|call|quer(?:y|ie)|tx|txn|transaction|tran|trx|event|msg"
    r"|message|it|run|exec|execution|invocation|loop|query|frame|record|row|item|elem|element|key|hash|hashe|sign"
    r"|signature|verif(?:y|ie)|handshake|conn|connection|token|job|task|packet|pkt|insert|read|write|get|set|put|lookup"
    r"|sample|cycle|step|file|object|doc|document|user|page|hit|image|parse)s?"
)
_PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
_RATES = {"rps": 1.0, "qps": 1.0, "tps": 1.0, "iops": 1.0, "fps": 1.0, "hz": 1.0}
_BYTES = {name.lower(): scale for name, scale in (BINARY | DECIMAL).items()}
_BYTES |= {"byte": 1.0, "bytes": 1.0}
for _name, _scale in {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}.items():
    _BYTES |= {f"{_name}byte": _scale, f"{_name}bytes": _scale}
_BITS = {f"{prefix}bit": scale / 8 for prefix, scale in _PREFIXES.items()}


def unit_of(said: str) -> tuple[Quantity, float] | None:
    """What a unit stands for, and how many of the base unit it is; None where it is none that is known."""
    if said in UNITS:
        return UNITS[said]
    # Mb/s are bits by custom; Mb alone may be either.
    word = re.sub(r"^([KMG])b(?=ps$|/)", r"\1bit", said.strip().removesuffix("(s)").strip("()[]"))
    if re.fullmatch(r"[KMG]b", word):
        return None
    word = re.sub(r"\s+", " ", word).lower()
    word = re.sub(r"\s*(?:/|\bper\b)\s*", "/", word)
    over, slash, under = word.partition("/")
    if not slash:
        return _alone(word)
    if (seconds := _time(under)) is not None:
        if (size := _size(over)) is not None:
            return Quantity.BANDWIDTH, size / seconds
        if over in ("", "1", "#"):
            return Quantity.RATE, 1 / seconds
        for prefix, scale in _PREFIXES.items():
            if over.startswith(prefix) and _OPERATION.fullmatch(over.removeprefix(prefix).strip()):
                return Quantity.RATE, scale / seconds
        return None
    if _OPERATION.fullmatch(under):
        if (seconds := _time(over)) is not None:
            return Quantity.TIME, seconds
        return None if (size := _size(over)) is None else (Quantity.MEMORY, size)
    return None


def _alone(word: str) -> tuple[Quantity, float] | None:
    if (seconds := _time(word)) is not None:
        return Quantity.TIME, seconds
    if (size := _size(word)) is not None:
        return Quantity.MEMORY, size
    for prefix, scale in _PREFIXES.items():
        bare = word.removeprefix(prefix)
        if word.startswith(prefix) and bare in _RATES:
            return Quantity.RATE, scale
    # MB/s and Mbit/s without the stroke.
    if word.endswith("ps") and (size := _size(word[:-2])) is not None:
        return Quantity.BANDWIDTH, size
    return None


def _time(word: str) -> float | None:
    return _TIMES.get(word, _TIMES.get(word.removesuffix("s")) if len(word) > 3 else None)


def _size(word: str) -> float | None:
    return _BYTES.get(word, _BITS.get(word.removesuffix("s")))
