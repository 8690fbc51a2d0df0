"""Batches of unequal length, where subjects wait for a processor: short ones escape the waiting, long ones do not."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, cannot_be_checked
from sectax.audit.own.evidence import Arm, RunEvidence
from sectax.model.finding import Finding, Severity

# The median batch of one arm over that of the other.
MOST_APART = 1.5
# Of the time of the batches, in the arm that waited longer.
MOST_WAITED = 0.05


def _examine(evidence: RunEvidence) -> Iterator[Remark]:
    # Counts are made to fit the clock that answers: what that of another adds is the waiting, not the batch.
    in_cpu_time = next(iter(evidence.metrics.values())).cpu
    for finding in evidence.measured_findings():
        compared = finding.comparison
        metric = evidence.metrics[compared.metric]
        arms = (evidence.arms.get(compared.treatment), evidence.arms.get(compared.baseline))
        if (metric.cpu or metric.observed == evidence.batch) and metric.summary.tail is None and arms[0] and arms[1]:
            yield from _pair(finding, arms[0], arms[1], of_cpu=metric.cpu, in_cpu_time=in_cpu_time)


def _pair(finding: Finding, treatment: Arm, baseline: Arm, *, of_cpu: bool, in_cpu_time: bool) -> Iterator[Remark]:
    single = _is_single(treatment) and _is_single(baseline)
    if single and of_cpu:
        return  # an interruption costs CPU time by its number, and a longer operation has more in proportion
    known = [arm.queued for arm in (treatment, baseline) if arm.queued is not None]
    waited = any(share > MOST_WAITED for share in known)
    one, other = treatment.batch_s, baseline.batch_s
    if one is None or other is None:
        if waited:
            missing = "subjects waited for a processor, and how long their batches last is not reported"
            yield cannot_be_checked(finding.comparison.id, missing)
        return
    if max(one, other) <= MOST_APART * min(one, other):
        return
    if waited:
        length = "takes {:.3g} ms of CPU time" if in_cpu_time else "lasts {:.3g} ms"
        yield Remark(
            Severity.WARNING if single else Severity.FATAL,
            finding.comparison.id,
            f"a batch of {treatment.id} {length.format(1e3 * one)}, one of {baseline.id} {1e3 * other:.3g} ms, "
            f"and up to {100 * max(known):.2g} % of that time was spent waiting for a processor",
            "each batch is one operation, so the longer one waits more often, and part of the difference is that"
            if single
            else "short batches escape the waiting and long ones do not, so the difference may be that of the batches",
            "run again on a quieter machine",
        )
    elif len(known) < 2 and not single:
        yield cannot_be_checked(finding.comparison.id, "how long the subjects waited for a processor is not reported")


def _is_single(arm: Arm) -> bool:
    return arm.batches is not None and arm.batches.operations <= arm.batches.batches


UNEQUAL_BATCHES: Check[RunEvidence] = Check(
    id="unequal-batches",
    rule="F: the arms' median batches are more than 1.5 apart in length, and over 5 % of their time was spent waiting "
    "for a processor; W: where each batch is one operation",
    examine=_examine,
    applies=lambda evidence: bool(evidence.metrics),
)
