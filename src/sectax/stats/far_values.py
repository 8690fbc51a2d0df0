"""What is beyond chance among many series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass

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
    found = set(ordered[: max(below, default=0)])
    for limit in _COUNTED if n > 1 else ():
        under = [at for at in range(n) if chances[at] <= limit]
        if len(under) > 1 and float(bdtrc(len(under) - 1, n, limit)) <= alpha / 2 / len(_COUNTED):
            found.update(under)
    return found
