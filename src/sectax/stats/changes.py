"""Where a series changes its level: the partition with the least squared deviations and a price for every part."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sectax.model.history import RUNS_OF_A_LEVEL
from sectax.stats.moments import Array

# A level is told by so many values at least, and a change has to explain so many times the logarithm of their number:
# of series without a change at most 3 in 100 are said to have one (`python -m benchmarks.history`).
LEAST = RUNS_OF_A_LEVEL
_PRICE = 5.0
# Costs that differ by a millionth differ by rounding.
_LEAST_SPREAD = 1e-6


def change_points(logs: Sequence[float]) -> tuple[int, ...]:
    """The places at which a new level of costs begins, where those of one level are independent of each other.

    The spread is that of the steps from one value to the next: a change is one step of many. Those of the changes are
    left out and the rest is searched again, until nothing more is found, so that a large change hides no small one.

    Source: von Neumann, 'Distribution of the ratio of the mean square successive difference to the variance', 1941.
    """
    values = np.asarray(logs, dtype=np.float64)
    places: tuple[int, ...] = ()
    while len(values) >= 2 * LEAST:
        steps = np.delete(np.diff(values), np.asarray(places, dtype=np.int64) - 1)
        spread = max(math.sqrt(float(np.mean(steps**2)) / 2), _LEAST_SPREAD)
        breaks = partition((values - np.median(values)) / spread)
        if len(breaks) <= len(places):
            break
        places = breaks
    return places


def partition(scaled: Array) -> tuple[int, ...]:
    """The same of values whose spread is 1.

    Source: Jackson et al., 'An algorithm for optimal partitioning of data on an interval', 2005; PELT, as in ruptures,
    is the same search with shortcuts, which a few hundred values do not need.
    """
    count = len(scaled)
    sums = np.concatenate([[0.0], np.cumsum(scaled)])
    squares = np.concatenate([[0.0], np.cumsum(scaled**2)])
    price = _PRICE * math.log(count)
    best = np.full(count + 1, np.inf)
    best[0] = -price
    begins = np.zeros(count + 1, dtype=np.int64)
    for end in range(LEAST, count + 1):
        starts = np.arange(end - LEAST + 1)
        deviations = squares[end] - squares[starts] - (sums[end] - sums[starts]) ** 2 / (end - starts)
        whole = best[starts] + deviations + price
        begins[end] = np.argmin(whole)
        best[end] = whole[begins[end]]
    places, end = [], int(begins[count])
    while end > 0:
        places.append(end)
        end = int(begins[end])
    return tuple(reversed(places))
