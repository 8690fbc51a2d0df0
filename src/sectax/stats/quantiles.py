"""Quantiles: how many observations an interval needs, and the interval from order statistics, blocks or none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sectax.stats.moments import Array
from sectax.stats.student import Interval, critical_value

# Slow calls that sit in some blocks are not seen before such a block has come up: where one block in ten is slow, the
# interval of a p99 from six was wrong whenever it was printed (docs/method-notes.md, 'Tail quantiles').
BLOCKS_OF_A_TAIL = 20
_TAIL = 0.9


@dataclass(frozen=True)
class PooledQuantile:
    """A quantile of all observations of a run, in their unit.

    Attributes:
        low, high: the interval; None where fewer than `needed` independent observations, or `blocks_needed` blocks,
            support it.
        count: all observations.
        effective: as how many independent ones they count, given how much those of a block resemble each other.
        needed: independent observations that an interval of this level needs.
        blocks, blocks_needed: how many there are, and how many an interval needs.
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
    """Independent observations that a finite two-sided interval for a quantile needs.

    With n of them, the sample's minimum and maximum miss the quantile with chance (1−q)^n and q^n; each may be at most
    half of what the level leaves. At 95 %: 6 for the median, 36 for p90, 72 for p95, 368 for p99.
    """
    if not (0 < quantile < 1 and 0 < level < 1):
        raise ValueError(f"quantile {quantile} and level {level} must lie between 0 and 1")
    tail = (1 - level) / 2
    return max(1, math.ceil(math.log(tail) / math.log(max(quantile, 1 - quantile)) - 1e-12))


def order_statistics_interval(values: ArrayLike, quantile: float = 0.5, level: float = 0.95) -> Interval:
    """A quantile with its interval from order statistics, which assumes only that observations are independent.

    Args:
        values: shape (n,), finite; ties are allowed and make the interval wider than promised, never narrower.
    Returns:
        The sample quantile, and None for limits where n is below `observations_needed`.
    Raises:
        ValueError: no value at all.
    Source: Conover, Practical Nonparametric Statistics, section 3.2.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if ordered.size == 0:
        raise ValueError("no values to take a quantile of")
    low, high = quantile_limits(ordered, ordered.size, quantile, level) or (None, None)
    return Interval(float(np.quantile(ordered, quantile)), low, high, ordered.size)


def pooled_quantile(blocks: Sequence[ArrayLike], quantile: float, level: float = 0.95) -> PooledQuantile:
    """A quantile of the observations of all blocks together, with an interval that knows that blocks differ.

    What is estimated is the quantile over processes and calls alike; every observation counts the same. The pool counts
    for fewer observations the more those of a block agree on which side of the quantile they lie, or of either end of
    the interval: where blocks are skewed, the few that hold the slow calls may not show at the quantile itself.

    Args:
        blocks: the observations of each block, shapes (m_j,), finite; sizes may differ, an empty block counts for
            nothing. Blocks must be independent of each other; within one, anything may resemble anything.
    Raises:
        ValueError: no value at all, or a quantile or level outside (0, 1).
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
    """The order statistics that hold a quantile, were the values worth `effective` independent ones.

    The binomial's ranks among `effective` values are carried over to the same level among all of them (rank r has the
    expected level r/(effective + 1)) and rounded outward. With `effective` = n these are the usual ranks.

    Args:
        ordered: ascending, shape (n,) with n of at least `effective`.
        effective: need not be whole.
    Returns:
        None where `effective` is below `observations_needed`.
    """
    from scipy.special import bdtrik

    if effective < observations_needed(quantile, level):
        return None
    tail = (1 - level) / 2
    # k where P(at most k lie under the quantile) is the tail; the limit is the rank after it.
    below, above = (float(bdtrik(chance, effective, quantile)) for chance in (tail, 1 - tail))
    scale = (ordered.size + 1) / (effective + 1)
    lower = max(math.floor((below + 1) * scale), 1)
    upper = min(math.ceil((above + 1) * scale), ordered.size)
    return float(ordered[lower - 1]), float(ordered[upper - 1])


def design_effect(events: Array, sizes: Array, inflation: float = 1.0) -> float:
    """How many observations of blocks are worth one independent one, for the share of events among them.

    1 + (m − 1)·ICC, the intraclass correlation by one-way analysis of variance and never below 0, m the size of the
    block that an average observation finds itself in (Σm²/Σm: with unequal blocks the large ones weigh more).

    Args:
        events: how many of each block's observations are events, shape (blocks,), two blocks or more; not all of them,
            and not none.
        sizes: observations of each block, shape (blocks,), one at least.
        inflation: factor on the variance between blocks, for being estimated from few of them.
    Returns:
        From 1 to m.
    Source: Kish, Survey Sampling (1965), sections 5.4 and 8.2; Donner, International Statistical Review 54 (1986).
    """
    count, blocks = float(sizes.sum()), sizes.size
    typical = float((sizes**2).sum()) / count
    adjusted = (count - typical) / (blocks - 1)  # the analysis of variance's m; both are the size where all are equal
    shares = events / sizes
    between = inflation * float((sizes * (shares - events.sum() / count) ** 2).sum()) / (blocks - 1)
    within = float((events * (1 - shares)).sum()) / max(count - blocks, 1)
    alike = (between - within) / (between + (adjusted - 1) * within)
    return 1 + (typical - 1) * max(alike, 0.0)


def few_blocks_inflation(blocks: int, level: float) -> float:
    """How much wider a variance must be taken for coming from so few blocks: Student's t over the normal, squared.

    With large blocks the interval for a share is then Student's t over the blocks' shares.
    """
    from scipy.special import ndtri

    return (float(critical_value(blocks, 1 - level)) / float(ndtri((1 + level) / 2))) ** 2


def _effective(pool: Array, sizes: Array, thresholds: Sequence[float], level: float) -> float:
    """As how many independent observations the pool counts: the fewest that any of the thresholds says."""
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
    # Values tied with a threshold lie to either side of it, so both sides are asked.
    sides = [side for threshold in thresholds for side in (pool > threshold, pool >= threshold)]
    counts = [np.add.reduceat(side, starts, dtype=np.float64) for side in sides if side.any() and not side.all()]
    if sizes.size < 2 or not counts:
        # Nothing tells how blocks differ, so each counts once.
        return float(sizes.sum() ** 2 / (sizes**2).sum())
    inflation = few_blocks_inflation(sizes.size, level)
    return pool.size / max(design_effect(events, sizes, inflation) for events in counts)
