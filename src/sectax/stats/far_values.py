"""First values that stand apart from all later ones, and what of it chance explains.

All chances hold for independent values of any distribution whose tail is no heavier than a power law's: in logs that
tail is exponential, and with n values in falling order the gaps i (x_i - x_(i+1)) are then independent and alike
(Rényi, 1953). A shorter tail, such as a normal or a log-normal one, has smaller gaps at its end than these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from sectax.stats.moments import Array

# Of many values so many are looked at.
_MOST_LOOKED_AT = 50
# Of the values, that the beginning can be: of more of them the rest is the end.
_BEGINNING = 1 / 2
# Gaps below the one that is looked at, at the least: fewer show no scale.
_FEWEST_GAPS = 3
# With this chance or a larger one each, what some of many series show is counted.
_COUNTED = (0.01, 0.05)


def _shared(most: int) -> Array:
    """By what the chances of one value, two, and so on are multiplied, so that together they keep the limit of one.

    The reciprocals of k (k + 1) make 1: few values are looked for first.
    """
    k = np.arange(1.0, most + 1)
    return np.asarray(k * (k + 1))


def _chances(ordered: Array, most: int, step: float) -> Array:
    """Of falling values: the chance of a gap as wide as that behind the first, the first two, and so on."""
    n = ordered.size
    last = min(n - 1, max(n // 2 + 1, most + _FEWEST_GAPS))
    gaps = np.arange(1, last + 1) * np.maximum(ordered[:last] - ordered[1 : last + 1], 0.0)
    # What stands behind each of the first gaps, in all and in number.
    behind = np.cumsum((gaps + step)[::-1])[::-1][1 : most + 1]
    number = last - np.arange(1, most + 1)
    with np.errstate(divide="ignore"):
        ratio = np.where(behind > 0, gaps[:most] / np.maximum(behind, 1e-300), 0.0)
    return np.asarray((1 + ratio) ** -number)


class Beginning(NamedTuple):
    """First values that are all larger, or all smaller, than every later one.

    Attributes:
        number: how many they are.
        excess: the difference between their middle and that of the rest, in logs.
        chance: of it, where the order means nothing.
    """

    number: int
    excess: float
    chance: float


def apart_at_the_beginning(logs: Array, step: float = 0.0) -> Beginning | None:
    """The least likely beginning of values, shape (n,) with n of at least 5; None where none stands apart.

    In which order values come is independent of how they lie. So the chance that the first k are the largest k, one in
    the number of ways to choose k, times that of the gap behind them is what is held against the limit; and the first k
    in falling order above all others have a chance of one in the number of their arrangements.
    """
    found = [beginning for sign in (1.0, -1.0) if (beginning := _high_beginning(sign * logs, step)) is not None]
    if not found:
        return None
    best = min(found, key=lambda beginning: beginning.chance)
    excess = float(np.median(logs[: best.number]) - np.median(logs[best.number :]))
    # There are two directions.
    return Beginning(best.number, excess, min(1.0, 2 * best.chance))


def _high_beginning(logs: Array, step: float) -> Beginning | None:
    n = logs.size
    most = max(1, min(_MOST_LOOKED_AT, int(_BEGINNING * n)))
    lowest = np.minimum.accumulate(logs[:most])
    highest_later = np.maximum.accumulate(logs[::-1])[::-1][1 : most + 1]
    apart = np.flatnonzero(lowest > highest_later)
    if not apart.size:
        return None
    shared = np.log(_shared(most))
    gaps = np.log(_chances(np.sort(logs)[::-1], most, step))
    falling = np.concatenate([[True], np.diff(logs[:most]) < 0])
    run = int(np.argmin(falling)) if not falling.all() else most
    ways = [_log_choose(n, int(at) + 1) for at in apart]
    chances = [float(gaps[at]) - way for at, way in zip(apart, ways, strict=True)]
    ordered = [math.lgamma(n - at) - math.lgamma(n + 1) if 3 <= at + 1 <= run else 0.0 for at in map(int, apart)]
    # Order and gap are independent, so that the chance of both is their product.
    both = [float(gaps[at]) + order if order else 0.0 for at, order in zip(apart, ordered, strict=True)]
    best = [min(of) + float(shared[at]) for at, *of in zip(apart, chances, ordered, both, strict=True)]
    at = int(np.argmin(best))
    return Beginning(int(apart[at]) + 1, 0.0, math.exp(best[at]))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


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
    found = set(ordered[: max(below, default=0)])
    for limit in _COUNTED if n > 1 else ():
        under = [at for at in range(n) if chances[at] <= limit]
        if len(under) > 1 and float(bdtrc(len(under) - 1, n, limit)) <= alpha / 2 / len(_COUNTED):
            found.update(under)
    return found
