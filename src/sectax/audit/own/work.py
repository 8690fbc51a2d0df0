"""Whether two treatments did the same work, and the work that they declare."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator

from sectax.audit.checks import failures
from sectax.audit.checks.interface import Remark, cannot_be_checked, check, fatal, warning
from sectax.audit.checks.words import duration
from sectax.audit.form import Moves
from sectax.audit.own.evidence import Arm, RunEvidence
from sectax.model.finding import FASTER, VerdictId
from sectax.model.subject import Witness, differ
from sectax.stats.binomial import clopper_pearson

NOT_THE_SAME = "the two did not do the same work"
_BUCKET = re.compile(r"bucket_\d{1,3}_s")
# With quartiles of this many blocks, a false alarm has a chance below one in a thousand runs.
FEWEST_BLOCKS, SLOWER = 6, 1.2
_MATERIAL = {VerdictId.SLOWER_MATERIAL: "slower", VerdictId.FASTER_MATERIAL: "faster"}


def _witnessed(arm: Arm, name: str) -> tuple[Witness, ...]:
    return arm.witnesses.get(name, ())


@check(
    "F: more than 0.1 % of the operations failed, or different shares; bytes, counts or outputs differ where declared "
    "equal",
    applies=lambda evidence: bool(evidence.arms),
)
def unequal_work(evidence: RunEvidence) -> Iterator[Remark]:
    yield from failures.unequal_work.examine(evidence)
    yield from _missing_witnesses(evidence)
    for treatment, baseline in dict.fromkeys(filter(None, map(evidence.sides, evidence.measured_findings()))):
        yield from _differing_errors(treatment, baseline)
        for name in evidence.plan.equal_witnesses:
            own, usual = _witnessed(treatment, name), _witnessed(baseline, name)
            if differ(own, usual):
                saw = f"{name} is {', '.join(map(str, own))}, but {', '.join(map(str, usual))} in its baseline"
                advice = evidence.plan.words.get(f"unequal={name}", "compare treatments that do the same work")
                yield fatal(treatment.id, saw, NOT_THE_SAME, advice)


def _missing_witnesses(evidence: RunEvidence) -> Iterator[Remark]:
    """Note missing witnesses: once per run for whole cells, else per treatment."""
    silent = []
    for name in evidence.plan.equal_witnesses:
        telling = {arm.treatment.cell for arm in evidence.arms.values() if _witnessed(arm, name)}
        if any(arm.treatment.cell not in telling for arm in evidence.arms.values()):
            silent.append(name)
        for arm in evidence.arms.values():
            if arm.treatment.cell in telling and not _witnessed(arm, name):
                yield cannot_be_checked(arm.id, f"{name}, which shows whether the work is equal, was not witnessed")
    if silent:
        yield cannot_be_checked("run", f"whether the work was equal: not all subjects report {', '.join(silent)}")


def _differing_errors(treatment: Arm, baseline: Arm) -> Iterator[Remark]:
    """F where the shares of failed operations differ by more than chance."""
    failed, shares = [arm.telemetry.get("errors") for arm in (treatment, baseline)], []
    for arm, errors in zip((treatment, baseline), failed, strict=True):
        if errors is None or arm.batches is None or arm.batches.operations < errors:
            return
        shares.append(clopper_pearson(round(errors), arm.batches.operations, 0.99))
    (low, high), (other_low, other_high) = shares
    if low > other_high or high < other_low:
        saw = f"{failed[0]:.0f} operations failed, but {failed[1]:.0f} in its baseline"
        yield fatal(treatment.id, saw, NOT_THE_SAME, failures.FIX)


@check(
    "W: a treatment is faster than its baseline, and a witness shows that it skipped work",
    applies=lambda evidence: bool(evidence.plan.shortcuts),
)
def less_work(evidence: RunEvidence) -> Iterator[Remark]:
    operations = {figure.treatment: figure.work.operation for figure in evidence.series}
    faster = {
        sides: finding.comparison.metric.replace("_", " ")
        for finding in evidence.compared
        if finding.verdict in FASTER and (sides := evidence.sides(finding))
    }
    for (treatment, baseline), metric in faster.items():
        for shortcut in evidence.plan.shortcuts:
            witnessed, usual = (set(_witnessed(arm, shortcut.witness)) for arm in (treatment, baseline))
            skipped = witnessed and usual and witnessed.isdisjoint(usual)
            if skipped and operations.get(treatment.id) in shortcut.operations:
                own, expected = (", ".join(sorted(map(str, values))) for values in (witnessed, usual))
                saw = f"takes less {metric} than its baseline, which does more: {shortcut.words} "
                advice = "take it as the difference between the two, not as the cost of what is compared"
                yield warning(treatment.id, f"{saw}({shortcut.witness} is {own}, not {expected})", shortcut.why, advice)


def _without_body(evidence: RunEvidence) -> dict[str, str]:
    """Return treatments whose operation moves only metadata, with the operation."""
    metadata_only = (figure for figure in evidence.series if figure.work.moves is Moves.METADATA)
    return {figure.treatment: figure.work.operation or "the operation" for figure in metadata_only}


@check(
    "W: an operation without a body differs from its baseline by the margin or more, in the run's first metric",
    applies=lambda evidence: bool(_without_body(evidence)),
)
def metadata_cost(evidence: RunEvidence) -> Iterator[Remark]:
    operations, answers = _without_body(evidence), next(iter(evidence.metrics), "")
    for finding in evidence.compared:
        compared, direction = finding.comparison, _MATERIAL.get(finding.verdict)
        operation = operations.get(compared.treatment)
        if operation and direction and compared.metric == answers:
            yield warning(
                compared.treatment,
                f"{operation} moves no body, but is {direction} than its baseline ({compared.id})",
                "this difference is not work on a body, and operations with a body also include it",
                "compare it in absolute time, and subtract it from the cost, first for the smallest objects",
            )


def _buckets(arm: Arm) -> dict[str, list[float]]:
    """Return the median latency of each bucket, by block."""
    return {
        name: [float(value) for value in values if isinstance(value, int | float)]
        for name, values in arm.witnesses.items()
        if _BUCKET.fullmatch(name)
    }


@check(
    "F: one bucket of a treatment is over 20 % slower than its others, by quartiles over 6 blocks or more",
    applies=lambda evidence: any(map(_buckets, evidence.arms.values())),
)
def slow_bucket(evidence: RunEvidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        buckets = {name: times for name, times in _buckets(arm).items() if len(times) >= FEWEST_BLOCKS}
        if len(buckets) < 2:
            continue
        slow = max(buckets, key=lambda name: statistics.median(buckets[name]))
        other_times = [seconds for name, times in buckets.items() if name != slow for seconds in times]
        if statistics.quantiles(buckets[slow], n=4)[0] > SLOWER * statistics.quantiles(other_times, n=4)[2]:
            number = slow.removeprefix("bucket_").removesuffix("_s")
            yield fatal(
                arm.id,
                f"its objects take {duration(statistics.median(buckets[slow]))} in bucket {number}, but "
                f"{duration(statistics.median(other_times))} in the others",
                "part of the difference comes from that bucket, not from the treatment",
                "find out how that bucket differs, or use others",
            )
