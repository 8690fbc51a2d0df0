"""One figure of a row that is about a thousand times off the line through the others: a unit that slipped."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from sectax.audit.figure import Figure

# About a thousand, as far as a line between its neighbours tells.
LEAST, MOST = 300.0, 3000.0
# Of the line through their neighbours, how far all others may be.
SMOOTH = 3.0
FEWEST = 4
# Numbers of a row go through so many times: cases that are counted are no row.
SPAN = 8.0
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,6})?")
_MOST_NUMBERS = 4

Point = tuple[float, float]


class Slip(NamedTuple):
    """A figure, and how many times what its neighbours make of it: above 1 where it is larger."""

    figure: Figure
    times: float


def slips(figures: Iterable[Figure]) -> Iterator[Slip]:
    """The figures that slipped, of rows in which one number of a level alone differs, and all others are smooth."""
    rows: dict[object, dict[float, Figure]] = {}
    for figure in figures:
        if (figure.typical or 0.0) <= 0:
            continue
        for factor, level in figure.levels.items():
            rest = frozenset(item for item in figure.levels.items() if item[0] != factor)
            for found in [*_NUMBER.finditer(level[:200])][:_MOST_NUMBERS]:
                stem = level[: found.start()], level[found.end() :]
                key = figure.table, figure.metric, figure.statistic, rest, factor, stem
                rows.setdefault(key, {}).setdefault(float(found[0]), figure)
    told: set[str] = set()
    for row in rows.values():
        row.pop(0.0, None)
        places = sorted(row)
        steps = {late - early for early, late in pairwise(places)}
        if len(places) < FEWEST or places[-1] < SPAN * places[0] or steps == {1.0}:
            continue
        for slip in _of_a_row([row[place] for place in places], [math.log(place) for place in places]):
            if slip.figure.id not in told:
                told.add(slip.figure.id)
                yield slip


def _of_a_row(row: list[Figure], places: list[float]) -> Iterator[Slip]:
    points = [(place, math.log(figure.typical or 1.0)) for place, figure in zip(places, row, strict=True)]
    for at in range(1, len(points)):
        others = points[:at] + points[at + 1 :]
        apart = points[at][1] - _line(
            points[at][0], others[at - 2 : at] if at == len(others) else others[at - 1 : at + 1]
        )
        # The last of a row may be far above it: some work grows faster than any line.
        if not math.log(LEAST) <= (-apart if at == len(others) else abs(apart)) <= math.log(MOST):
            continue
        if all(
            abs(others[each][1] - _line(others[each][0], [others[each - 1], others[each + 1]])) <= math.log(SMOOTH)
            for each in range(1, len(others) - 1)
        ):
            yield Slip(row[at], math.exp(apart))


def _line(place: float, two: list[Point]) -> float:
    (x, y), (other_x, other_y) = two
    return y + (other_y - y) * (place - x) / (other_x - x)
