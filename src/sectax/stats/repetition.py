"""How many rounds a block should have, so that time is spent where the variance is.

Source: Kalibera and Jones, 'Rigorous benchmarking in reasonable time', ISMM 2013, equation for r_1.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike


def variance_parts(values: ArrayLike) -> tuple[float, float]:
    """Variance within a process and between processes, from pilot processes.

    Args:
        values: log batch times, shape (processes, batches), warmed up.
    Returns:
        (within, between). A few processes know little of the variance between them, so it is never taken below what
        the noise within would hide, within/batches.
    Raises:
        ValueError: fewer than two processes or two batches.
    """
    data = np.asarray(values, dtype=np.float64)
    if data.ndim != 2 or data.shape[0] < 2 or data.shape[1] < 2:
        raise ValueError("variance parts need at least two processes of two batches")
    within = float(data.var(axis=1, ddof=1).mean())
    hidden = within / data.shape[1]
    between = float(data.mean(axis=1).var(ddof=1)) - hidden
    return within, max(between, hidden)


def rounds_per_block(
    within: float, between: float, *, block_cost: float, round_cost: float, limits: tuple[int, int] = (4, 32)
) -> int:
    """The number of rounds that gives the narrowest interval for a given time.

    Args:
        within, between: variances, as from `variance_parts`.
        block_cost: seconds of a block that do not depend on its rounds: starting, checking, warming up.
        round_cost: seconds of one round.
        limits: fewest and most rounds.
    Raises:
        ValueError: a cost that is not positive.
    """
    if block_cost < 0 or round_cost <= 0:
        raise ValueError(f"costs of a block ({block_cost} s) and of a round ({round_cost} s) must be positive")
    fewest, most = limits
    if within <= 0:
        return fewest
    if between <= 0:
        return most
    best = math.sqrt(block_cost / round_cost * within / between)
    return min(max(math.ceil(best), fewest), most)
