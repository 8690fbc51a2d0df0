"""Batches so short that the clock's own step shows in them."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check, cannot_be_checked
from sectax.audit.evidence import Arm, Evidence
from sectax.model.finding import Severity, Warning

FEWEST_STEPS = 100
ENOUGH_STEPS = 1000
MOST_DUPLICATES = 0.1
# Of fewer batches a share of duplicates says nothing: two equal ones among ten are chance.
FEWEST_BATCHES = 20


def _examine(evidence: Evidence) -> Iterator[Warning]:
    for arm in evidence.arms.values():
        yield from _arm(arm)


def _arm(arm: Arm) -> Iterator[Warning]:
    batches = arm.batches
    if batches is None or batches.batches < 1:
        yield cannot_be_checked(TIMER.id, arm.id, "the times of single batches are not told")
        return
    if _repeats(arm):
        yield Warning(
            TIMER.id,
            Severity.FATAL,
            arm.id,
            f"{100 * batches.duplicate_share:.0f} % of {batches.batches} batch times repeat another one exactly",
            "the clock is coarser than it says, or values were copied",
            "longer batches, or a finer clock",
        )
    if arm.granularity_s is None:
        yield cannot_be_checked(TIMER.id, arm.id, "the step of the clock is not told")
        return
    steps = batches.shortest_s / arm.granularity_s
    if steps < ENOUGH_STEPS:
        yield Warning(
            TIMER.id,
            Severity.FATAL if steps < FEWEST_STEPS else Severity.WARNING,
            arm.id,
            f"the shortest batch lasts {steps:.0f} steps of its clock ({arm.granularity_s:.2g} s each)",
            f"rounding alone may change it by {100 / max(steps, 1e-9):.2g} %",
            "longer batches",
        )


def _repeats(arm: Arm) -> bool:
    """Whether equal values betray a clock that is coarser than it says.

    Many batches of a quiet subject repeat a value even on a clock that is fine enough. Where the data show the step
    between neighbouring values, and a batch is long beside it, they are innocent.
    """
    batches = arm.batches
    if batches is None or batches.duplicate_share <= MOST_DUPLICATES or batches.batches < FEWEST_BATCHES:
        return False
    return batches.step_s is None or batches.shortest_s < ENOUGH_STEPS * batches.step_s


TIMER = Check(
    id="timer",
    rule="F: a batch under 100 steps of its clock, or over 10 % repeated values; W: under 1000 steps",
    applies=lambda evidence: bool(evidence.arms),
    examine=_examine,
)
