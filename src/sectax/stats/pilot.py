"""What pilot processes tell: how long a fresh process warms up, and how many rounds answer soonest."""

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

# A step of less than this is not warming up: what remains of it is common to all blocks and far below the margin.
LEAST_STEP = math.log(1.005)
# A single slow batch is a spike and no change of level, except where it is the very first.
SHORTEST_SEGMENT = 3
# A comparison that needs more blocks than this is not waited for.
_MOST_BLOCKS = 400
# Of neighbours, however alike a short pilot saw them: beyond this more rounds would be asked for than any block has.
_MOST_ALIKE = 0.8


@dataclass(frozen=True)
class WarmUp:
    """Batches to throw away at the start of a process; `settled` is False where the pilot was too short to tell."""

    batches: int
    settled: bool


def change_points(series: ArrayLike) -> list[int]:
    """Where the level of a series changes: the first index of every segment after the first.

    Args:
        series: shape (n,), noisy; spikes are clipped, so that they make no segments.
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
    """The warm-up of one process: up to the end of the last segment of its first half that is off the final level."""
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
    """The standard deviation that the mean of n such values has, times √n; robust against spikes.

    A trend is not noise. Neighbours that resemble each other enlarge it, by √((1 + φ)/(1 − φ)).
    """
    middle = values.size // 2
    slope = (np.median(values[middle:]) - np.median(values[:middle])) / middle
    level = values - slope * np.arange(values.size)
    level = level - np.median(level)
    signs = np.sign(level)  # so that a spike weighs no more than any other batch
    weight = float(np.sum(signs**2))
    likeness = float(np.sum(signs[1:] * signs[:-1])) / weight if weight > 0 else 0.0
    phi = min(max(math.sin(likeness * math.pi / 2), 0.0), 0.95)  # correlation of a Gaussian from that of its signs
    return 1.4826 * float(np.median(np.abs(level))) * math.sqrt((1 + phi) / (1 - phi))


def warm_up(pilots: Sequence[ArrayLike]) -> WarmUp:
    """The warm-up for all processes of a treatment, frozen.

    Three pilots or more are joined batch by batch, by the median of their distances from their own final level: what
    they share is warming up, what one of them has alone is noise of the machine. Of two the longer counts, and none
    where one of them needed none: a step of the machine's speed looks like a warm-up, and seldom comes twice.

    Args:
        pilots: log batch times of each pilot process from its first batch on.
    Raises:
        ValueError: no pilot.
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
    """How the log ratio of two treatments that take turns varies.

    Attributes:
        within: variance from round to round of one block. between: what processes add to it, from block to block.
        likeness: how neighbouring rounds correlate: noise that lasts is averaged away more slowly.
    """

    within: float
    between: float
    likeness: float = 0.0

    def of_block(self, rounds: ArrayLike) -> Array:
        """The variance of a block's log ratio, for each number of rounds."""
        lasting = (1 + self.likeness) / (1 - self.likeness)
        return np.asarray(self.between + self.within * lasting / np.asarray(rounds, dtype=np.float64))


def pilot_noise(ratios: Sequence[Sequence[ArrayLike]]) -> Noise | None:
    """What the pilot's turns tell of the noise; None where they tell nothing. One process says not how others differ.

    Args:
        ratios: of every treatment, by process and in order, its log times less those of its baseline in the same turns.
    Source: the one-way analysis of variance, Searle et al., 'Variance Components' (1992), section 3; a first-order
        autoregression for what lasts, its coefficient corrected for short series (Marriott and Pope, 1954).
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
    likeness = min(max(raw + (1 + 3 * raw) / mean_turns, 0.0), _MOST_ALIKE)
    lasting = (1 + likeness) / (1 - likeness)
    differ = float(np.mean([total - own * lasting for total, own in between])) if between else 0.0
    return Noise(float(np.mean(within)), differ, likeness)


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
    """About how long it takes until an interval is narrow enough, for each number of rounds.

    Args:
        rounds: per block, any shape.
        block_cost: seconds of a block that do not depend on its rounds: starting, checking, warming up.
        round_cost: seconds of one round.
        half_width: of the interval, as a log ratio.
        alpha: error level of a comparison. first_look: the blocks of its first look.
    Raises:
        ValueError: a cost or width that is not positive.
    """
    if block_cost < 0 or round_cost <= 0 or half_width <= 0:
        raise ValueError(f"costs and widths must be positive, not {block_cost}, {round_cost}, {half_width}")
    counts = np.asarray(rounds, dtype=np.float64)
    spread = np.sqrt(np.maximum(noise.of_block(counts), 0.0))
    blocks = np.arange(first_look, _MOST_BLOCKS + 1)
    reached = _reached(alpha, first_look)
    enough = guarded_half_width(blocks, spread[..., None] * reached, UNSEEN, alpha) <= half_width
    needed = np.where(enough.any(axis=-1), blocks[np.argmax(enough, axis=-1)], _MOST_BLOCKS)
    # Beyond what is waited for, the narrower interval still wins.
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
    """The half-width of the interval after so many seconds, for each number of rounds, by Student's t at one look.

    Infinite where so few blocks fit that there is none. Arguments as of `seconds_to_verdict`.
    """
    counts = np.asarray(rounds, dtype=np.float64)
    blocks = seconds / (block_cost + counts * round_cost)
    plain = critical_value(blocks, alpha) * np.sqrt(np.maximum(noise.of_block(counts), 0.0) / np.maximum(blocks, 1))
    return np.where(blocks >= first_look, guarded_half_width(blocks, plain, UNSEEN, alpha), np.inf)


@functools.lru_cache(maxsize=64)
def _reached(alpha: float, first_look: int) -> Array:
    """The half-width in units of the spread, falling with the number of blocks."""
    blocks = np.arange(first_look, _MOST_BLOCKS + 1)
    return np.asarray(repeated_critical_value(blocks, alpha, first_look, _MOST_BLOCKS) / np.sqrt(blocks))
