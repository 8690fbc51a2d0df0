"""Tests of an interval's assumptions: independent blocks with normal differences."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

# Minimum number of values.
FEWEST = 6


def autocorrelation_p_value(values: ArrayLike) -> float:
    """The p-value of Bartels' rank test for positive autocorrelation of neighbours.

    Valid for independent values of any distribution; ties are broken by order.

    Args:
        values: in order, shape (n,), n ≥ `FEWEST`.
    Source: Bartels, The rank version of von Neumann's ratio test for randomness, JASA 77 (1982), with his beta
        approximation. Simulated with 6 to 60 normal, exponential, two-mode and t(1.5) values, its error at 1, 0.3 and
        0.1 % is 0 to 1.3 times the nominal one.
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
    """The lag-1 autocorrelation; 0 if all values are equal."""
    data = np.asarray(values, dtype=np.float64)
    around = data - data.mean()
    total = float((around**2).sum())
    return float((around[1:] * around[:-1]).sum() / total) if total > 0 else 0.0


def normality_p_value(values: ArrayLike) -> float:
    """The p-value of the Shapiro-Francia test of normality; 1 if all values are equal.

    Args:
        values: shape (n,), n ≥ `FEWEST`.
    Source: Royston, A toolkit for testing for non-normality in complete and censored samples, The Statistician 42
        (1993). Simulated with 6 to 100 normal values, its error at 1 % is 0.93 to 1.09 times the nominal one, and less
        at 0.3 % and below.
    """
    from scipy.special import ndtr, ndtri

    data = np.sort(np.asarray(values, dtype=np.float64))
    n = data.size
    if data[0] == data[-1]:
        return 1.0
    scores = ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    around = data - data.mean()
    w = float((around * scores).sum() ** 2 / ((around**2).sum() * (scores**2).sum()))
    u = math.log(n)
    v = math.log(u)
    mean, deviation = 1.0521 * (v - u) - 1.2725, 1.0308 - 0.26758 * (v + 2 / u)
    return float(ndtr(-(math.log(max(1 - w, 1e-300)) - mean) / deviation))


def zero_mean_p_value(values: ArrayLike) -> float:
    """The two-sided p-value of Student's t for a mean of zero.

    With lag-1 autocorrelation r, n values count as n·(1 − r)/(1 + r); otherwise a wandering speed looks like drift.

    Args:
        values: in order, shape (n,), n ≥ 2.
    """
    from scipy.special import stdtr

    data = np.asarray(values, dtype=np.float64)
    mean, deviation = float(data.mean()), float(data.std(ddof=1))
    if deviation == 0:
        return 1.0 if mean == 0 else 0.0
    correlation = min(max(lag_one(data), 0.0), 0.99)
    count = max(data.size * (1 - correlation) / (1 + correlation), 2.0)
    return 2 * float(stdtr(count - 1, -abs(mean) / deviation * math.sqrt(count)))
