"""The one axis of costs on which all intervals of a table are drawn, on a page and on a terminal."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from sectax.reports.document import Table
from sectax.reports.scale import Scale, around, cost_ticks


@dataclass(frozen=True)
class IntervalAxis:
    """An axis from cost ratios to places; `margin` is the share on both sides of no cost that does not matter."""

    scale: Scale
    margin: float

    @property
    def zero(self) -> float:
        """Where nothing costs more or less."""
        return self.scale.place(1.0)

    @property
    def band(self) -> tuple[float, float]:
        """From where to where a cost does not matter."""
        return self.scale.place(1 / (1 + self.margin)), self.scale.place(1 + self.margin)

    def ticks(self, apart: float) -> list[tuple[float, str]]:
        """No cost, and what else is named and at least so far from it."""
        places = [(self.scale.place(value), text) for value, text in cost_ticks(self.scale)]
        return [(place, text) for place, text in places if text == "0" or abs(place - self.zero) >= apart]


def interval_axis(table: Table, first: float, last: float) -> IntervalAxis | None:
    """The axis of a table between two places; None where it has no interval."""
    given = [row.interval for row in table.rows if row.interval is not None]
    if not given or table.margin is None:
        return None
    ends = itertools.chain.from_iterable((each.low, each.point, each.high) for each in given)
    margin = 1 + table.margin
    return IntervalAxis(around((*ends, 1 / margin, margin), first, last, logarithmic=True), table.margin)
