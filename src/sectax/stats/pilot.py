"""Statistics of the pilot: warm-up, noise, and rounds for a verdict."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sectax.stats.confidence_sequence import UNSEEN, guarded_half_width
from sectax.stats.moments import Array
from sectax.stats.student import critical_value, repeated_critical_value

# Smaller steps are not warm-up: the rest is common to all blocks and far below the margin.
LEAST_STEP = math.log(1.005)
# A single slow batch is a spike and not a change of level, except the very first one.
SHORTEST_SEGMENT = 3
# Comparisons that need more blocks are not optimized for.
_MOST_BLOCKS = 400
# Upper bound of the estimated autocorrelation, since larger values would need more rounds than a block can have.
_MOST_CORRELATED = 0.8


@dataclass(frozen=True)
class WarmUp:
    """Batches to discard at a process's start, and whether it settled."""

    batches: int
    settled: bool


def change_points(series: ArrayLike) -> list[int]:
    """Find changes of level: the first index of every segment after the first.

    Args:
        series: shape (n,); spikes are clipped.
    Source: optimal partitioning (Jackson et al. 2005) of the mean with a BIC penalty, on values clipped at five robust
        standard deviations from the nearest running median.
    """
    values = np.asarray(series, dtype=np.float64)
    n = values.size
    if n < 2 * SHORTEST_SEGMENT:
        return []
    steps = np.diff(values)
    noise = 1.4826 * float(np.median(np.abs(steps - np.median(steps)))) / math.sqrt(2)
    if noise <= 0:
        noise = max(float(np.std(steps)) / math.sqrt(2), 1e-12)
    padded = np.pad(values, 2, mode="reflect")
    running = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)
    running[0] = values[0]  # the first batch is often the only slow one
    clipped = np.clip(values, running - 5 * noise, running + 5 * noise)
    return _partition(clipped, penalty=3 * noise**2 * math.log(n))


def _partition(values: Array, penalty: float) -> list[int]:
    n = values.size
    centred = values - np.median(values)
    total = np.concatenate([[0.0], np.cumsum(centred)])
    square = np.concatenate([[0.0], np.cumsum(centred**2)])
    best = np.full(n + 1, np.inf)
    best[0] = -penalty
    previous = np.zeros(n + 1, dtype=np.int64)
    for end in range(1, n + 1):
        start = np.arange(0, end)
        length = end - start
        cost = square[end] - square[start] - (total[end] - total[start]) ** 2 / length
        # Only the first segment may be a single batch.
        allowed = (length >= SHORTEST_SEGMENT) | (start == 0)
        score = np.where(allowed, best[start] + cost + penalty, np.inf)
        previous[end] = int(np.argmin(score))
        best[end] = score[previous[end]]
    points: list[int] = []
    end = n
    while previous[end] > 0:
        end = int(previous[end])
        points.append(end)
    return points[::-1]


def warmup_length(series: ArrayLike) -> WarmUp:
    """The warm-up of one process: to the last segment off the final level."""
    values = np.asarray(series, dtype=np.float64)
    n = values.size
    if n < 2 * SHORTEST_SEGMENT:
        return WarmUp(n // 2, settled=False)
    second_half = values[n // 2 :]
    level = float(np.median(second_half))
    noise = _noise(second_half)
    bounds = [0, *change_points(values), n]
    batches, settled = 0, True
    for start, end in itertools.pairwise(bounds):
        step = abs(float(np.median(values[start:end])) - level)
        if step <= max(LEAST_STEP, 3 * noise / math.sqrt(end - start)):
            continue
        if end <= n // 2:
            batches = end
        else:
            settled = False
    return WarmUp(batches if settled else max(batches, n // 2), settled)


def _noise(values: Array) -> float:
    """A robust, detrended deviation, inflated by √((1 + φ)/(1 − φ))."""
    middle = values.size // 2
    slope = (np.median(values[middle:]) - np.median(values[:middle])) / middle
    level = values - slope * np.arange(values.size)
    level = level - np.median(level)
    signs = np.sign(level)  # robust against spikes
    weight = float(np.sum(signs**2))
    correlation = float(np.sum(signs[1:] * signs[:-1])) / weight if weight > 0 else 0.0
    phi = min(max(math.sin(correlation * math.pi / 2), 0.0), 0.95)  # Gaussian correlation from that of the signs
    return 1.4826 * float(np.median(np.abs(level))) * math.sqrt((1 + phi) / (1 - phi))


def warm_up(pilots: Sequence[ArrayLike]) -> WarmUp:
    """The warm-up for all processes of a treatment.

    Of two pilots the longer warm-up counts, but none if one of them needed none: a change of the machine's speed looks
    like a warm-up, but rarely happens twice. Three or more are combined by the median distance from their final levels.

    Args:
        pilots: log batch times of each pilot process from its first batch on.
    Raises:
        ValueError: empty pilots.
    """
    if not pilots:
        raise ValueError("a warm-up needs a pilot process")
    if len(pilots) < 3:
        warm_ups = [warmup_length(series) for series in pilots]
        if any(warm_up.settled and not warm_up.batches for warm_up in warm_ups):
            return WarmUp(0, settled=True)
        return WarmUp(max(warm_up.batches for warm_up in warm_ups), all(warm_up.settled for warm_up in warm_ups))
    length = min(np.asarray(series).size for series in pilots)
    stack = np.array([np.asarray(series, dtype=np.float64)[:length] for series in pilots])
    final = np.median(stack[:, length // 2 :], axis=1, keepdims=True)
    return warmup_length(np.median(stack - final, axis=0))


@dataclass(frozen=True)
class Noise:
    """Variance of the log ratio of two alternating treatments.

    Attributes:
        within: variance between rounds of one block.
        between: additional variance between blocks, from processes.
        correlation: autocorrelation of rounds; correlated noise averages out more slowly.
    """

    within: float
    between: float
    correlation: float = 0.0

    def block_variance(self, rounds: ArrayLike) -> Array:
        """The variance of a block's log ratio, for each number of rounds."""
        inflation = (1 + self.correlation) / (1 - self.correlation)
        return np.asarray(self.between + self.within * inflation / np.asarray(rounds, dtype=np.float64))


def pilot_noise(ratios: Sequence[Sequence[ArrayLike]]) -> Noise | None:
    """Estimate the noise from the pilot's turns; None without data.

    Args:
        ratios: for every treatment and process, log times minus those of the baseline in the same turns.
    Source: one-way analysis of variance, Searle et al., 'Variance Components' (1992), section 3; first-order
        autoregression, with the coefficient corrected for short series (Marriott and Pope, 1954).
    """
    within, between, products, squares, turns = [], [], 0.0, 0.0, []
    for processes in ratios:
        series = [np.asarray(process, dtype=np.float64) for process in processes if np.asarray(process).size > 1]
        for values in series:
            off = values - values.mean()
            products, squares = products + float(off[1:] @ off[:-1]), squares + float(off @ off)
            turns.append(values.size)
        if series:
            variance = float(np.mean([values.var(ddof=1) for values in series]))
            within.append(variance)
            if len(series) > 1:
                shares = float(np.mean([1 / values.size for values in series]))
                between.append((float(np.var([values.mean() for values in series], ddof=1)), variance * shares))
    if not within:
        return None
    raw, mean_turns = (products / squares if squares > 0 else 0.0), float(np.mean(turns))
    correlation = min(max(raw + (1 + 3 * raw) / mean_turns, 0.0), _MOST_CORRELATED)
    inflation = (1 + correlation) / (1 - correlation)
    between_processes = float(np.mean([total - own * inflation for total, own in between])) if between else 0.0
    return Noise(float(np.mean(within)), between_processes, correlation)


def seconds_to_verdict(
    rounds: ArrayLike,
    noise: Noise,
    *,
    block_cost: float,
    round_cost: float,
    half_width: float,
    alpha: float,
    first_look: int,
) -> Array:
    """Estimate the seconds to a narrow interval, for each number of rounds.

    Args:
        rounds: per block, any shape.
        block_cost: seconds of a block independent of its rounds: start and warm-up.
        round_cost: seconds of one round.
        half_width: target, as a log ratio.
        alpha: error level of a comparison.
        first_look: number of blocks at the first look.
    Raises:
        ValueError: a cost or width is not positive.
    """
    if block_cost < 0 or round_cost <= 0 or half_width <= 0:
        raise ValueError(f"costs and widths must be positive, not {block_cost}, {round_cost}, {half_width}")
    counts = np.asarray(rounds, dtype=np.float64)
    spread = np.sqrt(np.maximum(noise.block_variance(counts), 0.0))
    blocks = np.arange(first_look, _MOST_BLOCKS + 1)
    reached = _reached(alpha, first_look)
    enough = guarded_half_width(blocks, spread[..., None] * reached, UNSEEN, alpha) <= half_width
    needed = np.where(enough.any(axis=-1), blocks[np.argmax(enough, axis=-1)], _MOST_BLOCKS)
    # Out of reach, prefer the narrower interval.
    needed = np.where(enough.any(axis=-1), needed, _MOST_BLOCKS * np.square(spread * reached[-1] / half_width))
    return np.asarray(needed * (block_cost + counts * round_cost), dtype=np.float64)


def width_after(
    seconds: float,
    rounds: ArrayLike,
    noise: Noise,
    *,
    block_cost: float,
    round_cost: float,
    alpha: float,
    first_look: int,
) -> Array:
    """Student's t half-width after *seconds*, for each number of rounds.

    Infinite if too few blocks fit. Other arguments: see `seconds_to_verdict`.
    """
    counts = np.asarray(rounds, dtype=np.float64)
    blocks = seconds / (block_cost + counts * round_cost)
    plain = critical_value(blocks, alpha) * np.sqrt(
        np.maximum(noise.block_variance(counts), 0.0) / np.maximum(blocks, 1)
    )
    return np.where(blocks >= first_look, guarded_half_width(blocks, plain, UNSEEN, alpha), np.inf)


@functools.lru_cache(maxsize=64)
def _reached(alpha: float, first_look: int) -> Array:
    """The half-width in units of the spread, by number of blocks."""
    blocks = np.arange(first_look, _MOST_BLOCKS + 1)
    return np.asarray(repeated_critical_value(blocks, alpha, first_look, _MOST_BLOCKS) / np.sqrt(blocks))
