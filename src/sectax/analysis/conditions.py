"""Whether a condition such as 'slower by more than 5 %' holds, is ruled out, or undecided."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from sectax.analysis.controls import found
from sectax.analysis.effect import blocks_pending
from sectax.model.compared import EffectPair, RunComparison
from sectax.model.condition import Answer, Concluded, Condition, Open
from sectax.model.finding import NO_CLAIM, Finding, VerdictId
from sectax.model.measured import Measured
from sectax.model.plan import Plan
from sectax.model.treatment import CONTROLS, Comparison, Standing


def concerns(condition: Condition, comparison: Comparison, first_metric: str) -> bool:
    """Whether a condition is about a comparison: those of the metric that it names, or else the primary ones."""
    if condition.metric:
        return comparison.metric == condition.metric and comparison.standing not in CONTROLS
    return comparison.metric == first_metric and comparison.standing is Standing.PRIMARY


def conditions_about(plan: Plan, comparison: Comparison) -> tuple[Condition, ...]:
    """Those of the plan's conditions that a comparison can answer."""
    return tuple(
        condition for condition in plan.stopping.conditions if concerns(condition, comparison, plan.metrics[0].name)
    )


def by_interval(condition: Condition, low: float, high: float) -> Answer:
    """The answer of an interval of the log ratio alone, positive always costlier."""
    limit = math.log1p(condition.limit)
    low, high = (low, high) if condition.costlier else (-high, -low)
    if low > high:  # the blocks contradict each other
        return Answer.OPEN
    if low > limit:
        return Answer.HOLDS
    return Answer.RULED_OUT if high <= limit else Answer.OPEN


def leans_on_control(condition: Condition, low: float, high: float) -> bool:
    """Whether 'ruled out' needs the proof that the run could see so little. The opposite direction needs none."""
    return by_interval(condition, low, high) is Answer.RULED_OUT and not (high < 0 if condition.costlier else low > 0)


def conclude(conditions: Iterable[Condition], measured: Measured, findings: Sequence[Finding]) -> tuple[Concluded, ...]:
    """The answer to each condition: it holds where it does for one comparison, and is ruled out where it is for all.

    Args:
        findings: after the audit, the run's own controls among them.
    """
    plan = measured.plan
    return tuple(
        _concluded(
            condition,
            [
                (finding.comparison.id, _answer(condition, finding, measured, findings))
                for finding in findings
                if concerns(condition, finding.comparison, plan.metrics[0].name)
            ],
        )
        for condition in conditions
    )


def conclude_change(
    conditions: Iterable[Condition], compared: RunComparison, *, pending: bool = False
) -> tuple[Concluded, ...]:
    """The same of what changed from one run to another: each effect relative to the same effect in the first run.

    Args:
        pending: one of the runs has not reached the number of blocks that was fixed for it.
    """
    first_metric = next((pair.a.comparison.metric for pair in compared.effects), "")
    changes = {pair.comparison: change for pair in compared.effects if (change := _change(pair)) is not None}

    def answer(condition: Condition, pair: EffectPair) -> tuple[Answer, Open]:
        if pending or pair.comparison not in changes:
            return Answer.OPEN, Open.UNFINISHED if pending else _silent(pair.a, pair.b)
        return by_interval(condition, *changes[pair.comparison]), Open.WIDE

    return tuple(
        _concluded(
            condition,
            [
                (pair.comparison, answer(condition, pair))
                for pair in compared.effects
                if concerns(condition, pair.a.comparison, first_metric)
            ],
            changes,
        )
        for condition in conditions
    )


def _concluded(
    condition: Condition,
    answers: list[tuple[str, tuple[Answer, Open]]],
    changes: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> Concluded:
    seen = {answer for _, (answer, _) in answers}
    answer = Answer.RULED_OUT if seen == {Answer.RULED_OUT} else Answer.OPEN
    if Answer.HOLDS in seen:
        answer = Answer.HOLDS
    reasons = {name: why for name, (each, why) in answers if each is answer}
    return Concluded(
        condition,
        answer,
        tuple(reasons),
        {name: changes[name] for name in reasons if name in changes},
        tuple(reasons.values()) if answer is Answer.OPEN else (),
    )


def _answer(
    condition: Condition, finding: Finding, measured: Measured, findings: Sequence[Finding]
) -> tuple[Answer, Open]:
    """The answer, and why it is undecided if it is."""
    effect, plan = finding.effect, measured.plan
    unfinished = measured.state != "finished"
    if effect is None and unfinished:
        return Answer.OPEN, Open.UNFINISHED
    if effect is None or finding.verdict in NO_CLAIM:
        return Answer.OPEN, _silent(finding)
    if blocks_pending(measured):
        return Answer.OPEN, Open.UNFINISHED
    answer = by_interval(condition, effect.low, effect.high)
    if leans_on_control(condition, effect.low, effect.high):
        positives = _positives(finding.comparison, plan, findings)
        if not (condition.limit >= finding.margin and all(map(found, positives))):
            return Answer.OPEN, Open.UNFINISHED if unfinished else Open.UNSEEN
    return answer, Open.UNFINISHED if unfinished else Open.WIDE


def _silent(*findings: Finding) -> Open:
    return Open.WITHDRAWN if any(finding.verdict is VerdictId.WITHDRAWN for finding in findings) else Open.NOT_MEASURED


def _positives(comparison: Comparison, plan: Plan, findings: Sequence[Finding]) -> list[Finding]:
    """The positive controls of the same family that are made of the same observations."""
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
    """The interval by which an effect grew from one run to the other; None where one of them says nothing."""
    a, b = pair.a.effect, pair.b.effect
    if a is None or b is None or {pair.a.verdict, pair.b.verdict} & NO_CLAIM:
        return None
    # Both intervals hold at once at the sum of their error levels, so the difference lies between their far ends.
    low, high = b.low - a.high, b.high - a.low
    return (low, high) if math.isfinite(high - low) else None
