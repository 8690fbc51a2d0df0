"""The anytime-valid interval: it may be looked at after every block, and the chance of a wrong claim stays at alpha.

Source: Wang and Ramdas, 'Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance',
arXiv 2310.03722; the sequence with a Gaussian mixture over the effect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sectax.stats.moments import Array, Counts, running_moments
from sectax.stats.student import repeated_critical_value

# How much the mixture favours large effects. 1 is a little narrower for one comparison, and has no finite interval
# at six blocks for a family of ten.
C_SQUARED = 0.1
# How far off a mode of processes may lie that no block fell into, in logs, whatever margin was asked for: with it a
# family claims no wrong direction of modes up to 5 % apart (docs/method-notes.md, 'Skew and modes').
UNSEEN = 0.055
_JOINED = 1.5


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


def half_width(blocks: ArrayLike, spread: ArrayLike, width: ArrayLike) -> Array:
    """Half-width of an interval in the unit of the spread.

    A spread of zero is a spread unknown, since no real quantity has none: the half-width is infinite.

    Args:
        blocks: number of blocks n, any shape.
        spread: standard deviation over the blocks.
        width: the half-width in units of s/√n, as from `multiplier`.
    """
    n = np.asarray(blocks, dtype=np.float64)
    s = np.asarray(spread, dtype=np.float64)
    return np.asarray(np.where(s > 0, width, np.inf) * (np.where(s > 0, s, 1.0) / np.sqrt(np.maximum(n, 1))))


def guarded_half_width(blocks: ArrayLike, plain: ArrayLike, unseen: ArrayLike, alpha: ArrayLike) -> Array:
    """Half-width that also holds where processes have a second mode, `unseen` off, that no block fell into.

    Blocks that all fell into one mode, or that all missed a long tail, look like those of a quiet process. n blocks
    miss a mode that holds a share q of the processes with chance (1 − q)^n, so shares up to 1 − α^(1/n) cannot be ruled
    out, and the mean may be off by as much times the distance of the modes. Both reaches are joined by a power of 3/2,
    between errors that always add up (1) and independent ones (2): the cheapest of the rules that stay within alpha
    (`benchmarks.simulations.guard`).

    Args:
        plain: the half-width that the spread of the blocks gives.
        unseen: how far such a mode may lie off, in the unit of `plain`; 0 for the plain half-width.
        alpha: error level in (0, 1).
    """
    n = np.maximum(np.asarray(blocks, dtype=np.float64), 1)
    half = np.asarray(plain, dtype=np.float64)
    reach = np.asarray(unseen, dtype=np.float64) * (1 - np.asarray(alpha, dtype=np.float64) ** (1 / n))
    return np.where(reach > 0, (half**_JOINED + reach**_JOINED) ** (1 / _JOINED), half)


@dataclass(frozen=True)
class Sequence:
    """The sequence after every block; every array has shape (rows, blocks).

    `low` and `high` are those of all blocks so far: −∞ and ∞ before the first look. `agreed_low` and `agreed_high` are
    the running intersection, what all looks so far agree on: `agreed_low > agreed_high` where no value does.
    """

    count: Counts
    mean: Array
    spread: Array
    floor: Array
    low: Array
    high: Array
    agreed_low: Array
    agreed_high: Array

    def after_last(self) -> Sequence:
        """After the last block alone; every array has shape (rows,)."""
        return Sequence(*(array[:, -1] for array in vars(self).values()))


def running_sequence(
    differences: Array,
    alpha: ArrayLike,
    *,
    first_look: int,
    last_look: int | None = None,
    reference: Array | None = None,
    least_spread: ArrayLike = 0.0,
    unseen: ArrayLike = 0.0,
) -> Sequence:
    """The confidence sequence of many comparisons at once.

    Args:
        differences: d_j, shape (rows, blocks); NaN where a block has none.
        alpha: error level of each row.
        first_look: the smallest number of blocks whose interval counts.
        last_look: the largest, where it is known beforehand, and the narrower interval of `repeated_looks` with it;
            None for a sequence that may go on for ever. Blocks after it are left out.
        reference: d_j of the negative control, same shape. Its standard deviation over the same blocks is the floor
            of the spread: without it, six blocks that happen to fall into one mode of a process that has two give
            a tiny spread and an interval that misses.
        least_spread: a floor of another kind for each row, such as the resolution of a metric in whole numbers.
        unseen: how far off a mode may lie that no block fell into, for each row (`guarded_half_width`).
    """
    rows = differences.shape[0]
    if last_look is not None:
        # After the last look nothing more is learned.
        number = np.isfinite(differences).cumsum(axis=1)
        differences = np.where(number <= last_look, differences, np.nan)
    count, mean, deviation = running_moments(differences)
    if reference is None:
        floor = np.zeros_like(deviation)
    else:
        shared = np.where(np.isfinite(differences), reference, np.nan)
        _, _, floor = running_moments(shared)
    floor = np.maximum(floor, _column(least_spread, rows))
    spread = np.maximum(deviation, floor)
    level = _column(alpha, rows)

    # Rows share a few levels, and every row counts from nought: one table serves them all.
    levels, which = np.unique(level, return_inverse=True)
    blocks = np.arange(count.max(initial=0) + 1)
    if last_look is None:
        widths = multiplier(blocks, levels[:, None])
    else:
        widths = repeated_critical_value(blocks, levels[:, None], first_look, last_look)
    row = which.reshape(-1, 1)
    half = guarded_half_width(count, half_width(count, spread, widths[row, count]), _column(unseen, rows), level)
    half = np.where(count >= max(2, first_look), half, np.inf)
    low, high = mean - half, mean + half
    return Sequence(
        count=count,
        mean=mean,
        spread=spread,
        floor=floor,
        low=low,
        high=high,
        agreed_low=np.maximum.accumulate(low, axis=1),
        agreed_high=np.minimum.accumulate(high, axis=1),
    )


def _column(values: ArrayLike, rows: int) -> Array:
    return np.broadcast_to(np.asarray(values, dtype=np.float64), (rows,))[:, None]
