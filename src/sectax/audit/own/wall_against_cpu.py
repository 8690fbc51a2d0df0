"""CPU time says one thing of a comparison, wall time another, and waiting for a processor does not explain it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from sectax.audit.checks.interface import Check, Remark, cannot_be_checked, warning
from sectax.audit.checks.words import percent
from sectax.audit.own.evidence import Arm, RunEvidence
from sectax.model.finding import Effect, Finding
from sectax.model.metric import Summary
from sectax.model.treatment import CONTROLS


@dataclass(frozen=True)
class _Pair:
    """One treatment's comparison in CPU time, and the effects of both metrics."""

    finding: Finding
    cpu: Effect
    wall: Effect


def _pairs(evidence: RunEvidence) -> Iterator[_Pair]:
    """Of a run that is answered in CPU time of whole operations, every comparison that has an interval in wall time."""
    answering = next(iter(evidence.metrics.values()), None)
    if answering is None or not answering.cpu or answering.part_of:
        return
    wall = {
        finding.comparison.treatment: finding.effect
        for finding in evidence.measured_findings()
        if evidence.metrics[finding.comparison.metric].observed == evidence.batch
        and finding.effect is not None
        and _is_finite(finding.effect)
    }
    for finding in evidence.measured_findings():
        compared, cpu = finding.comparison, finding.effect
        if compared.metric != answering.name or compared.standing in CONTROLS or compared.treatment not in wall:
            continue
        if cpu is not None and _is_finite(cpu):
            yield _Pair(finding, cpu, wall[compared.treatment])


def _is_finite(effect: Effect) -> bool:
    return math.isfinite(effect.low) and math.isfinite(effect.high)


def _examine(evidence: RunEvidence) -> Iterator[Remark]:
    for pair in _pairs(evidence):
        if not _differ(evidence, pair, 0.0):
            continue
        compared = pair.finding.comparison
        shares = [_left(evidence, arm) for arm in (compared.baseline, compared.treatment)]
        saw = f"CPU time changes by {percent(pair.cpu.log_ratio)}, wall time by {percent(pair.wall.log_ratio)}"
        if shares[0] is None or shares[1] is None:
            missing = f"{saw}, and how long the subjects waited for a processor is not reported"
            yield cannot_be_checked(compared.id, missing)
            continue
        waiting = math.log(shares[0]) - math.log(shares[1])
        if _differ(evidence, pair, waiting):
            yield warning(
                compared.id,
                f"{saw}; without the time in which they waited for a processor, wall time changes by "
                f"{percent(pair.wall.log_ratio - waiting)}",
                "the operation may wait for something else, or have work done outside of its process",
                "take wall time for the answer where callers wait; and see what the operation waits for",
            )


def _differ(evidence: RunEvidence, pair: _Pair, waiting: float) -> bool:
    """Whether the effects differ by more than the margin and their intervals are apart, waiting taken out of wall time.

    Args:
        waiting: what it makes of the effect in wall time, in logs.
    """
    cpu, wall = pair.cpu, pair.wall
    apart = wall.low - waiting > cpu.high or wall.high - waiting < cpu.low
    return apart and abs(wall.log_ratio - waiting - cpu.log_ratio) > math.log1p(evidence.margin)


def _left(evidence: RunEvidence, arm_id: str) -> float | None:
    """The share of an arm's wall time that is left without its waiting; None where that is not reported.

    The kernel tells of waiting in whole requests, so all that a batch can have waited is in it; more than the batches'
    wall time exceeds their CPU time is not taken away.
    """
    arm = evidence.arms.get(arm_id)
    if arm is None or arm.waited_s is None or arm.batches is None or not arm.batches.operations:
        return None
    cpu, wall = (_seconds(evidence, arm, of_cpu=of_cpu) for of_cpu in (True, False))
    if cpu is None or wall is None:
        return None
    return (wall - min(max(wall - cpu, 0.0), arm.waited_s / arm.batches.operations)) / wall


def _seconds(evidence: RunEvidence, arm: Arm, *, of_cpu: bool) -> float | None:
    """CPU or wall time of one operation, over all blocks."""
    for metric in evidence.metrics.values():
        values = arm.values.get(metric.name)
        if values and metric.cpu == of_cpu and (of_cpu or metric.observed == evidence.batch):
            return statistics.fmean(1 / each if metric.summary is Summary.RATE else each for each in values.values())
    return None


WALL_AGAINST_CPU: Check[RunEvidence] = Check(
    id="wall-against-cpu",
    rule="W: CPU and wall time differ by more than the margin where their intervals and waiting do not explain it",
    examine=_examine,
    applies=lambda evidence: any(True for _ in _pairs(evidence)),
)
