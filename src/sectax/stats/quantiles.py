"""Quantiles with intervals from order statistics, pooled over blocks too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sectax.stats.moments import Array
from sectax.stats.student import PointInterval, critical_value

# Rare slow blocks are often missed: with one slow block in ten, intervals of p99 from six blocks were always wrong
# (docs/method-notes.md, 'Tail quantiles').
BLOCKS_OF_A_TAIL = 20
_TAIL = 0.9


@dataclass(frozen=True)
class PooledQuantile:
    """A quantile of all observations of a run, in their unit.

    Attributes:
        low, high: interval; None with fewer than `needed` independent observations or `blocks_needed` blocks.
        count: number of observations.
        effective: equivalent number of independent observations, given the correlation within blocks.
        needed: independent observations that an interval needs.
        blocks, blocks_needed: number of blocks, and number that an interval needs.
    """

    point: float
    low: float | None
    high: float | None
    count: int
    effective: float
    needed: int
    blocks: int
    blocks_needed: int


def observations_needed(quantile: float, level: float = 0.95) -> int:
    """The observations needed for a finite two-sided interval of a quantile.

    The sample's minimum and maximum miss the quantile with probability (1−q)^n and q^n, each at most half of the error
    level. At 95 %: 6 for the median, 36 for p90, 72 for p95, 368 for p99.
    """
    if not (0 < quantile < 1 and 0 < level < 1):
        raise ValueError(f"quantile {quantile} and level {level} must lie between 0 and 1")
    tail = (1 - level) / 2
    return max(1, math.ceil(math.log(tail) / math.log(max(quantile, 1 - quantile)) - 1e-12))


def order_statistics_interval(values: ArrayLike, quantile: float = 0.5, level: float = 0.95) -> PointInterval:
    """A quantile with an interval from order statistics of independent values.

    Args:
        values: shape (n,), finite; ties make the interval conservative.
    Returns:
        The sample quantile; limits are None if n is below `observations_needed`.
    Raises:
        ValueError: empty values.
    Source: Conover, Practical Nonparametric Statistics, section 3.2.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if ordered.size == 0:
        raise ValueError("no values to take a quantile of")
    low, high = quantile_limits(ordered, ordered.size, quantile, level) or (None, None)
    return PointInterval(float(np.quantile(ordered, quantile)), low, high, ordered.size)


def pooled_quantile(blocks: Sequence[ArrayLike], quantile: float, level: float = 0.95) -> PooledQuantile:
    """A quantile of all blocks' observations, with a clustered interval.

    Every observation has the same weight. The effective number of observations is the smallest at the quantile and at
    both limits of the interval: if blocks are skewed, clustering may be visible only at a limit.

    Args:
        blocks: observations of each block, shapes (m_j,), finite; may be empty. Blocks must be independent of each
            other, observations within a block need not be.
    Raises:
        ValueError: empty values, or a quantile or level outside (0, 1).
    Source: Woodruff, Confidence intervals for medians and other position measures, JASA 47 (1952); with the effective
        number of observations in an exact binomial, Korn and Graubard, Survey Methodology 24 (1998). Simulated in
        benchmarks/simulations/tails.py.
    """
    needed = observations_needed(quantile, level)
    present = [block for block in (np.asarray(block, dtype=np.float64) for block in blocks) if block.size]
    if not present:
        raise ValueError("no values to take a quantile of")
    sizes = np.array([block.size for block in present], dtype=np.float64)
    pool = np.concatenate(present)
    ordered = np.sort(pool)
    point = float(np.quantile(ordered, quantile))
    effective = _effective(pool, sizes, (point,), level)
    limits = quantile_limits(ordered, effective, quantile, level)
    if limits is not None:
        effective = min(effective, _effective(pool, sizes, limits, level))
        limits = quantile_limits(ordered, effective, quantile, level)
    blocks_needed = BLOCKS_OF_A_TAIL if max(quantile, 1 - quantile) >= _TAIL else 1
    low, high = limits if limits is not None and len(present) >= blocks_needed else (None, None)
    return PooledQuantile(point, low, high, pool.size, effective, needed, len(present), blocks_needed)


def quantile_limits(ordered: Array, effective: float, quantile: float, level: float) -> tuple[float, float] | None:
    """The order statistics around a quantile for `effective` observations.

    Binomial ranks among `effective` values are scaled to all values (rank r has the expected level r/(effective + 1))
    and rounded outward. With `effective` = n these are the usual ranks.

    Args:
        ordered: ascending, shape (n,), n ≥ `effective`.
        effective: need not be an integer.
    Returns:
        None if `effective` is below `observations_needed`.
    """
    from scipy.special import bdtrik

    if effective < observations_needed(quantile, level):
        return None
    tail = (1 - level) / 2
    # k with P(at most k values below the quantile) = tail; the limit is the next rank.
    below, above = (float(bdtrik(chance, effective, quantile)) for chance in (tail, 1 - tail))
    scale = (ordered.size + 1) / (effective + 1)
    lower = max(math.floor((below + 1) * scale), 1)
    upper = min(math.ceil((above + 1) * scale), ordered.size)
    return float(ordered[lower - 1]), float(ordered[upper - 1])


def design_effect(events: Array, sizes: Array, inflation: float = 1.0) -> float:
    """The design effect: observations per independent observation.

    1 + (m − 1)·ICC, with the intraclass correlation from one-way analysis of variance (at least 0) and m the
    observation-weighted mean size of blocks, Σm²/Σm.

    Args:
        events: number of events in each block, shape (blocks,), at least two blocks; neither zero nor all in total.
        sizes: observations of each block, shape (blocks,), at least one each.
        inflation: factor for the variance between blocks if there are few.
    Returns:
        From 1 to m.
    Source: Kish, Survey Sampling (1965), sections 5.4 and 8.2; Donner, International Statistical Review 54 (1986).
    """
    count, blocks = float(sizes.sum()), sizes.size
    typical = float((sizes**2).sum()) / count
    adjusted = (count - typical) / (blocks - 1)  # m of the analysis of variance; equals `typical` for equal sizes
    shares = events / sizes
    between = inflation * float((sizes * (shares - events.sum() / count) ** 2).sum()) / (blocks - 1)
    within = float((events * (1 - shares)).sum()) / max(count - blocks, 1)
    correlation = (between - within) / (between + (adjusted - 1) * within)
    return 1 + (typical - 1) * max(correlation, 0.0)


def few_blocks_inflation(blocks: int, level: float) -> float:
    """The squared ratio of Student's t to the normal, for few blocks."""
    from scipy.special import ndtri

    return (float(critical_value(blocks, 1 - level)) / float(ndtri((1 + level) / 2))) ** 2


def _effective(pool: Array, sizes: Array, thresholds: Sequence[float], level: float) -> float:
    """The effective number of independent observations: the least of thresholds."""
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
    # Count ties with a threshold on both sides.
    sides = [side for threshold in thresholds for side in (pool > threshold, pool >= threshold)]
    counts = [np.add.reduceat(side, starts, dtype=np.float64) for side in sides if side.any() and not side.all()]
    if sizes.size < 2 or not counts:
        # Differences between blocks are unknown, so each counts once.
        return float(sizes.sum() ** 2 / (sizes**2).sum())
    inflation = few_blocks_inflation(sizes.size, level)
    return pool.size / max(design_effect(events, sizes, inflation) for events in counts)
