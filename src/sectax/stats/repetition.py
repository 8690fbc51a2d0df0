"""How many rounds a block should have, so that an answer comes soonest."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sectax.stats.confidence_sequence import UNSEEN, guarded_half_width
from sectax.stats.moments import Array
from sectax.stats.student import repeated_critical_value

# A comparison that needs more blocks than this is not waited for.
_MOST_BLOCKS = 400


def variance_parts(values: ArrayLike) -> tuple[float, float]:
    """Variance within a process and between processes, from pilot processes.

    Args:
        values: log batch times, shape (processes, batches), warmed up.
    Returns:
        (within, between). The second is an unbiased guess from few processes: it may well be negative.
    Raises:
        ValueError: fewer than two processes or two batches.
    Source: the one-way analysis of variance, Searle et al., 'Variance Components' (1992), section 3.
    """
    data = np.asarray(values, dtype=np.float64)
    if data.ndim != 2 or data.shape[0] < 2 or data.shape[1] < 2:
        raise ValueError("variance parts need at least two processes of two batches")
    within = float(data.var(axis=1, ddof=1).mean())
    return within, float(data.mean(axis=1).var(ddof=1)) - within / data.shape[1]


def seconds_to_verdict(
    rounds: ArrayLike,
    within: float,
    between: float,
    *,
    block_cost: float,
    round_cost: float,
    half_width: float,
    alpha: float,
    first_look: int,
) -> Array:
    """About how long it takes until an interval is narrow enough, for each number of rounds.

    A difference of two treatments varies by 2·(between + within/rounds) from block to block.

    Args:
        rounds: per block, any shape.
        within, between: variances of log times, as from `variance_parts`.
        block_cost: seconds of a block that do not depend on its rounds: starting, checking, warming up.
        round_cost: seconds of one round.
        half_width: of the interval, as a log ratio.
        alpha: error level of a comparison. first_look: the blocks of its first look.
    Raises:
        ValueError: a cost or width that is not positive.
    """
    if block_cost < 0 or round_cost <= 0 or half_width <= 0:
        raise ValueError(f"costs and widths must be positive, not {block_cost}, {round_cost}, {half_width}")
    each = np.asarray(rounds, dtype=np.float64)
    spread = np.sqrt(2 * (max(between, 0.0) + max(within, 0.0) / each))
    blocks = np.arange(first_look, _MOST_BLOCKS + 1)
    # In units of the spread: falling with the number of blocks.
    reached = repeated_critical_value(blocks, alpha, first_look, _MOST_BLOCKS) / np.sqrt(blocks)
    enough = guarded_half_width(blocks, spread[..., None] * reached, UNSEEN, alpha) <= half_width
    needed = np.where(enough.any(axis=-1), blocks[np.argmax(enough, axis=-1)], _MOST_BLOCKS)
    # Beyond what is waited for, the narrower interval still wins.
    needed = np.where(enough.any(axis=-1), needed, _MOST_BLOCKS * np.square(spread * reached[-1] / half_width))
    return np.asarray(needed * (block_cost + each * round_cost), dtype=np.float64)
