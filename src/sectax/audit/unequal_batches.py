"""Batches of unequal length, where subjects wait for a processor: short ones escape the waiting, long ones do not."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check, cannot_be_checked
from sectax.audit.evidence import Arm, Evidence
from sectax.model.finding import Finding, Severity, Warning

# The median batch of one arm over that of the other.
MOST_APART = 1.5
# Of the time of the batches, in the arm that waited longer.
MOST_WAITED = 0.05


def _examine(evidence: Evidence) -> Iterator[Warning]:
    for finding in evidence.measured_findings():
        compared = finding.comparison
        arms = (evidence.arms.get(compared.treatment), evidence.arms.get(compared.baseline))
        if evidence.observed.get(compared.metric) == evidence.batch and arms[0] and arms[1]:
            yield from _pair(finding, arms[0], arms[1])


def _pair(finding: Finding, treatment: Arm, baseline: Arm) -> Iterator[Warning]:
    one, other = treatment.batch_s, baseline.batch_s
    if one is None or other is None or max(one, other) <= MOST_APART * min(one, other):
        return
    known = [arm.queued for arm in (treatment, baseline) if arm.queued is not None]
    single = _is_single(treatment) and _is_single(baseline)
    if any(share > MOST_WAITED for share in known):
        yield Warning(
            UNEQUAL_BATCHES.id,
            Severity.WARNING if single else Severity.FATAL,
            finding.comparison.id,
            f"a batch of {treatment.id} lasts {1e3 * one:.3g} ms, one of {baseline.id} {1e3 * other:.3g} ms, "
            f"and up to {100 * max(known):.2g} % of that time was spent waiting for a processor",
            "each batch is one operation, so the longer one waits more often, and part of the difference is that"
            if single
            else "short batches escape the waiting and long ones do not, so the difference may be that of the batches",
            "run again on a quieter machine",
        )
    elif len(known) < 2 and not single:
        yield cannot_be_checked(
            UNEQUAL_BATCHES.id, finding.comparison.id, "how long the subjects waited for a processor is not told"
        )


def _is_single(arm: Arm) -> bool:
    return arm.batches is not None and arm.batches.operations <= arm.batches.batches


UNEQUAL_BATCHES = Check(
    id="unequal-batches",
    rule="F: the arms' median batches are more than 1.5 apart in length, and over 5 % of their time was spent waiting "
    "for a processor; W: where each batch is one operation",
    applies=lambda evidence: evidence.own and evidence.batch is not None,
    examine=_examine,
)
