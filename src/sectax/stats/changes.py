"""Change points: least squared deviations with a penalty per part."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sectax.model.history import RUNS_OF_A_LEVEL
from sectax.stats.moments import Array

# Minimum values per level, and the penalty of a change in units of log(n): at most 3 % false positives in series
# without a change (`python -m benchmarks.history`).
LEAST = RUNS_OF_A_LEVEL
_PENALTY = 5.0
# Smaller differences are rounding.
_LEAST_SPREAD = 1e-6


def change_points(logs: Sequence[float]) -> tuple[int, ...]:
    """The indices at which a new level starts, if its values are independent.

    The spread is estimated from successive differences. Steps at changes are left out and the search is repeated until
    it finds no more, so that a large change does not hide a small one.

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
    """The change points of values with a standard deviation of 1.

    Source: Jackson et al., 'An algorithm for optimal partitioning of data on an interval', 2005. PELT is the same
    search with pruning, which a few hundred values do not need.
    """
    count = len(scaled)
    sums = np.concatenate([[0.0], np.cumsum(scaled)])
    squares = np.concatenate([[0.0], np.cumsum(scaled**2)])
    penalty = _PENALTY * math.log(count)
    best = np.full(count + 1, np.inf)
    best[0] = -penalty
    starts_at = np.zeros(count + 1, dtype=np.int64)
    for end in range(LEAST, count + 1):
        starts = np.arange(end - LEAST + 1)
        deviations = squares[end] - squares[starts] - (sums[end] - sums[starts]) ** 2 / (end - starts)
        total = best[starts] + deviations + penalty
        starts_at[end] = np.argmin(total)
        best[end] = total[starts_at[end]]
    places, end = [], int(starts_at[count])
    while end > 0:
        places.append(end)
        end = int(starts_at[end])
    return tuple(reversed(places))
