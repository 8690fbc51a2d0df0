"""The anytime-valid interval: it may be looked at after every block, and the chance of a wrong claim stays at alpha.

Source: Wang and Ramdas, 'Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance',
arXiv 2310.03722; the sequence with a Gaussian mixture over the effect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sectax.stats.moments import Array, Counts, running_moments

# How much the mixture favours large effects. 1 is a little narrower for one comparison, and has no finite interval
# at six blocks for a family of ten.
C_SQUARED = 0.1


def multiplier(blocks: ArrayLike, alpha: ArrayLike, c_squared: float = C_SQUARED) -> Array:
    """Half-width of the interval in units of s/√n.

    Args:
        blocks: number of blocks n, any shape.
        alpha: error level in (0, 1), of a shape that broadcasts with it.
    Returns:
        h·√n/s; infinite below two blocks and wherever so few blocks allow no interval of this level.
    Raises:
        ValueError: alpha outside (0, 1).
    """
    n = np.asarray(blocks, dtype=np.float64)
    level = np.asarray(alpha, dtype=np.float64)
    if not bool(np.all((level > 0) & (level < 1))):
        raise ValueError(f"alpha must lie between 0 and 1, not {alpha!r}")
    n, level = np.broadcast_arrays(n, level)
    # In logs throughout: for a tiny alpha κ leaves the range of a float long before the half-width does.
    log_r = np.log(c_squared) - np.log(n + c_squared)
    log_kappa = (-2 * np.log(level) - log_r) / np.maximum(n, 1)
    finite = (n >= 2) & (log_kappa + log_r < 0)
    log_kappa = np.where(finite, log_kappa, 0.0)
    numerator = (n - 1) * np.expm1(log_kappa)
    denominator = np.where(finite, -np.expm1(log_kappa + log_r), 1.0)
    return np.where(finite, np.sqrt(np.maximum(numerator, 0.0) / denominator), np.inf)


def half_width(blocks: ArrayLike, spread: ArrayLike, alpha: ArrayLike) -> Array:
    """h_n for a standard deviation `spread` over `blocks` blocks, in the unit of the spread.

    A spread of zero is a spread unknown, since no real quantity has none: the half-width is infinite.
    """
    n = np.asarray(blocks, dtype=np.float64)
    s = np.asarray(spread, dtype=np.float64)
    scale = np.where(s > 0, s, np.inf) / np.sqrt(np.maximum(n, 1))
    return multiplier(n, alpha) * scale


@dataclass(frozen=True)
class Sequence:
    """The sequence after every block; every array has shape (rows, blocks).

    `low` and `high` are running intersections: −∞ and ∞ before the first look, and `low > high` where no value of
    the effect agrees with all that was seen.
    """

    count: Counts
    mean: Array
    spread: Array
    floor: Array
    low: Array
    high: Array


def running_sequence(
    differences: Array,
    alpha: ArrayLike,
    *,
    first_look: int,
    reference: Array | None = None,
    least_spread: ArrayLike = 0.0,
) -> Sequence:
    """The confidence sequence of many comparisons at once.

    Args:
        differences: d_j, shape (rows, blocks); NaN where a block has none.
        alpha: error level of each row.
        first_look: the smallest number of blocks whose interval counts.
        reference: d_j of the negative control, same shape. Its standard deviation over the same blocks is the floor
            of the spread: without it, six blocks that happen to fall into one mode of a process that has two give
            a tiny spread and an interval that misses.
        least_spread: a floor of another kind for each row, such as the resolution of a metric in whole numbers.
    """
    rows = differences.shape[0]
    count, mean, deviation = running_moments(differences)
    if reference is None:
        floor = np.zeros_like(deviation)
    else:
        shared = np.where(np.isfinite(differences), reference, np.nan)
        _, _, floor = running_moments(shared)
    floor = np.maximum(floor, np.broadcast_to(np.asarray(least_spread, dtype=np.float64), (rows,))[:, None])
    spread = np.maximum(deviation, floor)
    level = np.broadcast_to(np.asarray(alpha, dtype=np.float64), (rows,))[:, None]
    half = np.where(count >= max(2, first_look), half_width(count, spread, level), np.inf)
    return Sequence(
        count=count,
        mean=mean,
        spread=spread,
        floor=floor,
        low=np.maximum.accumulate(mean - half, axis=1),
        high=np.minimum.accumulate(mean + half, axis=1),
    )
