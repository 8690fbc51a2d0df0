"""CPU time says one thing of a comparison, wall time another, and waiting for a processor does not explain it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sectax.audit.check import Check, cannot_be_checked
from sectax.audit.evidence import Arm, Evidence
from sectax.audit.over_blocks import percent
from sectax.model.finding import Effect, Finding, Severity, Warning
from sectax.model.treatment import CONTROLS

# A share of waiting that leaves hardly any work is no figure to divide by.
_MOST_WAITED = 0.99
# Waiting is told of whole requests, the operations that settle included, and steal of the whole machine: what it
# explains is off by so much of itself.
_VAGUE = 0.25


@dataclass(frozen=True)
class _Pair:
    """One treatment's comparison in CPU time, and the effects of both metrics."""

    finding: Finding
    cpu: Effect
    wall: Effect


def _pairs(evidence: Evidence) -> Iterator[_Pair]:
    """Of a run that is answered in CPU time, every comparison that has an interval in wall time too."""
    answering = next(iter(evidence.metrics.values()), None)
    if answering is None or not answering.cpu:
        return
    wall = {
        finding.comparison.treatment: finding.effect
        for finding in evidence.measured_findings()
        if evidence.observed[finding.comparison.metric] == evidence.batch
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


def _examine(evidence: Evidence) -> Iterator[Warning]:
    for pair in _pairs(evidence):
        if _apart(pair.cpu, pair.wall, 0.0) <= 0 or _differ(pair.cpu, pair.wall, 0.0) <= math.log1p(evidence.margin):
            continue
        compared = pair.finding.comparison
        waited = [_waited(evidence.arms.get(arm)) for arm in (compared.baseline, compared.treatment)]
        saw = f"CPU time changes by {percent(pair.cpu.log_ratio)}, wall time by {percent(pair.wall.log_ratio)}"
        if waited[0] is None or waited[1] is None:
            missing = f"{saw}, and how long the subjects waited for a processor is not told"
            yield cannot_be_checked(WALL_AGAINST_CPU.id, compared.id, missing)
            continue
        shift = math.log1p(-waited[0]) - math.log1p(-waited[1])
        explained = _apart(pair.cpu, pair.wall, shift) <= 0
        if explained or _differ(pair.cpu, pair.wall, shift) <= math.log1p(evidence.margin):
            continue
        yield Warning(
            WALL_AGAINST_CPU.id,
            Severity.WARNING,
            compared.id,
            f"{saw}; waiting for a processor ({100 * waited[0]:.2g} % of the baseline's time, "
            f"{100 * waited[1]:.2g} % of the treatment's) explains {percent(shift)} of it",
            "the operation may wait for something else, or have work done outside of its process",
            "take wall time for the answer where callers wait; and see what the operation waits for",
        )


def _apart(cpu: Effect, wall: Effect, shift: float) -> float:
    """How far the interval of CPU time lies from that of wall time without its waiting; 0 or less: they overlap."""
    vague = _VAGUE * abs(shift)
    return max(wall.low - shift - vague - cpu.high, cpu.low - (wall.high - shift + vague))


def _differ(cpu: Effect, wall: Effect, shift: float) -> float:
    """How far the two effects differ beyond what waiting makes."""
    return abs(wall.log_ratio - shift - cpu.log_ratio) - _VAGUE * abs(shift)


def _waited(arm: Arm | None) -> float | None:
    """The share of its time in which a treatment was ready to run and did not."""
    if arm is None or arm.waited_s is None or not arm.spanned_s:
        return None
    return min(arm.waited_s / arm.spanned_s, _MOST_WAITED)


WALL_AGAINST_CPU = Check(
    id="wall-against-cpu",
    rule="W: CPU and wall time differ by more than the margin where their intervals and waiting do not explain it",
    applies=lambda evidence: any(True for _ in _pairs(evidence)),
    examine=_examine,
)
