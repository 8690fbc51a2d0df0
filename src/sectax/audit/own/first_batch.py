"""The first batches of a process are another quantity than the later ones, which begin where its warm-up ends."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from sectax.audit.checks.interface import Check, Remark, warning
from sectax.audit.checks.words import percent
from sectax.audit.own.blocks import Hit, column, has_batches, unwatched, warn, watched
from sectax.audit.own.evidence import Arm, RunEvidence
from sectax.model.measured import BatchShape
from sectax.model.treatment import Role

# The chance that the first batches of any treatment of a healthy run are called different.
CHANCE_OF_BATCHES = 0.005


# They are the baseline again, and have its warm-up.
_COPIES = (Role.NEGATIVE, Role.POSITIVE)


def _in_runs(evidence: RunEvidence) -> Iterator[Remark]:
    """W where the first counted batch differs from the others in block after block, by the margin or more.

    Less does not matter in a block's value, of which the first batch is a small part.
    """
    yield from unwatched(evidence)
    arms = watched(evidence)
    hits = [
        (arm, excess)
        for arm in arms
        if abs(excess := median(column(arm, lambda shape: shape.first_excess))) >= math.log1p(evidence.margin)
        and _out_of_place(arm) < CHANCE_OF_BATCHES / len(arms)
    ]
    yield from warn(
        arms,
        hits,
        _saw,
        "part of the difference may be a warm-up that was too short, or work at the beginning",
        _longer_warm_up(evidence),
    )


def _saw(hit: Hit) -> str:
    return f"the first counted batch of a process differs from its others by {percent(hit[1])}"


def _out_of_place(arm: Arm) -> float:
    """The p-value of 'the first is any of the batches', from its ranks over the blocks.

    Ranks are the same for noise of any kind. Their spread over the blocks counts where it is larger than chance
    makes it: where the speed wanders, first batches are the fastest or the slowest more often.
    """
    from scipy.special import ndtr

    from sectax.stats.diagnostics import away_from_zero

    ranks = column(arm, _centred)
    likely = math.sqrt(math.fsum((1 - shape.batches**-2) / 12 for shape in arm.shapes.values()))
    by_chance = 2 * float(ndtr(-abs(math.fsum(ranks)) / likely))
    return max(by_chance, away_from_zero(ranks))


def _centred(shape: BatchShape) -> float:
    return shape.first_rank - 0.5


def _longer_warm_up(evidence: RunEvidence) -> str:
    """What shows the pilot the end of the warm-up, in a run of this preset."""
    if evidence.preset == "quick":
        return "run it without --quick: longer batches let the pilot see more of it"
    return "run it again when the machine is quieter; where it stays, the subject warms up for longer than a pilot"


def _pilot(evidence: RunEvidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        if arm.settled is False and arm.role not in _COPIES:
            yield warning(
                arm.id,
                "its speed was still changing when the pilot ended",
                "part of the difference may be warm-up",
                _longer_warm_up(evidence),
            )


FIRST_TRIAL: Check[RunEvidence] = Check(
    id="first-trial",
    rule="W: the first counted batch of a process differs from its others by the margin or more",
    examine=_in_runs,
    applies=has_batches,
)

WARM_UP: Check[RunEvidence] = Check(
    id="warm-up",
    rule="W: the pilot did not see the end of the warm-up",
    examine=_pilot,
    applies=lambda evidence: any(arm.settled is not None for arm in evidence.arms.values()),
)
