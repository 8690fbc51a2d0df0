"""Numbers in tables: '12,5', '1,234.5', '3.1 ms', '54 ± 2'."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sectax.audit.form import Quantity
from sectax.audit.reading.printed import Number, plain_number
from sectax.audit.reading.units import Unit, base_unit
from sectax.formats.numbers import LARGEST

_DECIMAL = re.compile(r"[+-]?(?:\d{0,3}(?:\.\d{3})+|\d*),\d+(?:[eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
_BLANKS = re.compile("(?<=\\d)[ '\u00a0\u202f](?=\\d{3})")
_WITH_UNIT = re.compile(r"([+-]?[\d.]+(?:[eE][+-]?\d+)?)\s*([A-Za-zµμ/%]{1,20})")
_ERROR = re.compile(r"\s*(?:±|\+/-|\+-)\s*")
_NO_UNIT = (Quantity.OTHER, 1.0)


class Cells:
    """The number format of a table."""

    def __init__(self, separator: str, texts: Iterable[str] = ()) -> None:
        # '1,234' is ambiguous: the comma is decimal if semicolons separate fields, or if it is in any other cell.
        self._decimal = separator == ";" or any(
            _DECIMAL.fullmatch(text) and not _GROUPED.fullmatch(text) for text in texts
        )

    def number(self, text: str, unit: Unit | None = None) -> Number | None:
        """Return a cell's number in base units; a unit in the cell takes precedence."""
        plain, unit = self._plain(text), unit or _NO_UNIT
        if (match := _WITH_UNIT.fullmatch(plain)) is not None:
            plain, own = match[1], _NO_UNIT if match[2] == "%" else base_unit(match[2])
            if own is None or own[0] is not unit[0]:
                return None
            unit = own
        return None if "," in plain else plain_number(plain, unit[1])

    def numbers(self, texts: Sequence[str], unit: Unit) -> list[float | None]:
        """Return the numbers of a column, with a fast path for plain ones."""
        try:
            numbers, together = [float(text) * unit[1] for text in texts], "".join(texts)
            # float() also reads 1_000, nan, inf, and digits of other scripts.
            if together.isascii() and not any(sign in together for sign in "_nN") and max(map(abs, numbers)) <= LARGEST:
                return [*numbers]
        except ValueError:
            pass
        return [number and number.value for number in (self.number(text, unit) for text in texts)]

    def error(self, text: str, unit: Unit) -> Number | None:
        """Return the number after ± in a cell."""
        behind = _ERROR.split(text)[1:]
        return self.number(behind[0], unit) if behind else None

    def unit(self, texts: Iterable[str]) -> Unit | None:
        """Return the unit of the cells, if all have one of the same quantity."""
        numbers = [plain for text in texts if re.match(r"[+-]?\.?\d", plain := self._plain(text))]
        units = [base_unit(match[2]) if (match := _WITH_UNIT.fullmatch(plain)) else None for plain in numbers]
        return units[0] if len({unit and unit[0] for unit in units}) == 1 else None

    def are_numbers(self, texts: Sequence[str], unit: Unit | None) -> bool:
        """Whether more than half of the non-empty cells are numbers."""
        numbers = [self.number(text, unit) is not None for text in texts if text.strip()]
        return 2 * sum(numbers) > len(numbers)

    def _plain(self, text: str) -> str:
        plain = _BLANKS.sub("", _ERROR.split(text.strip())[0])
        if self._decimal and _DECIMAL.fullmatch(plain):
            return plain.replace(".", "").replace(",", ".")
        return plain.replace(",", "") if _GROUPED.fullmatch(plain) else plain
