"""Decide which comparisons a run must continue to measure, by results alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sectax.analysis.conditions import conditions_about, decide_by_interval, leading_metrics, needs_control
from sectax.analysis.controls import is_found, would_detect
from sectax.analysis.findings import judge
from sectax.analysis.verdict import meets_stopping_rule
from sectax.model.condition import BILL, ConditionAnswer
from sectax.model.finding import Finding
from sectax.model.measured import Measured
from sectax.model.plan import LONG_S, Plan, Until
from sectax.model.subject import differ
from sectax.model.treatment import CONTROLS, Standing
from sectax.stats.run_controls import depends_on_control

# Give up a treatment that failed in this number of consecutive finished blocks.
PATIENCE = 3


@dataclass(frozen=True)
class Undecided:
    """What the next blocks must measure; falsy if nothing.

    Attributes:
        comparisons: ids of comparisons that have not reached `Stopping.until`.
        treatments: ids that the next block must measure, including baselines and controls.
    """

    comparisons: frozenset[str]
    treatments: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.comparisons)


def find_undecided(measured: Measured, findings: Sequence[Finding] | None = None) -> Undecided:
    """Find undecided comparisons and the treatments to measure for them.

    Only the plan's first metric, or those of its conditions, keep a run going.

    Args:
        findings: the result of `judge(measured)` if already computed.
    """
    plan = measured.plan
    all_findings = judge(measured) if findings is None else findings
    leading = leading_metrics(plan)
    judged = [
        finding
        for finding in all_findings
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
        if comparison.standing != Standing.POSITIVE or not alive(positive) or is_found(positive):
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
    cell_of = {treatment.id: treatment.cell for treatment in plan.treatments}
    treatments |= {baseline[cell_of[treatment]] for treatment in treatments}
    return Undecided(frozenset(comparisons), frozenset(treatments))


def _is_open(measured: Measured, finding: Finding) -> bool:
    if measured.plan.stopping.fixed_blocks is not None or finding.effect is None:
        return True
    effect = finding.effect
    stopping = measured.plan.stopping
    conditions = conditions_about(measured.plan, finding.comparison)
    if any(decide_by_interval(condition, effect.low, effect.high) is ConditionAnswer.OPEN for condition in conditions):
        return True
    until = stopping.until
    if until is Until.CONDITIONS:
        if any(conditions_about(measured.plan, comparison) for comparison in measured.plan.comparisons):
            return False
        timed = {BILL, *(metric.name for metric in measured.plan.metrics)}
        if not any(condition.metric in timed for condition in stopping.conditions):
            return False  # counters have no noise: one block is enough
        until = Until.VERDICT  # no condition applies to a comparison
    return not meets_stopping_rule(finding.verdict, effect.low, effect.high, effect.log_ratio, finding.margin, until)


def _unequal_work(measured: Measured, finding: Finding) -> bool:
    """Whether witnesses show unequal work, so that more blocks cannot help."""
    treatment, baseline = (
        measured.witnesses.get(name, {}) for name in (finding.comparison.treatment, finding.comparison.baseline)
    )
    return any(differ(treatment.get(name, ()), baseline.get(name, ())) for name in measured.plan.equal_witnesses)


def _may_lean(measured: Measured, finding: Finding) -> bool:
    """Whether the verdict may be within the margin, which needs a positive control.

    Unlikely if the effect so far exceeds twice the margin; then long operations are not spent on the control.
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
    """Whether ruling a condition out needs a sensitive positive control."""
    effect = finding.effect
    return effect is not None and any(
        needs_control(condition, effect.low, effect.high) and not would_detect(positive, condition.limit)
        for condition in conditions_about(plan, finding.comparison)
    )


def _measured_once(measured: Measured) -> frozenset[str]:
    """Treatments of cells measured once that were visited in a finished block."""
    once = {cell.id for cell in measured.plan.cells if cell.once}
    return frozenset(
        treatment.id
        for treatment in measured.plan.treatments
        if treatment.cell in once and not set(measured.blocks).isdisjoint(measured.visited.get(treatment.id, ()))
    )


def _abandoned(measured: Measured) -> frozenset[str]:
    """Treatments that failed in the pilot, or in all of their last blocks."""
    abandoned: set[str] = set()
    if measured.calibrated is not None:
        abandoned |= {treatment.id for treatment in measured.plan.treatments}
        abandoned -= measured.calibrated.calibrations.keys()
    failed: dict[str, set[int]] = {}
    for failure in measured.failures:
        failed.setdefault(failure.treatment, set()).add(failure.block)
    for treatment, blocks in failed.items():
        last = [block for block in measured.visited.get(treatment, ()) if block in set(measured.blocks)][-PATIENCE:]
        if len(last) == PATIENCE and blocks.issuperset(last):
            abandoned.add(treatment)
    return frozenset(abandoned)
