"""Tests of what an interval takes for granted: that blocks are independent, and their differences near normal."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

# Fewer values show neither.
FEWEST = 6


def neighbours_alike(values: ArrayLike) -> float:
    """The p-value of the rank version of von Neumann's ratio against 'neighbours resemble each other'.

    It holds for independent values of any distribution, with ties broken by their order.

    Args:
        values: in order, shape (n,) with n of at least `FEWEST`.
    Source: Bartels, The rank version of von Neumann's ratio test for randomness, JASA 77 (1982), with his beta
        approximation. Simulated at 6 to 60 values, its error at 1, 0.3 and 0.1 % is 0 to 1.3 times what it promises,
        for normal, exponential, two-mode and t(1.5) values.
    """
    from scipy.special import betainc

    data = np.asarray(values, dtype=np.float64)
    n = data.size
    rank = np.empty(n)
    rank[np.argsort(data, kind="stable")] = np.arange(n)
    ratio = float((np.diff(rank) ** 2).sum() / ((rank - (n - 1) / 2) ** 2).sum())
    shape = 5 * n * (n + 1) * (n - 1) ** 2 / (2 * (n - 2) * (5 * n**2 - 2 * n - 9)) - 0.5
    return float(betainc(shape, shape, min(ratio / 4, 1.0)))


def lag_one(values: ArrayLike) -> float:
    """The correlation of neighbours; 0 where all values are equal."""
    data = np.asarray(values, dtype=np.float64)
    around = data - data.mean()
    total = float((around**2).sum())
    return float((around[1:] * around[:-1]).sum() / total) if total > 0 else 0.0


def normal(values: ArrayLike) -> float:
    """The p-value of Shapiro and Francia's test for a normal distribution; 1 where all values are equal.

    It finds skew, long tails and modes alike.

    Args:
        values: shape (n,) with n of at least `FEWEST`.
    Source: Royston, A toolkit for testing for non-normality in complete and censored samples, The Statistician 42
        (1993). Simulated at 6 to 100 normal values, its error at 1 % is 0.93 to 1.09 times what it promises, and less
        at 0.3 % and below.
    """
    from scipy.special import ndtr, ndtri

    data = np.sort(np.asarray(values, dtype=np.float64))
    n = data.size
    if data[0] == data[-1]:
        return 1.0
    scores = ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    around = data - data.mean()
    likeness = float((around * scores).sum() ** 2 / ((around**2).sum() * (scores**2).sum()))
    u = math.log(n)
    v = math.log(u)
    mean, deviation = 1.0521 * (v - u) - 1.2725, 1.0308 - 0.26758 * (v + 2 / u)
    return float(ndtr(-(math.log(max(1 - likeness, 1e-300)) - mean) / deviation))


def away_from_zero(values: ArrayLike) -> float:
    """The two-sided p-value of Student's t for a mean of zero; 0 where all values are equal and not zero.

    Where neighbours resemble each other by a correlation r, n values count as n·(1 − r)/(1 + r): a speed that wanders
    seems to go somewhere otherwise.

    Args:
        values: in order, shape (n,), n of at least two.
    """
    from scipy.special import stdtr

    data = np.asarray(values, dtype=np.float64)
    mean, deviation = float(data.mean()), float(data.std(ddof=1))
    if deviation == 0:
        return 1.0 if mean == 0 else 0.0
    alike = min(max(lag_one(data), 0.0), 0.99)
    count = max(data.size * (1 - alike) / (1 + alike), 2.0)
    return 2 * float(stdtr(count - 1, -abs(mean) / deviation * math.sqrt(count)))
