"""Student's t over blocks: looked at once, or again and again where the last look is known beforehand.

A sequence that holds for ever pays for looks that a plan with a largest number of blocks never takes. Repeated looks
have one nominal level each, small enough that all of them together stay at alpha (Pocock's design, for Student's t).
"""

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


def nominal_level(alpha: ArrayLike, first: int, last: ArrayLike) -> Array:
    """The level of each look at which looks after every block from `first` to `last` have the level alpha together.

    The number of independent looks that all of them amount to is 2 + (z² − 1)/2 · ln(last/first), z the two-sided
    normal quantile of the nominal level, and never more than there are looks. That is the chance that a Brownian motion
    which is watched all the time crosses z·√t; blocks are watched at their ends only, so it errs on the wide side.
    Simulated (benchmarks.simulations.boundary): 3.9 to 4.5 % where 5 % are allowed.

    Args:
        alpha: in (0, 1), any shape.
        first, last: numbers of blocks at the first look and at the last; `last` broadcasts with `alpha`.
    Raises:
        ValueError: alpha outside (0, 1), or a last look before the first.
    Source: Siegmund, Sequential Analysis (1985), section 4.3; Pocock 1977.
    """
    from scipy.special import ndtri

    allowed, end = np.broadcast_arrays(np.asarray(alpha, dtype=np.float64), np.asarray(last, dtype=np.float64))
    if not bool(np.all((allowed > 0) & (allowed < 1))):
        raise ValueError(f"alpha must lie between 0 and 1, not {alpha!r}")
    if not bool(np.all(end >= first)):
        raise ValueError(f"the last look, at {last!r} blocks, comes before the first, at {first}")
    level = allowed
    for _ in range(50):  # a contraction: ten rounds are exact to nine digits
        square = np.asarray(ndtri(level / 2), dtype=np.float64) ** 2
        amount = 2 + np.maximum(square - 1, 0) / 2 * np.log(end / first)
        before, level = level, allowed / np.minimum(amount, end - first + 1)
        if np.array_equal(before, level):
            break
    return level


def repeated_critical_value(count: ArrayLike, alpha: ArrayLike, first: int, last: ArrayLike) -> Array:
    """The critical value of t after `count` blocks; infinite below two. `alpha` and `last` broadcast with it."""
    return critical_value(count, nominal_level(alpha, first, last))
