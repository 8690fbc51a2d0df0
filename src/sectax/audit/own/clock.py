"""Batches so short that the step of their clock shows in them."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, cannot_be_checked, fatal
from sectax.audit.own.evidence import Arm, RunEvidence
from sectax.model.finding import Severity
from sectax.model.measured import BatchStatistics

FEWEST_STEPS = 100


ENOUGH_STEPS = 1000


MOST_DUPLICATES = 0.1


# Of fewer batches a share of duplicates says nothing: two equal ones among ten are chance.
FEWEST_BATCHES = 20


def _arm(arm: Arm) -> Iterator[Remark]:
    batches = arm.batches
    if batches is None or batches.batches < 1:
        yield cannot_be_checked(arm.id, "the times of single batches are not reported")
        return
    yield from _repeats(arm.id, batches)
    if arm.granularity_s is None:
        yield cannot_be_checked(arm.id, "the step of the clock is not reported")
        return
    yield from _steps(arm.id, batches, arm.granularity_s)


def _repeats(subject: str, batches: BatchStatistics) -> Iterator[Remark]:
    """A warning where equal values betray a clock that is coarser than it says.

    Many batches of a quiet subject repeat a value even on a clock that is fine enough. Where the data show the step
    between neighbouring values, and a batch is long beside it, they are innocent.
    """
    if batches.duplicate_share <= MOST_DUPLICATES or batches.batches < FEWEST_BATCHES:
        return
    if batches.step_s is not None and batches.shortest_s >= ENOUGH_STEPS * batches.step_s:
        return
    yield fatal(
        subject,
        f"{100 * batches.duplicate_share:.0f} % of {batches.batches} batch times repeat another one exactly",
        "the clock is coarser than it says, or values were copied",
        "longer batches, or a finer clock",
    )


def _steps(subject: str, batches: BatchStatistics, granularity_s: float) -> Iterator[Remark]:
    steps = batches.shortest_s / granularity_s
    if steps < ENOUGH_STEPS:
        yield Remark(
            Severity.FATAL if steps < FEWEST_STEPS else Severity.WARNING,
            subject,
            f"the shortest batch lasts {steps:.0f} steps of its clock ({granularity_s:.2g} s each)",
            f"rounding alone may change it by {100 / max(steps, 1e-9):.2g} %",
            "longer batches",
        )


TIMER: Check[RunEvidence] = Check(
    id="timer",
    rule="F: a batch under 100 steps of its clock, batches that repeat on a clock that is fine enough; W: under "
    "1000 steps",
    examine=lambda evidence: (remark for arm in evidence.arms.values() for remark in _arm(arm)),
    applies=lambda evidence: bool(evidence.arms),
)
