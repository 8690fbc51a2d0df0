"""Numbers in the cells of a table as people and their programs write them: '12,5', '1,234.5', '3.1 ms', '2.0 ± 0.1'."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from sectax.audit.form import Quantity
from sectax.audit.tables.units import unit_of
from sectax.formats.numbers import LARGEST

_DECIMAL = re.compile(r"[+-]?(?:\d{0,3}(?:\.\d{3})+|\d*),\d+(?:[eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
_BLANKS = re.compile("(?<=\\d)[ '\u00a0\u202f](?=\\d{3})")
_WITH_UNIT = re.compile(r"([+-]?[\d.]+(?:[eE][+-]?\d+)?)\s*([A-Za-zµμ/%]{1,20})")
_ERROR = re.compile(r"\s*(?:±|\+/-|\+-).*")
_PLAIN = re.compile(r"[+-]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?")


class Cells:
    """How the numbers of a table are written. Whether a comma is a decimal one, all of its cells show together."""

    def __init__(self, separator: str, texts: Iterable[str] = ()) -> None:
        every = list(texts)
        found = [text.strip() for text in every if "," in text]
        if any(_DECIMAL.fullmatch(text) and not _GROUPED.fullmatch(text) for text in found):
            self._decimal = True
        elif any(_GROUPED.fullmatch(text) and (text.count(",") > 1 or "." in text) for text in found) or any(
            re.search(r"\d\.\d", text) for text in every if "," not in text
        ):
            self._decimal = False
        else:
            # '1,234' may be either. Where commas separate the columns, a comma in a number means thousands.
            self._decimal = separator != ","

    def number(self, text: str, unit: tuple[Quantity, float] | None = None) -> float | None:
        """The number in a cell; None where there is none. One with a unit of its own counts in *unit*."""
        plain = text.strip()
        if not _PLAIN.fullmatch(plain):
            plain = self._plain(plain)
        found = _WITH_UNIT.fullmatch(plain) if unit is not None else None
        scale = 1.0
        if found is not None and unit is not None:
            own = unit_of(found[2])
            if own is None or own[0] is not unit[0]:
                return None
            plain, scale = found[1], own[1] / unit[1]
        if not _PLAIN.fullmatch(plain):
            return None
        value = float(plain) * scale
        return value if math.isfinite(value) and abs(value) <= LARGEST else None

    def unit(self, texts: Iterable[str]) -> tuple[Quantity, float] | None:
        """The unit of cells that have one each, all of one quantity: that of the first."""
        there = [plain for text in texts if re.match(r"[+-]?\.?\d", plain := self._plain(text.strip()))]
        matches = [_WITH_UNIT.fullmatch(plain) for plain in there]
        units = [unit_of(match[2]) if match else None for match in matches]
        alike = len({unit and unit[0] for unit in units}) == 1
        return units[0] if alike else None

    def error(self, text: str, unit: tuple[Quantity, float]) -> float | None:
        """What stands behind a ± in a cell."""
        error = re.split(r"±|\+/-|\+-", text)[1:]
        return self.number(error[0], unit) if error else None

    def step(self, text: str) -> float:
        """The step of the last digit of a cell that holds a number."""
        mantissa, _, exponent = self._plain(text.strip()).lower().partition("e")
        decimals = len(re.sub(r"\D.*", "", mantissa.partition(".")[2]))
        power = int(exponent) if re.fullmatch(r"[+-]?\d{1,3}", exponent) else 0
        return float(10.0 ** max(min(power - decimals, 100), -100))

    def _plain(self, text: str) -> str:
        plain = _BLANKS.sub("", _ERROR.sub("", text))
        if self._decimal and _DECIMAL.fullmatch(plain):
            return plain.replace(".", "").replace(",", ".")
        return plain.replace(",", "") if _GROUPED.fullmatch(plain) else plain
