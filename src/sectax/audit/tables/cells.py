"""Numbers and units as people and their programs write them in tables: '12,5', '1,234.5', '3.1 ms', `ops/s`, `usec`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from sectax.audit.form import Quantity
from sectax.formats.numbers import BINARY, DECIMAL, LARGEST

Unit = tuple[Quantity, float]
_DECIMAL = re.compile(r"[+-]?(?:\d{0,3}(?:\.\d{3})+|\d*),\d+(?:[eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
_BLANKS = re.compile("(?<=\\d)[ '\u00a0\u202f](?=\\d{3})")
_WITH_UNIT = re.compile(r"([+-]?[\d.]+(?:[eE][+-]?\d+)?)\s*([A-Za-zµμ/%]{1,20})")
_ERROR = re.compile(r"\s*(?:±|\+/-|\+-)\s*")
_PLAIN = re.compile(r"[+-]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?")
_BYTES = BINARY | DECIMAL
# What `--unit` is said to know; other words for the same are read besides.
KNOWN = ("ns", "us", "µs", "ms", "s", "min", "h", "op/s", *(f"{name}/s" for name in _BYTES), *_BYTES, "1")
_SMALL = {
    "m": 1e-3,
    "milli": 1e-3,
    "n": 1e-9,
    "nano": 1e-9,
    "p": 1e-12,
    **dict.fromkeys(("u", "µ", "μ", "micro"), 1e-6),
}
# Words without their plural.
_TIMES = {f"{prefix}{word}": scale for prefix, scale in _SMALL.items() for word in ("s", "sec", "second")}
_TIMES |= {"s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hr": 3600.0, "hour": 3600.0}
_PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_SIZES = {name.lower(): scale for name, scale in _BYTES.items()}
_SIZES |= {f"{prefix}byte": scale for prefix, scale in _PREFIXES.items()}
_SIZES |= {f"{prefix}bit": scale / 8 for prefix, scale in _PREFIXES.items()}
# What is counted. Frames, signatures and the like are operations too.
_OPERATION = re.compile(
    r"[kmg]?(?:op|operation|req|request|resp|response|iter|iteration|call|quer(?:y|ie)|tx|txn|transaction|tran|trx|event"
    r"|msg|message|it|run|exec|execution|invocation|loop|query|frame|record|row|item|elem|element|key|hash|hashe|sign"
    r"|signature|verif(?:y|ie)|handshake|conn|connection|token|job|task|packet|pkt|insert|read|write|get|set|put|lookup"
    r"|sample|cycle|step|file|object|doc|document|user|page|hit|image|parse)s?"
)
_RATE = re.compile(r"([kmg]?)(?:[rqtf]ps|iops|hz)")


def unit_of(said: str) -> Unit | None:
    """What a unit stands for, and how many of the base unit it is; None where it is none that is known."""
    # Mb/s are bits by custom; Mb alone may be either.
    word = re.sub(r"^([KMG])b(?=ps$|/)", r"\1bit", said.strip().removesuffix("(s)").strip("()[]"))
    if re.fullmatch(r"[KMG]b", word):
        return None
    word = re.sub(r"\s*(?:/|\bper\b)\s*", "/", re.sub(r"\s+", " ", word).lower())
    over, slash, under = word.partition("/")
    if not slash:
        return (Quantity.OTHER, 1.0) if word == "1" else _alone(word)
    seconds, amount = _in(_TIMES, under), _in(_SIZES, over)
    if seconds is None:
        alone = _alone(over) if _OPERATION.fullmatch(under) else None
        return alone if alone and alone[0] in (Quantity.TIME, Quantity.MEMORY) else None
    if amount is not None:
        return Quantity.BANDWIDTH, amount / seconds
    if over in ("", "1", "#"):
        return Quantity.RATE, 1 / seconds
    if not _OPERATION.fullmatch(over):
        return None
    prefix = over[0] if _OPERATION.fullmatch(over[1:]) and over[0] in _PREFIXES else ""
    return Quantity.RATE, _PREFIXES[prefix] / seconds


def _alone(word: str) -> Unit | None:
    if (seconds := _in(_TIMES, word)) is not None:
        return Quantity.TIME, seconds
    if (amount := _in(_SIZES, word)) is not None:
        return Quantity.MEMORY, amount
    if (rate := _RATE.fullmatch(word)) is not None:
        return Quantity.RATE, _PREFIXES[rate[1]]
    # MB/s and Mbit/s without the stroke.
    amount = _in(_SIZES, word[:-2]) if word.endswith("ps") else None
    return None if amount is None else (Quantity.BANDWIDTH, amount)


def _in(units: dict[str, float], word: str) -> float | None:
    return units.get(word, units.get(word.removesuffix("s")) if len(word) > 3 else None)


class Cells:
    """How the numbers of a table are written. Whether a comma is a decimal one, all of its cells show together."""

    def __init__(self, separator: str, texts: Iterable[str] = ()) -> None:
        every = [text.strip() for text in texts]
        decimal = any(_DECIMAL.fullmatch(text) and not _GROUPED.fullmatch(text) for text in every)
        grouped = any(_GROUPED.fullmatch(text) and (text.count(",") > 1 or "." in text) for text in every)
        points = any(re.search(r"\d\.\d", text) for text in every if "," not in text)
        # '1,234' may be either. Where commas separate the columns, a comma in a number means thousands.
        self._decimal = decimal or not (grouped or points or separator == ",")

    def number(self, text: str, unit: Unit | None = None) -> float | None:
        """The number in a cell; None where there is none. One with a unit of its own counts in *unit*."""
        plain, scale = self._plain(text), 1.0
        if unit is not None and (found := _WITH_UNIT.fullmatch(plain)) is not None:
            own = unit_of(found[2])
            if own is None or own[0] is not unit[0]:
                return None
            plain, scale = found[1], own[1] / unit[1]
        value = float(plain) * scale if _PLAIN.fullmatch(plain) else math.nan
        return value if abs(value) <= LARGEST else None

    def unit(self, texts: Iterable[str]) -> Unit | None:
        """The unit of cells that have one each, all of one quantity: that of the first."""
        there = [plain for text in texts if re.match(r"[+-]?\.?\d", plain := self._plain(text))]
        units = [unit_of(found[2]) if (found := _WITH_UNIT.fullmatch(plain)) else None for plain in there]
        return units[0] if len({unit and unit[0] for unit in units}) == 1 else None

    def error(self, text: str, unit: Unit) -> float | None:
        """What stands behind a ± in a cell."""
        behind = _ERROR.split(text)[1:]
        return self.number(behind[0], unit) if behind else None

    def step(self, text: str) -> float:
        """The step of the last digit of a cell that holds a number."""
        mantissa, _, exponent = self._plain(text).lower().partition("e")
        decimals = len(re.sub(r"\D.*", "", mantissa.partition(".")[2]))
        power = int(exponent) if re.fullmatch(r"[+-]?\d{1,3}", exponent) else 0
        return float(10.0 ** max(min(power - decimals, 100), -100))

    def _plain(self, text: str) -> str:
        plain = _BLANKS.sub("", _ERROR.split(text.strip())[0])
        if self._decimal and _DECIMAL.fullmatch(plain):
            return plain.replace(".", "").replace(",", ".")
        return plain.replace(",", "") if _GROUPED.fullmatch(plain) else plain


def plain_numbers(texts: Sequence[str]) -> list[float]:
    """Many cells at once. Raises `ValueError` where one of them is more than a plain number."""
    numbers = [*map(float, texts)]
    together = "".join(texts)
    # float() also reads 1_000, nan, inf, and digits of other scripts.
    if not together.isascii() or any(sign in together for sign in "_nN") or max(map(abs, numbers)) > LARGEST:
        raise ValueError("no plain numbers")
    return numbers
