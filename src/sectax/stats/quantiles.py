"""Quantiles: how many observations an interval needs, and the interval from order statistics."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from sectax.stats.student import Interval


def observations_needed(quantile: float, level: float = 0.95) -> int:
    """Independent observations that a finite two-sided interval for a quantile needs.

    With n of them, the sample's minimum and maximum miss the quantile with chance (1−q)^n and q^n; each may be at most
    half of what the level leaves. At 95 %: 6 for the median, 36 for p90, 72 for p95, 368 for p99.
    """
    if not (0 < quantile < 1 and 0 < level < 1):
        raise ValueError(f"quantile {quantile} and level {level} must lie between 0 and 1")
    tail = (1 - level) / 2
    return max(1, math.ceil(math.log(tail) / math.log(max(quantile, 1 - quantile)) - 1e-12))


def order_statistics_interval(values: ArrayLike, quantile: float = 0.5, level: float = 0.95) -> Interval:
    """A quantile with its interval from order statistics, which assumes only that observations are independent.

    Args:
        values: shape (n,), finite; ties are allowed and make the interval wider than promised, never narrower.
    Returns:
        The sample quantile, and None for limits where n is below `observations_needed`.
    Raises:
        ValueError: no value at all.
    Source: Conover, Practical Nonparametric Statistics, section 3.2.
    """
    from scipy.special import bdtr

    data = np.sort(np.asarray(values, dtype=np.float64))
    n = data.size
    if n == 0:
        raise ValueError("no values to take a quantile of")
    point = float(np.quantile(data, quantile))
    if n < observations_needed(quantile, level):
        return Interval(point, None, None, n)
    tail = (1 - level) / 2
    below = np.asarray(bdtr(np.arange(n), n, quantile), dtype=np.float64)  # P(at most k of n lie under the quantile)
    lower = int(np.sum(below <= tail)) - 1
    upper = int(np.argmax(below >= 1 - tail))
    if lower < 0 or below[upper] < 1 - tail:
        return Interval(point, None, None, n)
    return Interval(point, float(data[lower]), float(data[upper]), n)
