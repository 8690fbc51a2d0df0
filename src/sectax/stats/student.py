"""Student's t over blocks: for numbers of blocks that were fixed beforehand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sectax.stats.moments import Array


@dataclass(frozen=True)
class Interval:
    """A point and its interval; `low` and `high` are None where no interval exists."""

    point: float
    low: float | None
    high: float | None
    count: int


def critical_value(count: ArrayLike, alpha: ArrayLike) -> Array:
    """The two-sided critical value of t for `count` blocks; infinite below two."""
    from scipy.special import stdtrit

    degrees = np.asarray(count, dtype=np.float64) - 1
    tail = 1 - np.asarray(alpha, dtype=np.float64) / 2
    value = np.asarray(stdtrit(np.maximum(degrees, 1), tail), dtype=np.float64)
    return np.where(degrees >= 1, value, np.inf)


def mean_interval(values: ArrayLike, level: float) -> Interval:
    """The mean of blocks' values, with Student's t interval over them.

    Args:
        values: one per block, shape (blocks,), all finite.
        level: confidence in (0, 1).
    Raises:
        ValueError: no value at all.
    """
    data = np.asarray(values, dtype=np.float64)
    if data.size == 0:
        raise ValueError("no values to average")
    point = float(data.mean())
    if data.size < 2:
        return Interval(point, None, None, data.size)
    half = float(critical_value(data.size, 1 - level) * data.std(ddof=1) / np.sqrt(data.size))
    return Interval(point, point - half, point + half, data.size)


def geometric_mean_interval(values: ArrayLike, level: float) -> Interval:
    """The geometric mean of blocks' values, with Student's t interval in logs turned back.

    Raises:
        ValueError: no value at all, or one that is not positive.
    """
    data = np.asarray(values, dtype=np.float64)
    if not bool(np.all(data > 0)):
        raise ValueError("a geometric mean needs positive values")
    logs = mean_interval(np.log(data), level)
    low = None if logs.low is None else float(np.exp(logs.low))
    high = None if logs.high is None else float(np.exp(logs.high))
    return Interval(float(np.exp(logs.point)), low, high, logs.count)
