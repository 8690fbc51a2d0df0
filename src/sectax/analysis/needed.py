"""Predict what an undecided comparison needs: more blocks, or a wider margin.

Effect and spread are uncertain, so compute the deciding block for `DRAWS` equally likely pairs of them. A number of
blocks is given only if most draws are within a factor of two of their median. Otherwise, for example if the effect is
close to the margin, only the margin that the budget can decide is predictable.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sectax.model.plan import FIRST_LOOK
from sectax.stats.confidence_sequence import guarded_half_width, half_width
from sectax.stats.moments import Array
from sectax.stats.student import repeated_critical_value

# Beyond this number of blocks only the margin is given.
FARTHEST = 1000
_GRID: NDArray[np.int64] = np.unique(np.round(np.geomspace(FIRST_LOOK, FARTHEST, 90)).astype(np.int64))

# Equally likely quantiles: midpoints of five fifths for the effect and of three thirds for the spread.
_EFFECTS = (0.1, 0.3, 0.5, 0.7, 0.9)
_SPREADS = (1 / 6, 1 / 2, 5 / 6)
DRAWS = len(_EFFECTS) * len(_SPREADS)
# Draws that must agree within a factor of two; the range is that of the middle eleven. The minimum at which predictions
# are right within a factor of two in 80 % of cases (`benchmarks.simulations.needed`; 77 % with 9).
AGREEING = 10
_OUTER = 2


@dataclass(frozen=True)
class UndecidedRows:
    """Comparisons without a verdict; every array has shape (rows,)."""

    count: NDArray[np.int64]
    mean: Array
    spread: Array
    alpha: Array
    unseen: Array
    widened: Array


def blocks_needed(rows: UndecidedRows, margin: float, last_look: int) -> list[tuple[int, int] | None]:
    """The fewest and most further blocks that a verdict may take, for each row.

    Beyond the plan's last look, of a run planned for that length.

    Returns:
        None if unpredictable: the effect may equal the margin, the spread is unknown, or more than `FARTHEST` blocks
        may be needed.
    """
    if rows.count.size == 0:
        return []
    more = np.sort(_deciding_block(rows, margin, last_look), axis=1) - rows.count[:, None]
    middle = more[:, DRAWS // 2]
    agreeing = ((more >= middle[:, None] / 2) & (more <= 2 * middle[:, None])).sum(axis=1)
    sure = np.isfinite(more[:, -1 - _OUTER]) & (agreeing >= AGREEING) & (rows.spread > 0)
    return [
        (int(more[row, _OUTER]), int(more[row, -1 - _OUTER])) if sure[row] else None for row in range(rows.count.size)
    ]


def margins_in_reach(rows: UndecidedRows, end: int, last_look: int) -> Array:
    """The margin (log ratio) that would probably decide each row at block `end`.

    Infinite if the spread is unknown.
    """
    blocks = np.maximum(rows.count, end)
    widths = [_widths(alpha, last_look, (int(n),))[0] for alpha, n in zip(rows.alpha.tolist(), blocks, strict=True)]
    half = guarded_half_width(blocks, half_width(blocks, rows.spread, widths), rows.unseen, rows.alpha)
    half = half + rows.widened
    return np.abs(rows.mean) + half


def conclusive(low: Array, high: Array, margin: float) -> NDArray[np.bool_]:
    """Whether an interval is entirely beyond or entirely within the margin."""
    material = np.log1p(margin)
    beyond = (low >= material) | (high <= -material)
    return np.asarray(beyond | ((low > -material) & (high < material)), dtype=np.bool_)


def _deciding_block(rows: UndecidedRows, margin: float, last_look: int) -> Array:
    """The deciding block, shape (rows, draws); infinite beyond the grid."""
    effect, spread = _draws(rows)
    widths = np.array([_widths(alpha, last_look, tuple(_GRID.tolist())) for alpha in rows.alpha.tolist()])
    plain = half_width(_GRID, spread[:, :, None], widths[:, None, :])
    half = guarded_half_width(_GRID, plain, rows.unseen[:, None, None], rows.alpha[:, None, None])
    half = half + rows.widened[:, None, None]
    # How far the mean may have moved by then, given only the blocks so far.
    now = np.maximum(rows.count, 1)[:, None]
    moved = np.sqrt(np.maximum(1 / now - 1 / _GRID, 0.0))[:, None, :]
    mean = rows.mean[:, None, None] + (effect * spread)[:, :, None] * moved
    decided = conclusive(mean - half, mean + half, margin) & (rows.count[:, None] < _GRID)[:, None, :]
    return np.where(decided.any(axis=2), _GRID[np.argmax(decided, axis=2)], np.inf)


def _draws(rows: UndecidedRows) -> tuple[Array, Array]:
    """Equally likely normal steps and inverse-chi spreads, shape (rows, draws) each."""
    from scipy.special import chdtri, ndtri

    degrees = np.maximum(rows.count - 1, 1)[:, None]
    # chdtri(df, p) is the chi-square quantile with upper tail probability p.
    spread = rows.spread[:, None] * np.sqrt(degrees / chdtri(degrees, 1 - np.array(_SPREADS)))
    steps = np.tile(np.asarray(ndtri(np.array(_EFFECTS)), dtype=np.float64), (rows.count.size, len(_SPREADS)))
    return steps, np.repeat(spread, len(_EFFECTS), axis=1)


@lru_cache(maxsize=256)
def _widths(alpha: float, last_look: int, blocks: tuple[int, ...]) -> Array:
    """Half-widths in units of s/√n after these numbers of blocks."""
    n = np.array(blocks)
    return repeated_critical_value(n, alpha, FIRST_LOOK, np.maximum(n, last_look))
