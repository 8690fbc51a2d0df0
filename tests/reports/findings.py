"""Findings of one interval, for the words that are made of a finding alone."""

from __future__ import annotations

import math

from sectax.analysis.verdict import verdict
from sectax.model.finding import Effect, Finding, VerdictId
from sectax.model.treatment import Comparison, Standing

COMPARISON = Comparison("a:throughput", "all", "a", "b", "throughput", Standing.PRIMARY, 0.05)


def finding(
    low: float,
    high: float,
    *,
    blocks_needed: tuple[int, int] | None = None,
    margin_needed: float | None = None,
    margin: float = 0.02,
) -> Finding:
    """A finding with this interval of costs (1.04 is 4 % slower), and the verdict that follows from it."""
    bounds = math.log(low), math.log(high)
    effect = Effect(
        log_ratio=sum(bounds) / 2,
        low=bounds[0],
        high=bounds[1],
        level=0.95,
        blocks=14,
        method="confidence-sequence",
        spread=0.006,
        floor=0.003,
        margin_needed=margin_needed,
        blocks_needed=blocks_needed,
    )
    seconds = (blocks_needed[0] * 3.3, blocks_needed[1] * 3.3) if blocks_needed else None
    return Finding(COMPARISON, verdict(*bounds, margin), effect, margin, seconds_needed=seconds)


NOT_MEASURED = Finding(COMPARISON, VerdictId.NOT_MEASURED, None, 0.02)
