"""The first rows of a table as they stand: what their other columns tell of the values, and of each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from sectax.audit.importers.cells import Cells
from sectax.audit.importers.columns import Columns
from sectax.formats.bad_input import BadInput
from sectax.model.printable import printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Of each other columns are looked at as a whole, which takes longer.
MOST, MOST_TOGETHER = 20_000, 2000
_DIGITS = re.compile(r"[-+]?(\d*)\.?(\d*)")

Levels = tuple[str, ...]


@dataclass
class Rows:
    """The first rows that are in a figure.

    Attributes:
        names: of the columns.
        value: the place of the column of values.
        columns: what the user says of them.
        cells: how their numbers are written.
        levels, rows, values: of each row its levels, its fields, and its value in the column's own unit.
    """

    names: Sequence[str]
    value: int
    columns: Columns
    cells: Cells
    levels: list[Levels] = field(default_factory=list)
    rows: list[Sequence[str]] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def take(self, levels: Sequence[Levels], rows: Sequence[Sequence[str]], values: Sequence[float]) -> None:
        """More of them, as long as there is room."""
        room = max(0, MOST - len(self.rows))
        self.levels += levels[:room]
        self.rows += rows[:room]
        self.values += values[:room]

    def unnamed(self, is_one: Callable[[str], object]) -> list[int]:
        """The places of the columns of which the user says nothing, and whose names are of some kind."""
        said = self.columns.asked()
        return [at for at, name in enumerate(self.names) if name and name not in said and is_one(name)]

    def by_levels(self) -> dict[Levels, list[int]]:
        """Which rows each figure has."""
        found: dict[Levels, list[int]] = {}
        for at, levels in enumerate(self.levels):
            found.setdefault(levels, []).append(at)
        return found

    def texts(self, column: int) -> list[str]:
        return [row[column].strip() for row in self.rows]

    def number(self, row: int, column: int) -> float | None:
        """What a cell says; None where it is no number of 0 or more."""
        if column == self.value:
            return self.values[row]
        try:
            return self.cells.number(self.rows[row][column])
        except BadInput:
            return None

    @cached_property
    def numeric(self) -> dict[int, NDArray]:  # type: ignore[type-arg]
        """The columns that hold numbers in most of their first rows; NaN where one does not."""
        import numpy as np

        found = {}
        for column in range(len(self.names)):
            told = [self.number(row, column) for row in range(min(len(self.rows), MOST_TOGETHER))]
            if 2 * sum(each is not None for each in told) > len(told):
                found[column] = np.array([np.nan if each is None else each for each in told], dtype=np.float64)
        return found

    def steps(self, column: int) -> NDArray:  # type: ignore[type-arg]
        """The place of the last digit that each cell of a column shows."""
        import numpy as np

        return np.array([_step(row[column].strip()) for row in self.rows[:MOST_TOGETHER]], dtype=np.float64)

    def of(self, row: int) -> str:
        """A row in words: by its levels, or by its first fields."""
        return printable(", ".join(filter(None, self.levels[row] or self.rows[row][:3])), 60)


def _step(text: str) -> float:
    mantissa, _, exponent = text.lower().partition("e")
    found = _DIGITS.search(mantissa.replace(",", "."))
    places = len(found[2]) if found is not None else 0
    power = int(exponent) if re.fullmatch(r"[+-]?\d{1,3}", exponent) else 0
    return float(10.0 ** max(min(power - places, 300), -300))
