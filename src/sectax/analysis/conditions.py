"""Decide conditions such as 'slower by more than 5 %': held, ruled out, undecided."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from sectax.analysis.controls import would_detect
from sectax.model.compared import EffectPair, RunComparison
from sectax.model.condition import OF_BASELINE, Concluded, Condition, ConditionAnswer, OpenReason, Span
from sectax.model.finding import NO_CLAIM, Finding, VerdictId
from sectax.model.measured import Measured
from sectax.model.plan import Plan, Until
from sectax.model.treatment import CONTROLS, Comparison, Role, Standing, Treatment


def concerns(condition: Condition, comparison: Comparison, plan: Plan) -> bool:
    """Whether a condition applies to a comparison: a named or else a primary one."""
    if not condition.is_share or comparison.standing in CONTROLS:
        return False
    if not condition.metric and not condition.about and comparison.standing is not Standing.PRIMARY:
        return False
    first = plan.metrics[0].name
    return comparison.metric == (condition.metric or first) and _is_about(
        plan.treatment(comparison.treatment), condition
    )


def leading_metrics(plan: Plan) -> frozenset[str]:
    """The metrics that a run continues for: of its conditions, or else the first."""
    first = plan.metrics[0].name
    named = {condition.metric or first for condition in plan.stopping.conditions if condition.is_share}
    return frozenset(named if named and plan.stopping.until is Until.CONDITIONS else {first})


def _is_about(treatment: Treatment, condition: Condition) -> bool:
    return set(treatment.levels.values()).issuperset(condition.about)


def conditions_about(plan: Plan, comparison: Comparison) -> tuple[Condition, ...]:
    """The plan's conditions that apply to a comparison."""
    return tuple(condition for condition in plan.stopping.conditions if concerns(condition, comparison, plan))


def decide_by_interval(condition: Condition, low: float, high: float) -> ConditionAnswer:
    """Decide a condition from an interval of the log ratio (positive is costlier)."""
    limit = math.log1p(condition.limit)
    low, high = (low, high) if condition.costlier else (-high, -low)
    if low > high:  # empty: no value agrees with all looks
        return ConditionAnswer.OPEN
    if low > limit:
        return ConditionAnswer.HOLDS
    return ConditionAnswer.RULED_OUT if high <= limit else ConditionAnswer.OPEN


def needs_control(condition: Condition, low: float, high: float) -> bool:
    """Whether 'ruled out' needs proof of sensitivity; the other direction does not."""
    return decide_by_interval(condition, low, high) is ConditionAnswer.RULED_OUT and not (
        high < 0 if condition.costlier else low > 0
    )


def conclude(
    conditions: Iterable[Condition],
    measured: Measured,
    findings: Sequence[Finding],
    values: Mapping[str, Mapping[str, Span | str]] = MappingProxyType({}),
) -> tuple[Concluded, ...]:
    """Decide conditions: held by one comparison, or ruled out by all.

    Args:
        findings: after the audit, including the run's own controls.
        values: treatment -> name of a metric or counter -> its value.
    """
    plan = measured.plan
    return tuple(
        _concluded(
            condition,
            [
                (finding.comparison.id, _answer(condition, finding, measured, findings))
                for finding in findings
                if concerns(condition, finding.comparison, plan)
            ],
        )
        if condition.is_share
        else _concluded_value(condition, measured, findings, values)
        for condition in conditions
    )


def _concluded_value(
    condition: Condition,
    measured: Measured,
    findings: Sequence[Finding],
    values: Mapping[str, Mapping[str, Span | str]],
) -> Concluded:
    answers: list[tuple[str, tuple[ConditionAnswer, OpenReason]]] = []
    spans: dict[str, Span | str] = {}
    for treatment in measured.plan.treatments:
        if treatment.role is not Role.TREATMENT or not _is_about(treatment, condition):
            continue
        own = [finding for finding in findings if finding.comparison.treatment == treatment.id]
        span = _span(condition, measured.plan, treatment, own, values)
        withdrawn = any(finding.verdict is VerdictId.WITHDRAWN for finding in own)
        if span is not None and not withdrawn:
            spans[treatment.id] = span
        if not isinstance(span, Span):
            answers.append(
                (
                    treatment.id,
                    (ConditionAnswer.OPEN, OpenReason.NO_FIGURE if isinstance(span, str) else _why_open(*own)),
                )
            )
            continue
        # A share is positive in the direction of its condition.
        upward = condition.costlier or condition.unit == OF_BASELINE
        low, high = (span.low, span.high) if upward else (-span.high, -span.low)
        limit = condition.limit if upward else -condition.limit
        answer, why = (
            ConditionAnswer.HOLDS
            if low > limit
            else ConditionAnswer.RULED_OUT
            if high <= limit
            else ConditionAnswer.OPEN,
            OpenReason.WIDE,
        )
        if measured.state != "finished" or measured.blocks_pending:
            answer, why = ConditionAnswer.OPEN, OpenReason.UNFINISHED
        elif withdrawn:
            answer, why = ConditionAnswer.OPEN, OpenReason.WITHDRAWN
        answers.append((treatment.id, (answer, why)))
    conclusion = _concluded(condition, answers)
    return replace(conclusion, values={name: spans[name] for name in conclusion.decisive if name in spans})


def _span(
    condition: Condition,
    plan: Plan,
    treatment: Treatment,
    own: Sequence[Finding],
    values: Mapping[str, Mapping[str, Span | str]],
) -> Span | str | None:
    """A treatment's value or growth over the baseline; text if it is unknown."""
    span = values.get(treatment.id, {}).get(condition.metric)
    if not isinstance(span, Span) or not condition.growth:
        return span
    baseline = values.get(plan.cell(treatment.cell).baseline, {}).get(condition.metric)
    if condition.unit == OF_BASELINE:
        return growth_share(baseline, span, costlier=condition.costlier) if isinstance(baseline, Span) else baseline
    compared = next((finding.effect for finding in own if finding.comparison.metric == condition.metric), None)
    more = None if compared is None else compared.absolute
    if more is not None and more.unit == span.unit and more.low is not None and more.high is not None:
        return Span(more.low, more.high, span.unit)
    # Both intervals hold at the sum of their error levels, so the difference is within their far ends.
    if not isinstance(baseline, Span):
        return baseline
    return Span(span.low - baseline.high, span.high - baseline.low, span.unit, span.by)


def growth_share(baseline: Span, span: Span, *, costlier: bool = True) -> Span:
    """The growth of a value over its baseline's as a share, or with *costlier* false its decrease."""
    old, new = (baseline, span) if costlier else (span, baseline)
    low, high = (
        (over / under if under else math.inf if over else 1.0) - 1
        for over, under in ((new.low, old.high), (new.high, old.low))
    )
    return Span(low, high, OF_BASELINE, span.by)


def conclude_change(
    conditions: Iterable[Condition], compared: RunComparison, *, pending: bool = False
) -> tuple[Concluded, ...]:
    """Decide conditions on the change of each effect from the first run to the second.

    Args:
        pending: whether a run has not reached its fixed number of blocks.
    """
    changes = {pair.comparison: change for pair in compared.effects if (change := _change(pair)) is not None}

    def answer(condition: Condition, pair: EffectPair) -> tuple[ConditionAnswer, OpenReason]:
        if pending or pair.comparison not in changes:
            return ConditionAnswer.OPEN, OpenReason.UNFINISHED if pending else _why_open(pair.a, pair.b)
        return decide_by_interval(condition, *changes[pair.comparison]), OpenReason.WIDE

    return tuple(
        _concluded(
            condition,
            [
                (pair.comparison, answer(condition, pair))
                for pair in compared.effects
                if concerns(condition, pair.a.comparison, compared.plans[0])
            ],
            changes,
        )
        for condition in conditions
    )


def _concluded(
    condition: Condition,
    answers: list[tuple[str, tuple[ConditionAnswer, OpenReason]]],
    changes: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> Concluded:
    given_answers = {answer for _, (answer, _) in answers}
    answer = ConditionAnswer.RULED_OUT if given_answers == {ConditionAnswer.RULED_OUT} else ConditionAnswer.OPEN
    if ConditionAnswer.HOLDS in given_answers:
        answer = ConditionAnswer.HOLDS
    reasons = {name: why for name, (part_answer, why) in answers if part_answer is answer}
    return Concluded(
        condition,
        answer,
        tuple(reasons),
        {name: changes[name] for name in reasons if name in changes},
        tuple(reasons.values()) if answer is ConditionAnswer.OPEN else (),
    )


def _answer(
    condition: Condition, finding: Finding, measured: Measured, findings: Sequence[Finding]
) -> tuple[ConditionAnswer, OpenReason]:
    effect, plan = finding.effect, measured.plan
    unfinished = measured.state != "finished"
    if effect is None and unfinished:
        return ConditionAnswer.OPEN, OpenReason.UNFINISHED
    if effect is None or finding.verdict in NO_CLAIM:
        return ConditionAnswer.OPEN, _why_open(finding)
    if measured.blocks_pending:
        return ConditionAnswer.OPEN, OpenReason.UNFINISHED
    answer = decide_by_interval(condition, effect.low, effect.high)
    if needs_control(condition, effect.low, effect.high):
        positives = _positives(finding.comparison, plan, findings)
        would_show_limit = all(would_detect(positive, condition.limit) for positive in positives)
        if not (condition.limit >= finding.margin and would_show_limit):
            return ConditionAnswer.OPEN, OpenReason.UNFINISHED if unfinished else OpenReason.UNSEEN
    return answer, OpenReason.UNFINISHED if unfinished else OpenReason.WIDE


def _why_open(*findings: Finding) -> OpenReason:
    return (
        OpenReason.WITHDRAWN
        if any(finding.verdict is VerdictId.WITHDRAWN for finding in findings)
        else OpenReason.NOT_MEASURED
    )


def _positives(comparison: Comparison, plan: Plan, findings: Sequence[Finding]) -> list[Finding]:
    """The positive controls of the same family and observations."""
    family = plan.cell(comparison.cell).family
    observed = plan.metric(comparison.metric).observed
    return [
        finding
        for finding in findings
        if finding.comparison.standing is Standing.POSITIVE
        and plan.cell(finding.comparison.cell).family == family
        and plan.metric(finding.comparison.metric).observed == observed
    ]


def _change(pair: EffectPair) -> tuple[float, float] | None:
    """The interval of an effect's change between runs; None if one has no claim."""
    a, b = pair.a.effect, pair.b.effect
    if a is None or b is None or {pair.a.verdict, pair.b.verdict} & NO_CLAIM:
        return None
    # Both intervals hold at the sum of their error levels, so the difference is within their far ends.
    low, high = b.low - a.high, b.high - a.low
    return (low, high) if math.isfinite(high - low) else None
