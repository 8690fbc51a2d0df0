"""A CPU quota that held subjects back while they were timed."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, cannot_be_checked
from sectax.audit.own.evidence import Arm, RunEvidence
from sectax.model.finding import Severity
from sectax.model.measured import BatchStatistics
from sectax.model.plan import SETTLING_SHARE

# Of the time between the readings. Below, an annotation is enough.
MOST_THROTTLED = 0.01
# Where a treatment declares its quota, being held back by it is what is measured.
QUOTA_WITNESS = "cpu_quota"


def _arms(evidence: RunEvidence) -> Iterator[Remark]:
    if all(arm.throttled_s is None for arm in evidence.arms.values()):
        yield cannot_be_checked("run", "whether a CPU quota held the subjects back is not reported")
        return
    for arm in evidence.arms.values():
        if not arm.throttled_s or arm.batches is None:
            continue
        spanned_s = _spanned(arm, arm.batches)
        share = arm.throttled_s / spanned_s if spanned_s > 0 else 1.0
        declared = QUOTA_WITNESS in arm.declares
        if declared:
            severity, meaning = Severity.NOTE, "its quota is a level of this run, so this is part of what was measured"
        elif share > MOST_THROTTLED:
            severity, meaning = Severity.FATAL, "the quota was measured, not the subject"
        else:
            severity, meaning = Severity.WARNING, "too little to change a verdict"
        yield Remark(
            severity,
            arm.id,
            f"held back for {arm.throttled_s:.3g} s, about {100 * share:.2g} % of the time it was watched",
            meaning,
            "" if declared else "raise the CPU quota of this machine or container, or run fewer things beside",
        )


def _spanned(arm: Arm, batches: BatchStatistics) -> float:
    """The time between the readings; where it is not reported, the least that it can have been."""
    if arm.spanned_s is not None:
        return arm.spanned_s
    return batches.batches * batches.shortest_s * (1 + SETTLING_SHARE * arm.settles)


THROTTLING: Check[RunEvidence] = Check(
    id="throttling",
    rule="F: over 1 % of the time of the batches throttled where that is not a declared factor; W: less",
    examine=_arms,
    applies=lambda evidence: bool(evidence.arms),
)
