"""Batches that were of a configured time, or of nothing at all."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.fixed_time import LATE, NO_COST
from sectax.audit.checks.interface import Check, Remark, fatal
from sectax.audit.own.evidence import Arm, RunEvidence

# A trial that ends by the clock ends a little late, when its last operation is done; never early.
EARLY = 0.995


def _arm_by_the_clock(arm: Arm) -> Iterator[Remark]:
    """A subject of ours that would end by the clock says so: `configured_s`."""
    told = [each for each in (arm.witnesses or {}).get("configured_s", ()) if isinstance(each, (int, float))]
    if not told or arm.batch_s is None:
        return
    if EARLY * told[0] <= arm.batch_s <= LATE * told[0]:
        yield fatal(
            arm.id,
            f"its {arm.batch_s:.4g} s are the {told[0]:g} s that were configured",
            NO_COST,
            "compare the test of the same kind that does a fixed number of operations",
        )


def _nothing(evidence: RunEvidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        if arm.batches is not None and not arm.batches.operations:
            yield fatal(
                arm.id,
                f"no operation was counted in {arm.batches.batches} batches",
                "there is nothing that a figure could be of",
                "see why the subject did nothing, and run it again",
            )


FIXED_TIME_TOTAL: Check[RunEvidence] = Check(
    id="fixed-time-total",
    rule="F: batches last as long as was configured, so they cannot show a cost",
    examine=lambda evidence: (remark for arm in evidence.arms.values() for remark in _arm_by_the_clock(arm)),
    applies=lambda evidence: any((arm.witnesses or {}).get("configured_s") for arm in evidence.arms.values()),
)

ZERO_EVENT_RUN: Check[RunEvidence] = Check(
    id="zero-event-run",
    rule="F: no operation was counted",
    examine=_nothing,
    applies=lambda evidence: bool(evidence.arms),
)
