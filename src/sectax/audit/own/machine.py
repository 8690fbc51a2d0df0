"""Effects of the machine on a run: quotas, waiting for a CPU."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from sectax.audit.checks.interface import Remark, cannot_be_checked, check, fatal, remark, warning
from sectax.audit.checks.words import duration, named, percent
from sectax.audit.own.evidence import Arm, RunEvidence
from sectax.model.finding import Effect, Finding, Severity
from sectax.model.metric import Summary
from sectax.model.plan import SETTLING_SHARE
from sectax.text import units

# A share of the time between the readings.
MOST_THROTTLED = 0.01
# Where a treatment declares its quota, throttling is what is measured.
QUOTA_WITNESS = "cpu_quota"
# The ratio of the median batches, and the share of time spent waiting.
MOST_APART, MOST_WAITED = 1.5, 0.05


@check(
    "F: throttled for over 1 % of the time, unless the quota is a declared factor; W: throttled for less",
    applies=lambda evidence: bool(evidence.arms),
)
def throttling(evidence: RunEvidence) -> Iterator[Remark]:
    if all("throttled_s" not in arm.telemetry for arm in evidence.arms.values()):
        yield cannot_be_checked("run", "whether a CPU quota throttled the subjects is not reported")
    for arm in evidence.arms.values():
        throttled_s = arm.telemetry.get("throttled_s")
        if not throttled_s or (batches := arm.batches) is None:
            continue
        # Where the time between the readings is unknown, use its lower limit.
        spanned_s = arm.telemetry.get("spanned_s")
        if spanned_s is None:
            settles = arm.calibration is not None and arm.calibration.settle
            spanned_s = batches.batches * batches.shortest_s * (1 + SETTLING_SHARE * settles)
        part = throttled_s / spanned_s if spanned_s > 0 else 1.0
        saw = f"throttled for {duration(throttled_s)}, about {units.share(part)} of the observed time"
        if QUOTA_WITNESS in arm.treatment.declares:
            meaning = "the quota is a factor of this run, so this is part of the result"
            yield remark(Severity.NOTE, arm.id, saw, meaning)
            continue
        advice = "raise the CPU quota of this machine or container, or reduce other load"
        if part > MOST_THROTTLED:
            yield fatal(arm.id, saw, "the quota was measured, not the subject", advice)
        else:
            yield warning(arm.id, saw, "too little to change a verdict", advice)


@check(
    "F: the median batches of two treatments differ by more than 1.5 times, and one waited for a processor for over "
    "5 % of its time; W: where each batch is one operation",
    applies=lambda evidence: bool(evidence.metrics),
)
def unequal_batches(evidence: RunEvidence) -> Iterator[Remark]:
    # Operation counts fit the clock of the first metric; another clock adds waiting to the batch.
    length = "takes {:.3g} ms of CPU time" if next(iter(evidence.metrics.values())).cpu else "lasts {:.3g} ms"
    for finding in evidence.measured_findings():
        metric = evidence.metrics[finding.comparison.metric]
        arms = evidence.sides(finding)
        if arms and (metric.cpu or metric.observed == evidence.plan.batch_observation) and metric.summary.tail is None:
            yield from _pair(finding, *arms, length, of_cpu=metric.cpu)


def _pair(finding: Finding, treatment: Arm, baseline: Arm, length: str, *, of_cpu: bool) -> Iterator[Remark]:
    single = _is_single(treatment) and _is_single(baseline)
    if single and of_cpu:
        return  # the CPU cost of interruptions is proportional to the length of an operation
    known = [arm.queued for arm in (treatment, baseline) if arm.queued is not None]
    waited = any(part > MOST_WAITED for part in known)
    where, treatment_s, baseline_s = finding.comparison.id, treatment.batch_s, baseline.batch_s
    if treatment_s is None or baseline_s is None:
        if waited:
            yield cannot_be_checked(where, "subjects waited for a processor, but their batch lengths are not reported")
    elif max(treatment_s, baseline_s) <= MOST_APART * min(treatment_s, baseline_s):
        return
    elif waited:
        yield remark(
            Severity.WARNING if single else Severity.FATAL,
            where,
            f"a batch of {treatment.id} {length.format(1e3 * treatment_s)}, one of {baseline.id} "
            f"{1e3 * baseline_s:.3g} ms, and up to {units.share(max(known))} of that time was spent waiting for a "
            "processor",
            "each batch is one operation: longer ones wait more often, which is part of the difference"
            if single
            else "long batches wait more often than short ones, so the batch length may explain the difference",
            "run again on a quieter machine",
        )
    elif len(known) < 2 and not single:
        yield cannot_be_checked(where, "the time that the subjects waited for a processor is not reported")


def _is_single(arm: Arm) -> bool:
    return arm.batches is not None and arm.batches.operations <= arm.batches.batches


def _both_times(evidence: RunEvidence) -> Iterator[tuple[Finding, Effect, Effect]]:
    """Yield comparisons decided in CPU time, with their CPU and wall effects."""
    answering = next(iter(evidence.metrics.values()), None)
    if answering is None or not answering.cpu or answering.part_of:
        return
    finite = [
        (finding, effect)
        for finding in evidence.compared
        if (effect := finding.effect) is not None and math.isfinite(effect.low) and math.isfinite(effect.high)
    ]
    wall = {
        finding.comparison.treatment: effect
        for finding, effect in finite
        if evidence.metrics[finding.comparison.metric].observed == evidence.plan.batch_observation
    }
    for finding, cpu in finite:
        compared = finding.comparison
        if compared.metric == answering.name and compared.treatment in wall:
            yield finding, cpu, wall[compared.treatment]


@check(
    "W: effects in CPU and wall time differ by more than the margin, beyond their intervals and waiting",
    applies=lambda evidence: any(_both_times(evidence)),
)
def wall_against_cpu(evidence: RunEvidence) -> Iterator[Remark]:
    def differ(cpu: Effect, wall: Effect, waiting: float = 0.0) -> bool:
        """Whether both differ by more than the margin after removing *waiting*."""
        is_apart = wall.low - waiting > cpu.high or wall.high - waiting < cpu.low
        return is_apart and abs(wall.log_ratio - waiting - cpu.log_ratio) > math.log1p(evidence.margin)

    for finding, cpu, wall in _both_times(evidence):
        if not differ(cpu, wall):
            continue
        compared = finding.comparison
        shares = [_left(evidence, arm) for arm in (compared.baseline, compared.treatment)]
        saw = f"CPU time changes by {percent(cpu.log_ratio)}, wall time by {percent(wall.log_ratio)}"
        if shares[0] is None or shares[1] is None:
            missing = f"{saw}, but the time that the subjects waited for a processor is not reported"
            yield cannot_be_checked(compared.id, missing)
            continue
        waiting = math.log(shares[0]) - math.log(shares[1])
        if differ(cpu, wall, waiting):
            yield warning(
                compared.id,
                f"{saw}; without waiting for a processor, wall time changes by {percent(wall.log_ratio - waiting)}",
                "the operation may wait for something else, or work in another process",
                "use wall time where callers wait; and find out what the operation waits for",
            )


def _left(evidence: RunEvidence, arm_id: str) -> float | None:
    """Return the share of wall time without waiting; None where unknown.

    The kernel reports waiting for whole requests, an upper limit for a batch, so no more is removed than the
    batches' wall time exceeds their CPU time.
    """
    arm = evidence.arms.get(arm_id)
    if arm is None or arm.waited_s is None or arm.batches is None or not arm.batches.operations:
        return None
    cpu, wall = (_seconds(arm, of_cpu=of_cpu) for of_cpu in (True, False))
    if cpu is None or wall is None:
        return None
    return (wall - min(max(wall - cpu, 0.0), arm.waited_s / arm.batches.operations)) / wall


def _seconds(arm: Arm, *, of_cpu: bool) -> float | None:
    """Return CPU or wall time of one operation, over all blocks."""
    for metric, series in arm.series.items():
        if series.values and metric.cpu == of_cpu and (of_cpu or metric.observed == arm.batch):
            return statistics.fmean(1 / value if metric.summary is Summary.RATE else value for value in series.values)
    return None


def _at_floor(arm: Arm) -> bool:
    return True in arm.witnesses.get("peak_memory_at_most", ())


@check(
    "W: a peak is that of the program that starts the subject, so it may be lower",
    applies=lambda evidence: any(map(_at_floor, evidence.arms.values())),
)
def memory_floor(evidence: RunEvidence) -> Iterator[Remark]:
    """The kernel counts what the starting program uses until the subject replaces it."""
    for finding in evidence.compared:
        compared, sides = finding.comparison, evidence.sides(finding)
        metric = evidence.metrics[compared.metric]
        if sides is None or metric.unit != "B":
            continue
        if least := [arm for arm in sides if _at_floor(arm)]:
            peak = max(value for arm in least for value in arm.series[metric].values)
            column = units.scale("B", [peak])
            size = f"{units.number(peak / column.size)} {column.unit}"
            saw = f"at most {size} in {named(arm.id for arm in least)}: as much as the program that starts it"
            yield warning(compared.id, saw, "a smaller peak, or a difference below this, is not visible")
