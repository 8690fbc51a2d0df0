"""Confidence sequences: intervals valid at all looks together at alpha.

Source: Wang and Ramdas, 'Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance',
arXiv 2310.03722; the sequence with a Gaussian mixture over the effect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sectax.stats.moments import Array, Counts, running_moments
from sectax.stats.student import repeated_critical_value

# Precision of the mixture. 1 is slightly narrower for one comparison, but infinite at six blocks for a family of ten.
C_SQUARED = 0.1
# Assumed distance (log ratio) of a mode that no block hit: protects the direction of claims against modes up to 5 %
# apart (docs/method-notes.md, 'Skew and modes').
UNSEEN = 0.055
_JOINED = 1.5


def multiplier(blocks: ArrayLike, alpha: ArrayLike, c_squared: float = C_SQUARED) -> Array:
    """Half-width of the interval in units of s/√n.

    Args:
        blocks: number of blocks n, any shape.
        alpha: error level in (0, 1), broadcast with `blocks`.
    Returns:
        h·√n/s; infinite below two blocks and if n is too small for this level.
    Raises:
        ValueError: alpha outside (0, 1).
    """
    n = np.asarray(blocks, dtype=np.float64)
    level = np.asarray(alpha, dtype=np.float64)
    if not bool(np.all((level > 0) & (level < 1))):
        raise ValueError(f"alpha must lie between 0 and 1, not {alpha!r}")
    n, level = np.broadcast_arrays(n, level)
    # In logs, since κ overflows for tiny alpha.
    log_r = np.log(c_squared) - np.log(n + c_squared)
    log_kappa = (-2 * np.log(level) - log_r) / np.maximum(n, 1)
    finite = (n >= 2) & (log_kappa + log_r < 0)
    log_kappa = np.where(finite, log_kappa, 0.0)
    numerator = (n - 1) * np.expm1(log_kappa)
    denominator = np.where(finite, -np.expm1(log_kappa + log_r), 1.0)
    return np.where(finite, np.sqrt(np.maximum(numerator, 0.0) / denominator), np.inf)


def half_width(blocks: ArrayLike, spread: ArrayLike, width: ArrayLike) -> Array:
    """Half-width of an interval in the spread's unit; infinite for spread 0.

    Args:
        blocks: number of blocks n, any shape.
        spread: standard deviation over the blocks.
        width: half-width in units of s/√n, as from `multiplier`.
    """
    n = np.asarray(blocks, dtype=np.float64)
    s = np.asarray(spread, dtype=np.float64)
    return np.asarray(np.where(s > 0, width, np.inf) * (np.where(s > 0, s, 1.0) / np.sqrt(np.maximum(n, 1))))


def guarded_half_width(blocks: ArrayLike, plain: ArrayLike, unseen: ArrayLike, alpha: ArrayLike) -> Array:
    """Half-width with a guard for an unseen second mode of processes.

    n blocks miss a mode with share q with probability (1 − q)^n, so shares up to 1 − α^(1/n) cannot be excluded, and
    the mean may be off by that share of the distance. Both errors are combined with a power of 3/2, between full
    addition (1) and independence (2): the narrowest rule that keeps alpha (`benchmarks.simulations.guard`).

    Args:
        plain: half-width from the spread of the blocks.
        unseen: distance of the mode in the unit of `plain`; 0 for no guard.
        alpha: error level in (0, 1).
    """
    n = np.maximum(np.asarray(blocks, dtype=np.float64), 1)
    half = np.asarray(plain, dtype=np.float64)
    reach = np.asarray(unseen, dtype=np.float64) * (1 - np.asarray(alpha, dtype=np.float64) ** (1 / n))
    return np.where(reach > 0, (half**_JOINED + reach**_JOINED) ** (1 / _JOINED), half)


@dataclass(frozen=True)
class Sequence:
    """Intervals after every block; arrays have shape (rows, blocks).

    Attributes:
        low, high: limits from all blocks so far; −∞ and ∞ before the first look.
        agreed_low, agreed_high: running intersection of all looks; empty if `agreed_low > agreed_high`.
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
        """The state after the last block; arrays have shape (rows,)."""
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
    """The confidence sequences of many comparisons.

    Args:
        differences: d_j, shape (rows, blocks); NaN if missing.
        alpha: error level of each row.
        first_look: minimum number of blocks for an interval.
        last_look: maximum number of blocks if planned, for the narrower interval of `repeated_critical_value`; later
            blocks are ignored. None for an unlimited sequence.
        reference: d_j of the negative control, same shape. Its standard deviation over the same blocks is the floor of
            the spread: otherwise six blocks that happen to hit one of two modes give a tiny spread and miss the mean.
        least_spread: additional floor for each row, such as the resolution of a metric.
        unseen: distance of an unseen mode for each row (see `guarded_half_width`).
    """
    rows = differences.shape[0]
    if last_look is not None:
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

    # One table by level and count serves all rows.
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
