"""Diagnostics of raw values in order of time, which are skewed by nature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sectax.stats.batch_shape import best_split
from sectax.stats.diagnostics import autocorrelation_p_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sectax.stats.moments import Array

# Longer series are cut: the first values for autocorrelation, every n-th value otherwise.
MAX_VALUES = 2**17
# Minimum distance of modes in standard deviations; the best split of normal values has 2.7, of exponential ones 3.3.
MODE_DISTANCE = 5.0
# Minimum distance of modes in steps of a coarse clock.
STEPS_APART = 10
# Minimum width of an empty gap ÷ the range of values on either side.
TIMES_THE_RANGE = 5.0
MOST_GAPS = 50


class Modes(NamedTuple):
    """The best split of values in two.

    Attributes:
        slow_share: share of values in the slower part.
        fast, slow: medians of the parts, in logs.
        chance: p-value of the gap between them if there is one mode only.
    """

    slow_share: float
    fast: float
    slow: float
    chance: float


def tie_broken_ranks(values: Array) -> NDArray[np.float64]:
    """Ranks from 0, shape (n,); ties are broken randomly with a fixed seed."""
    n = values.size
    shuffled = np.random.default_rng(0).permutation(n)
    rank = np.empty(n)
    rank[np.lexsort((shuffled, values))] = np.arange(n)
    return rank


def rank_autocorrelation(values: Array) -> tuple[float, float]:
    """The rank autocorrelation of neighbours and its p-value for independent values."""
    rank = tie_broken_ranks(values[:MAX_VALUES])
    around = rank - rank.mean()
    return float((around[1:] * around[:-1]).sum() / (around * around).sum()), autocorrelation_p_value(rank)


def two_modes(logs: Array) -> Modes | None:
    """The two modes of log times, shape (n,), n ≥ 10; None if not separate.

    With one mode, the density between two points is at least the smaller of theirs. So of three bands of equal width,
    at the medians of both parts and half-way, the middle one has at least as many values as the smaller other one,
    up to a binomial error. This is valid for all unimodal distributions, however skewed.
    """
    from scipy.special import bdtr

    data = np.sort(_thinned(logs))
    around = data - data.mean()
    share, separation = best_split(around[None, :], np.array([(around**2).sum()]))
    if separation[0] < MODE_DISTANCE:
        return _split_by_gap(data)
    slow = round(float(share[0]) * data.size)
    centres = float(np.median(data[:-slow])), float(np.median(data[-slow:]))
    gap = centres[1] - centres[0]
    steps = np.diff(data)
    if gap < STEPS_APART * float(steps[steps > 0].min()):
        return None
    bands = [_count_within(data, middle, gap / 6) for middle in (centres[0], centres[0] + gap / 2, centres[1])]
    least = min(bands[0], bands[2])
    chance = float(bdtr(bands[1], bands[1] + least, 0.5)) if least else 1.0
    modes = Modes(float(share[0]), *centres, chance)
    by_gap = _split_by_gap(data)
    return by_gap if by_gap is not None and by_gap.chance < chance else modes


def _split_by_gap(data: Array) -> Modes | None:
    """Modes on both sides of the least likely gap, even if there are more than two.

    With one mode, an empty gap between two bands of its width with k values or more each has probability 2^-k, times
    the number of gaps. Two or more close values far from all others also count as a mode: a unimodal distribution with
    a falling tail rarely leaves five times the others' range empty and then has two values within a fifth of that.
    """
    gaps = np.diff(data)
    steps = gaps[gaps > 0]
    if not steps.size:
        return None
    wide = np.flatnonzero(gaps >= STEPS_APART * float(steps.min()))
    if not wide.size:
        return None
    # Only the widest gaps, to save time with long series.
    wide = wide[np.argsort(gaps[wide])[-MOST_GAPS:]]
    width = gaps[wide]
    left = wide + 1 - np.searchsorted(data, data[wide] - width, side="right")
    right = np.searchsorted(data, data[wide + 1] + width, side="left") - (wide + 1)
    least = np.minimum(left, right)
    chances = np.minimum(1.0, data.size * 0.5 ** np.minimum(least, 1000))
    close = (
        (data.size - 1 - wide >= 2)
        & (width >= TIMES_THE_RANGE * (data[wide] - data[0]))
        & (width >= TIMES_THE_RANGE * (data[-1] - data[wide + 1]))
    )
    chances = np.where(close, 0.0, chances)
    at = int(np.argmin(chances))
    cut = int(wide[at]) + 1
    return Modes(
        (data.size - cut) / data.size, float(np.median(data[:cut])), float(np.median(data[cut:])), float(chances[at])
    )


def _count_within(ordered: Array, middle: float, reach: float) -> int:
    low, high = np.searchsorted(ordered, (middle - reach, middle + reach))
    return int(high - low)


def _thinned(values: Array) -> Array:
    return values[:: -(-values.size // MAX_VALUES)]


# P-value thresholds at which significant series are counted.
_COUNTED = (0.01, 0.05)


def significant_series(chances: Sequence[float], alpha: float) -> set[int]:
    """Which p-values are significant with family-wise error level *alpha*.

    Half of alpha goes to the smallest values (Simes; Benjamini and Hochberg, 1995), half to the number of values below
    1 % and 5 %: one of forty series at 0.5 % may be chance, six are not.
    """
    from scipy.special import bdtrc

    n = len(chances)
    if not n:
        return set()
    alone = alpha if n == 1 else alpha / 2
    ordered = sorted(range(n), key=lambda at: chances[at])
    below = [rank for rank, at in enumerate(ordered, 1) if chances[at] <= alone * rank / n]
    far = set(ordered[: max(below, default=0)])
    for limit in _COUNTED if n > 1 else ():
        unlikely = [at for at in range(n) if chances[at] <= limit]
        if len(unlikely) > 1 and float(bdtrc(len(unlikely) - 1, n, limit)) <= alpha / 2 / len(_COUNTED):
            far.update(unlikely)
    return far
