"""What a run must go on measuring. When it ends for want of time or blocks is decided by its caller."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sectax.analysis.conditions import by_interval, conditions_about, leading_metrics, leans_on_control
from sectax.analysis.controls import found, would_show
from sectax.analysis.findings import judge
from sectax.analysis.verdict import resolved
from sectax.model.condition import BILL, ConditionAnswer
from sectax.model.finding import Finding
from sectax.model.measured import Measured
from sectax.model.plan import LONG_S, Plan, Until
from sectax.model.subject import differ
from sectax.model.treatment import CONTROLS, Standing
from sectax.stats.run_controls import depends_on_control

# A treatment that came to nothing in so many finished blocks in a row is given up.
PATIENCE = 3


@dataclass(frozen=True)
class StillOpen:
    """What must go on: nothing where `comparisons` is empty.

    Attributes:
        comparisons: ids of those that have not what the run goes on for (`Stopping.until`).
        treatments: ids that the next block must measure, baselines and controls included.
    """

    comparisons: frozenset[str]
    treatments: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.comparisons)


def still_open(measured: Measured, findings: Sequence[Finding] | None = None) -> StillOpen:
    """Which comparisons are open, and what must be measured for them.

    Only those of the plan's first metric, or of its conditions, keep a run going; the others come along as they are.

    Args:
        findings: as `judge(measured)` gave them, where the caller has them already.
    """
    plan = measured.plan
    every = judge(measured) if findings is None else findings
    leading = leading_metrics(plan)
    judged = [
        finding
        for finding in every
        if (finding.comparison.metric in leading or finding.comparison.standing in CONTROLS)
        and not _unequal_work(measured, finding)
    ]
    dead = _abandoned(measured) | _measured_once(measured)
    observed = {metric.name: metric.observed for metric in plan.metrics}
    family = {cell.id: cell.family for cell in plan.cells}
    baseline = {cell.id: cell.baseline for cell in plan.cells}

    def alive(finding: Finding) -> bool:
        return not dead & {finding.comparison.treatment, finding.comparison.baseline}

    live = [
        finding
        for finding in judged
        if finding.comparison.standing not in CONTROLS and _is_open(measured, finding) and alive(finding)
    ]
    comparisons = {finding.comparison.id for finding in live}
    treatments = {finding.comparison.treatment for finding in live}
    families = {family[finding.comparison.cell] for finding in live}

    for positive in judged:
        comparison = positive.comparison
        if comparison.standing != Standing.POSITIVE or not alive(positive) or found(positive):
            continue
        if any(
            depends_on_control(finding, comparison, family, observed)
            or (
                family[finding.comparison.cell] == family[comparison.cell]
                and observed[finding.comparison.metric] == observed[comparison.metric]
                and _needs_control(plan, finding, positive)
            )
            for finding in judged
        ):
            comparisons.add(comparison.id)
            families.add(family[comparison.cell])
            treatments.add(comparison.treatment)
        elif any(
            family[finding.comparison.cell] == family[comparison.cell] and _may_lean(measured, finding)
            for finding in live
        ):
            treatments.add(comparison.treatment)
    for negative in judged:
        comparison = negative.comparison
        if comparison.standing == Standing.NEGATIVE and alive(negative) and family[comparison.cell] in families:
            treatments.add(comparison.treatment)
    place = {treatment.id: treatment.cell for treatment in plan.treatments}
    cells = {place[treatment] for treatment in treatments}
    treatments |= {baseline[cell] for cell in cells}
    return StillOpen(frozenset(comparisons), frozenset(treatments))


def _is_open(measured: Measured, finding: Finding) -> bool:
    if measured.plan.stopping.fixed_blocks is not None or finding.effect is None:
        return True
    effect = finding.effect
    stopping = measured.plan.stopping
    about_it = conditions_about(measured.plan, finding.comparison)
    if any(by_interval(condition, effect.low, effect.high) is ConditionAnswer.OPEN for condition in about_it):
        return True
    until = stopping.until
    if until is Until.CONDITIONS:
        if any(conditions_about(measured.plan, comparison) for comparison in measured.plan.comparisons):
            return False
        timed = {BILL, *(metric.name for metric in measured.plan.metrics)}
        if not any(condition.metric in timed for condition in stopping.conditions):
            return False  # what is counted has no noise: one block says it
        until = Until.VERDICT  # no condition is about what keeps a run going
    return not resolved(finding.verdict, effect.low, effect.high, effect.log_ratio, finding.margin, until)


def _unequal_work(measured: Measured, finding: Finding) -> bool:
    """Whether both sides are known to have done different work: no verdict can come of measuring more of that."""
    treatment, baseline = (
        measured.witnesses.get(name, {}) for name in (finding.comparison.treatment, finding.comparison.baseline)
    )
    return any(differ(treatment.get(name, ()), baseline.get(name, ())) for name in measured.plan.equal_witnesses)


def _may_lean(measured: Measured, finding: Finding) -> bool:
    """Whether a verdict to come may rest on a known cost: no long operation is spent on one that hardly will be asked.

    What differs by twice the margin so far will hardly come out within it.
    """
    calibrations = {} if measured.calibrated is None else measured.calibrated.calibrations
    treatment, baseline = (
        calibrations.get(name) for name in (finding.comparison.treatment, finding.comparison.baseline)
    )
    if treatment is None or baseline is None or max(treatment.operation_s, baseline.operation_s) < LONG_S:
        return True
    pilot = math.log(treatment.operation_s / baseline.operation_s)
    return abs(pilot if finding.effect is None else finding.effect.log_ratio) <= math.log1p(2 * finding.margin)


def _needs_control(plan: Plan, finding: Finding, positive: Finding) -> bool:
    """Whether a condition is ruled out by an interval that counts only where the known cost is seen."""
    effect = finding.effect
    return effect is not None and any(
        leans_on_control(condition, effect.low, effect.high) and not would_show(positive, condition.limit)
        for condition in conditions_about(plan, finding.comparison)
    )


def _measured_once(measured: Measured) -> frozenset[str]:
    """Treatments of cells that are measured in one block alone, where a finished block was to measure them."""
    once = {cell.id for cell in measured.plan.cells if cell.once}
    return frozenset(
        treatment.id
        for treatment in measured.plan.treatments
        if treatment.cell in once and not set(measured.blocks).isdisjoint(measured.visited.get(treatment.id, ()))
    )


def _abandoned(measured: Measured) -> frozenset[str]:
    """Treatments that will not come: the pilot could not calibrate them, or their last blocks all came to nothing."""
    gone: set[str] = set()
    if measured.calibrated is not None:
        gone |= {treatment.id for treatment in measured.plan.treatments}
        gone -= measured.calibrated.calibrations.keys()
    failed: dict[str, set[int]] = {}
    for failure in measured.failures:
        failed.setdefault(failure.treatment, set()).add(failure.block)
    for treatment, blocks in failed.items():
        last = [block for block in measured.visited.get(treatment, ()) if block in set(measured.blocks)][-PATIENCE:]
        if len(last) == PATIENCE and blocks.issuperset(last):
            gone.add(treatment)
    return frozenset(gone)
