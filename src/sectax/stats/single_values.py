"""Diagnostics of single values in the order in which they were taken: raw times, which are skewed by nature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sectax.stats.batch_shape import best_split
from sectax.stats.diagnostics import neighbours_alike

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sectax.stats.moments import Array
if TYPE_CHECKING:
    pass

# Of more, a part shows the same: neighbours from the beginning, anything else from one value in so many.
MOST_LOOKED_AT = 2**17
# Two parts so many standard deviations apart may be modes. A normal sample is cut at 2.7, an exponential one at 3.3.
APART = 5.0
# Modes this many steps of a coarse clock apart are no neighbouring ticks of it.
STEPS_APART = 10
# So many times the range of the values on either side, empty between them.
TIMES_THE_RANGE = 5.0
MOST_GAPS = 50


class Modes(NamedTuple):
    """The best cut of values in two.

    Attributes:
        slow_share: of the values, in the slower part.
        fast, slow: medians of the parts, in logs.
        chance: of so empty a gap between them, where there is one mode only.
    """

    slow_share: float
    fast: float
    slow: float
    chance: float


def fair_ranks(values: Array) -> NDArray[np.float64]:
    """Ranks from 0 in the given order, shape (n,). Ties are broken without regard to it, and always in the same way."""
    n = values.size
    shuffled = np.random.default_rng(0).permutation(n)
    rank = np.empty(n)
    rank[np.lexsort((shuffled, values))] = np.arange(n)
    return rank


def resembling_neighbours(values: Array) -> tuple[float, float]:
    """The correlation of the ranks of neighbours, and the chance of it where values are independent."""
    rank = fair_ranks(values[:MOST_LOOKED_AT])
    around = rank - rank.mean()
    return float((around[1:] * around[:-1]).sum() / (around * around).sum()), neighbours_alike(rank)


def two_modes(logs: Array) -> Modes | None:
    """The two modes of log times, shape (n,) with n of at least 10; None where the best cut parts no modes.

    Where there is one mode, the density between two places is nowhere below that at both of them. So of three bands of
    equal width, in the middle of the fast part, half-way, and in the middle of the slow part, the second holds no fewer
    than the lesser of the others, but for chance; that is a binomial of one half. It holds for any distribution with
    one mode, however skewed.
    """
    from scipy.special import bdtr

    data = np.sort(_part(logs))
    around = data - data.mean()
    share, separation = best_split(around[None, :], np.array([(around**2).sum()]))
    if separation[0] < APART:
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
    """Modes on both sides of the gap that is the least likely, among three of them or more too.

    Where there is one mode, a band beside a gap that holds fewer values than the one on its other side holds no fewer
    than the gap, but for chance: an empty gap between two bands of its width with k values or more has a chance of
    2^-k, times the gaps that were looked at. Two to k values that lie close together and far from all others are no
    chance either: a distribution with one mode and a tail that falls seldom leaves five times the range of the others
    empty, and then puts two values within a fifth of that.
    """
    gaps = np.diff(data)
    steps = gaps[gaps > 0]
    if not steps.size:
        return None
    wide = np.flatnonzero(gaps >= STEPS_APART * float(steps.min()))
    if not wide.size:
        return None
    # The widest gaps show the modes; the others of long values would only take time.
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


def _part(values: Array) -> Array:
    return values[:: -(-values.size // MOST_LOOKED_AT)]


# With this chance or a larger one each, what some of many series show is counted.
_COUNTED = (0.01, 0.05)


def beyond_chance(chances: Sequence[float], alpha: float) -> set[int]:
    """Which of many chances are too small to be chance, so that anything at all is called so with chance *alpha*.

    Half of it goes to the smallest ones (Simes; Benjamini and Hochberg, 1995), the rest to the number of them below one
    in a hundred, and one in twenty: one of forty series that is 1 in 200 is chance, and six of them are not.
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
