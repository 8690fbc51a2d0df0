"""Numbers in the cells of a table as people and their programs write them: '12,5', '1,234.5', '3.1 ms', '2.0 ± 0.1'."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sectax.audit.figure import Quantity
from sectax.audit.importers.units import unit_of
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number

_DECIMAL = re.compile(r"[+-]?(?:\d{0,3}(?:\.\d{3})+|\d*),\d+(?:[eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
_BLANKS = re.compile("(?<=\\d)[ '\u00a0\u202f](?=\\d{3})")
_WITH_UNIT = re.compile(r"([+-]?[\d.]+(?:[eE][+-]?\d+)?)\s*([A-Za-zµμ/%]{1,20})")
_ERROR = re.compile(r"\s*(?:±|\+/-|\+-).*")


class Cells:
    """How the numbers of a table are written. Whether a comma is a decimal one, all of its cells tell together."""

    def __init__(self, separator: str, quantity: Quantity, scale: float) -> None:
        self._separator, self._quantity, self._scale = separator, quantity, scale
        self._comma: str | None = None

    def look(self, texts: Iterable[str]) -> None:
        """Decide about commas, if these have any and nothing is decided yet."""
        found = [text.strip() for text in texts if "," in text] if self._comma is None else []
        if any(_DECIMAL.fullmatch(each) and not _GROUPED.fullmatch(each) for each in found):
            self._comma = "decimal"
        elif any(_GROUPED.fullmatch(each) and (each.count(",") > 1 or "." in each) for each in found):
            self._comma = "grouping"
        elif found:
            # '1,234' may be either. Where commas part the columns, whoever writes them into numbers means thousands.
            self._comma = "grouping" if self._separator == "," else "decimal"

    def number(self, text: str, *, of_value: bool = False) -> float:
        """The number in a cell; one with a unit of its own counts in that of the column.

        Args:
            of_value: whether it is one of the values, which alone have a unit.

        Raises:
            BadInput: there is none of 0 or more.
        """
        try:
            return number(text)
        except BadInput:
            plain = self._plain(text)
            unit = _WITH_UNIT.fullmatch(plain) if of_value else None
            of_cell = unit_of(unit[2]) if unit is not None else None
            if unit is not None and of_cell is not None and of_cell[0] is self._quantity:
                return number(unit[1]) * of_cell[1] / self._scale
            if plain == text.strip():
                raise
            return number(plain)

    def _plain(self, text: str) -> str:
        plain = _BLANKS.sub("", _ERROR.sub("", text.strip()))
        if self._comma == "decimal" and _DECIMAL.fullmatch(plain):
            return plain.replace(".", "").replace(",", ".")
        return plain.replace(",", "") if self._comma == "grouping" and _GROUPED.fullmatch(plain) else plain
