"""What an open comparison still needs: blocks, or a wider margin.

Effect and spread are not known yet, so the answer is drawn from all that they may be: for each of `DRAWS` equally
likely pairs, the block at which the comparison would be decided. A number of blocks is said only where most of these
lie within a factor of two of their middle. Elsewhere, as where the effect lies near the margin, nobody can say, and
the margin that will be resolved is the better answer: it can be predicted.
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

# Beyond so many blocks nobody waits; then only the margin is named.
FARTHEST = 1000
_GRID: NDArray[np.int64] = np.unique(np.round(np.geomspace(FIRST_LOOK, FARTHEST, 90)).astype(np.int64))

# Equally likely values: the middles of five fifths of what the effect may be, and of three thirds of the spread.
_EFFECTS = (0.1, 0.3, 0.5, 0.7, 0.9)
_SPREADS = (1 / 6, 1 / 2, 5 / 6)
DRAWS = len(_EFFECTS) * len(_SPREADS)
# So many draws must agree, within a factor of two, before a number of blocks is said, and the range is that of the
# middle eleven. The fewest at which the blocks still needed come out within a factor of two in four of five cases
# (`benchmarks.simulations.needed`; with 9 they do in 77 %).
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


def blocks_needed(still: UndecidedRows, margin: float, last_look: int) -> list[tuple[int, int] | None]:
    """How many more blocks a verdict may take, as a range (fewest, most) for each row.

    Beyond the plan's last look the number is that of a run which was planned to be so long.

    Returns:
        None for a row of which nobody can say: whose effect may as well equal the margin, whose spread is not known, or
        which may need more than `FARTHEST` blocks.
    """
    if still.count.size == 0:
        return []
    more = np.sort(_decided_after(still, margin, last_look), axis=1) - still.count[:, None]
    middle = more[:, DRAWS // 2]
    agreeing = ((more >= middle[:, None] / 2) & (more <= 2 * middle[:, None])).sum(axis=1)
    sure = np.isfinite(more[:, -1 - _OUTER]) & (agreeing >= AGREEING) & (still.spread > 0)
    return [
        (int(more[row, _OUTER]), int(more[row, -1 - _OUTER])) if sure[row] else None for row in range(still.count.size)
    ]


def margins_in_reach(still: UndecidedRows, end: int, last_look: int) -> Array:
    """The margin, as a log ratio, at which each row would be decided by block `end` if things go on as they seem.

    Infinite where the spread is not known; shape (rows,).
    """
    blocks = np.maximum(still.count, end)
    widths = [_widths(alpha, last_look, (int(n),))[0] for alpha, n in zip(still.alpha.tolist(), blocks, strict=True)]
    half = guarded_half_width(blocks, half_width(blocks, still.spread, widths), still.unseen, still.alpha)
    half = half + still.widened
    return np.abs(still.mean) + half


def conclusive(low: Array, high: Array, margin: float) -> NDArray[np.bool_]:
    """Whether an interval lies wholly beyond the margin, or wholly within it: the verdicts that are not left open."""
    material = np.log1p(margin)
    beyond = (low >= material) | (high <= -material)
    return np.asarray(beyond | ((low > -material) & (high < material)), dtype=np.bool_)


def _decided_after(still: UndecidedRows, margin: float, last_look: int) -> Array:
    """The block at which each row would be decided, shape (rows, draws); infinite beyond the grid."""
    effect, spread = _draws(still)
    widths = np.array([_widths(alpha, last_look, tuple(_GRID.tolist())) for alpha in still.alpha.tolist()])
    plain = half_width(_GRID, spread[:, :, None], widths[:, None, :])
    half = guarded_half_width(_GRID, plain, still.unseen[:, None, None], still.alpha[:, None, None])
    half = half + still.widened[:, None, None]
    # How far the mean may have moved by then, where nothing is known of the effect but these blocks.
    now = np.maximum(still.count, 1)[:, None]
    moved = np.sqrt(np.maximum(1 / now - 1 / _GRID, 0.0))[:, None, :]
    mean = still.mean[:, None, None] + (effect * spread)[:, :, None] * moved
    decided = conclusive(mean - half, mean + half, margin) & (still.count[:, None] < _GRID)[:, None, :]
    return np.where(decided.any(axis=2), _GRID[np.argmax(decided, axis=2)], np.inf)


def _draws(still: UndecidedRows) -> tuple[Array, Array]:
    """Equally likely pairs, shape (rows, draws) each: standard normal steps of the mean, and spreads (inverse chi)."""
    from scipy.special import chdtri, ndtri

    degrees = np.maximum(still.count - 1, 1)[:, None]
    # chdtri gives the value that a chi-square exceeds with the given chance.
    spread = still.spread[:, None] * np.sqrt(degrees / chdtri(degrees, 1 - np.array(_SPREADS)))
    steps = np.tile(np.asarray(ndtri(np.array(_EFFECTS)), dtype=np.float64), (still.count.size, len(_SPREADS)))
    return steps, np.repeat(spread, len(_EFFECTS), axis=1)


@lru_cache(maxsize=256)
def _widths(alpha: float, last_look: int, blocks: tuple[int, ...]) -> Array:
    """Half-widths in units of s/√n after these numbers of blocks."""
    n = np.array(blocks)
    return repeated_critical_value(n, alpha, FIRST_LOOK, np.maximum(n, last_look))
