"""The first counted batch of a process beside its others, in runs of ours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from sectax.audit.evidence import Arm, Evidence
from sectax.audit.over_blocks import Hit, column, percent, unwatched, warn, watched
from sectax.audit.warm_up import longer_warm_up
from sectax.model.finding import Warning
from sectax.model.measured import BatchShape

# The chance that any treatment of a healthy run is called different.
CHANCE = 0.005


def first_batches(check: str, evidence: Evidence) -> Iterator[Warning]:
    """W where it differs from the others in block after block, by the margin or more.

    Less does not matter in a block's value, of which the first batch is a small part.
    """
    yield from unwatched(check, evidence)
    arms = watched(evidence)
    hits = [
        (arm, excess)
        for arm in arms
        if abs(excess := median(column(arm, lambda shape: shape.first_excess))) >= math.log1p(evidence.margin)
        and _out_of_place(arm) < CHANCE / len(arms)
    ]
    yield from warn(
        check,
        arms,
        hits,
        _saw,
        "a warm-up that was too short, or work that comes at the beginning: part of a difference may be that",
        longer_warm_up(evidence),
    )


def _saw(hit: Hit) -> str:
    return f"the first counted batch of a process differs from its others by {percent(hit[1])}"


def _out_of_place(arm: Arm) -> float:
    """The p-value of 'the first is any of the batches', from its ranks over the blocks.

    Ranks are the same for noise of any kind. Their spread over the blocks counts where it is larger than chance
    makes it: where the speed wanders, first batches are the fastest or the slowest more often.
    """
    from scipy.special import ndtr

    from sectax.stats.doubt import away_from_zero

    ranks = column(arm, _centred)
    likely = math.sqrt(math.fsum((1 - shape.batches**-2) / 12 for shape in arm.shapes.values()))
    by_chance = 2 * float(ndtr(-abs(math.fsum(ranks)) / likely))
    return max(by_chance, away_from_zero(ranks))


def _centred(shape: BatchShape) -> float:
    return shape.first_rank - 0.5
