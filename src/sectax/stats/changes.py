"""Where a series changes its level: the partition with the least squared deviations and a price for every part."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

# A level is told by so many values at least, and a change has to explain so many times the logarithm of their number:
# of series without a change at most 3 in 100 are said to have one (`python -m benchmarks.history`).
LEAST = 5
_PRICE = 5.0


def change_points(values: Sequence[float]) -> tuple[int, ...]:
    """The places at which a new level begins.

    The spread is that of the steps from one value to the next, by their median, so that no change counts into it.

    Source: Jackson et al., 'An algorithm for optimal partitioning of data on an interval', 2005; PELT, as in ruptures,
    is the same search with shortcuts, which a few hundred values do not need.
    """
    count = len(values)
    seen = np.asarray(values, dtype=np.float64)
    spread = float(np.median(np.abs(np.diff(seen)))) / (0.6745 * math.sqrt(2)) if count >= 2 * LEAST else 0.0
    if not spread > 0:
        return ()
    scaled = (seen - np.median(seen)) / spread
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
