"""What an open comparison still needs: blocks, or a wider margin.

The projection takes the effect and the spread for what they now seem to be, and one standard error, or the middle 80 %
of what the spread may be, to either side of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sectax.stats.confidence_sequence import multiplier
from sectax.stats.moments import Array

# Beyond so many blocks nobody waits; then only the smallest margin is named.
FARTHEST = 1000
_GRID: NDArray[np.int64] = np.unique(np.round(np.geomspace(2, FARTHEST, 160)).astype(np.int64))


@lru_cache(maxsize=64)
def _relative_half_widths(alpha: float) -> Array:
    return multiplier(_GRID, alpha) / np.sqrt(_GRID)


@dataclass(frozen=True)
class Open:
    """Comparisons without a verdict; every array has shape (rows,)."""

    count: NDArray[np.int64]
    mean: Array
    spread: Array
    low: Array
    high: Array
    alpha: Array


def blocks_needed(still: Open, margin: float) -> list[tuple[int, int] | None]:
    """How many more blocks a verdict may take, as a range (fewest, most) for each row.

    Returns:
        None for a row whose likeliest number is beyond `FARTHEST` blocks, as where the effect equals the margin, or
        whose spread is not known; `most` is at most `FARTHEST` blocks in all.
    """
    from scipy.special import chdtri

    rows = still.count.size
    if rows == 0:
        return []
    known = still.spread > 0
    spread_now = np.where(known, still.spread, 1.0)
    degrees = np.maximum(still.count - 1, 1)
    # chdtri gives the value that a chi-square exceeds with the given chance.
    wider = np.sqrt(degrees / chdtri(degrees, 0.9))
    narrower = np.sqrt(degrees / chdtri(degrees, 0.1))
    error = spread_now / np.sqrt(np.maximum(still.count, 1))
    halves = np.array([_relative_half_widths(alpha) for alpha in still.alpha.tolist()])

    def blocks(mean: Array, spread: Array) -> Array:
        half = halves * spread[:, None]
        low = np.maximum(still.low[:, None], mean[:, None] - half)
        high = np.minimum(still.high[:, None], mean[:, None] + half)
        later = still.count[:, None] < _GRID[None, :]
        done = conclusive(low, high, margin) & later
        first = np.argmax(done, axis=1)
        return np.where(done.any(axis=1), _GRID[first], np.inf)

    likely = blocks(still.mean, spread_now)
    possible = np.array(
        [
            blocks(still.mean + shift * error, spread_now * factor)
            for shift, factor in ((-1, 1), (1, 1), (0, narrower), (0, wider), (0, 1))
        ]
    )
    fewest, most = possible.min(axis=0), np.minimum(possible.max(axis=0), FARTHEST)
    return [
        (int(fewest[row] - still.count[row]), int(most[row] - still.count[row]))
        if np.isfinite(likely[row]) and known[row]
        else None
        for row in range(rows)
    ]


def conclusive(low: Array, high: Array, margin: float) -> NDArray[np.bool_]:
    """Whether an interval lies wholly beyond the margin, or wholly within it: the verdicts that are not left open."""
    material = np.log1p(margin)
    beyond = (low >= material) | (high <= -material)
    return np.asarray(beyond | ((low > -material) & (high < material)), dtype=np.bool_)
