"""Findings with a given interval, made by `judge` from blocks."""

from __future__ import annotations

import math
from dataclasses import replace

from sectax.analysis.findings import judge
from sectax.model.finding import Finding
from sectax.stats.confidence_sequence import UNSEEN
from sectax.stats.student import critical_value
from tests.analysis.runs import run_of

BLOCKS, ALPHA = 200, 0.05
# The smallest possible interval for this many blocks, since a second mode may be unseen.
REACH = UNSEEN * (1 - ALPHA ** (1 / BLOCKS))


def finding(low: float, high: float, *, blocks_needed: tuple[int, int] | None = None, margin: float = 0.02) -> Finding:
    """The finding of a run of fixed length with this interval (1.04 is 4 % slower)."""
    middle, half = math.log(low * high) / 2, math.log(high / low) / 2
    plain = (half**1.5 - REACH**1.5) ** (2 / 3)
    step = plain * math.sqrt(BLOCKS - 1) / float(critical_value(BLOCKS, ALPHA))
    costs = [math.exp(middle + step * (-1) ** block) for block in range(BLOCKS)]
    (judged,) = judge(run_of({"baseline": [1.0] * BLOCKS, "a": costs}, margin=margin, fixed_blocks=BLOCKS))
    if blocks_needed is None:
        return judged
    seconds = (blocks_needed[0] * 3.3, blocks_needed[1] * 3.3)
    return replace(judged, effect=replace(judged.effect, blocks_needed=blocks_needed), seconds_needed=seconds)


(NOT_MEASURED,) = judge(run_of({"baseline": [1.0] * 6, "a": [None] * 6}))
