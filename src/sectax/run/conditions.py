"""Conditions of `--fail-if`: resolve names, answer and print them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from sectax.analysis.conditions import conclude
from sectax.experiments import registry
from sectax.experiments.interface import Counts
from sectax.model.analysed import Analysed
from sectax.model.condition import BILL, OF_BASELINE, Concluded, Condition, ConditionAnswer, OpenReason, Span
from sectax.model.errors import ExitStatus, SectaxError, WrongUse
from sectax.model.finding import VerdictId
from sectax.model.metric import Metric
from sectax.model.plan import Plan, Stopping, Until
from sectax.model.treatment import CONTROLS
from sectax.reports.words import names
from sectax.text import units
from sectax.text.near import also_called, did_you_mean
from sectax.text.printable import printable

# Why a condition is undecided, and what to do; for an interval that is too wide, see `_longer_run_hint`.
_WHY = {
    OpenReason.NOT_MEASURED: "nothing was measured: sectax show RUN --all says why",
    OpenReason.NO_FIGURE: "a limit is judged by a figure with an interval",
    OpenReason.WITHDRAWN: "withdrawn: see the warnings",
    OpenReason.UNFINISHED: "the run has not finished: continue with sectax resume",
}
# The exit status for each answer; the gravest one decides.
_STATUSES = (
    (ConditionAnswer.HOLDS, ExitStatus.GATE_MISSED),
    (ConditionAnswer.OPEN, ExitStatus.INCONCLUSIVE),
    (ConditionAnswer.RULED_OUT, ExitStatus.DONE),
)


def with_conditions(rules: Stopping, conditions: tuple[Condition, ...], *, until_was_given: bool) -> Stopping:
    """The stopping rule of a run that continues until its conditions are decided.

    Raises:
        WrongUse: a limit below the margin, which the run could not rule out.
    """
    # With a metric's name it may be a count, which only the plan knows.
    refuse_below_margin((condition for condition in conditions if not condition.metric), rules.margin)
    if not conditions:
        return rules
    until = rules.until if until_was_given or rules.fixed_blocks is not None else Until.CONDITIONS
    return replace(rules, conditions=conditions, until=until)


def refuse_below_margin(conditions: Iterable[Condition], margin: float) -> None:
    """Raise `WrongUse` for a limit on an effect that is below the margin."""
    for condition in conditions:
        if condition.is_share and condition.limit < margin:
            raise WrongUse(
                f"--fail-if {condition.text} asks for less than the margin of {100 * margin:g}%",
                f"add --margin {100 * condition.limit:g}%, or ask for more",
            )


def count_names(name: str, options: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Names of what a run of an experiment with these options counts."""
    counting = _counting(name)
    return () if counting is None else counting.count_names(options)


def _counting(name: str) -> Counts | None:
    """The experiment, if it is installed and counts something."""
    try:
        experiment = registry.load(name)
    except SectaxError:
        return None
    return experiment if isinstance(experiment, Counts) else None


def settled(conditions: Iterable[Condition], plan: Plan, counted: Iterable[str] = ()) -> tuple[Condition, ...]:
    """Resolve the names in conditions against a plan.

    Args:
        counted: names of the counts that the run has.
    Raises:
        WrongUse: no metric has this name, several have, or the limit is in another unit.
    """
    names = {*count_names(plan.experiment, plan.options), *counted, *(metric.name for metric in plan.metrics)}
    names -= {metric.name for metric in plan.metrics if metric.compared}
    return tuple(_resolved(_of_count(condition, names), plan) for condition in conditions)


def _counted(witnesses: Mapping[str, Mapping[str, tuple[object, ...]]]) -> set[str]:
    """Names of the whole numbers that a run has for any treatment."""
    return {
        name
        for of_treatment in witnesses.values()
        for name, values in of_treatment.items()
        if all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    }


def _of_count(condition: Condition, counted: Collection[str]) -> Condition:
    """A share of what has no effect but a value as a limit on the growth of that value."""
    if not condition.is_share or condition.metric not in counted:
        return condition
    return replace(condition, unit=OF_BASELINE, growth=True)


def _resolved(condition: Condition, plan: Plan) -> Condition:
    metrics = [metric for metric in plan.metrics if metric.compared or not condition.is_share]
    levels = list(dict.fromkeys(level for factor in plan.factors for level in factor.levels))
    metric_name, about = "", []
    for word in filter(None, (*condition.about, condition.metric)):
        called = _metrics_named(word, metrics)
        if word in levels and word not in called:
            about.append(word)
        elif len(called) > 1:
            raise WrongUse(f"{condition.text}: {word!r} may be {' or '.join(called)}", "name one of them")
        elif called and not metric_name:
            metric_name = called[0]
        elif word == condition.metric and (condition.unit in ("", "B", OF_BASELINE) or word == BILL):
            metric_name = word  # a count, or a bill
        elif word != plan.experiment:
            metric_names, counting = [metric.name for metric in metrics], _counting(plan.experiment)
            if counting is not None and word in counting.countable:
                raise WrongUse(f"{condition.text}: {word} is not counted", f"add {counting.countable[word]}")
            raise WrongUse(
                f"{condition.text}: no metric {word!r} is {'compared' if condition.is_share else 'measured'}",
                did_you_mean(word, [*metric_names, *levels]),
            )
    unit = next((metric.unit for metric in metrics if metric.name == metric_name), None)
    in_units = not condition.is_share and condition.unit != OF_BASELINE
    if in_units and unit is not None and condition.unit != unit and (condition.unit or unit != "B"):
        raise WrongUse(f"{condition.text}: {metric_name} is in {unit}", "write the limit in that unit")
    return replace(condition, metric=metric_name, about=tuple(about))


def _metrics_named(word: str, metrics: Iterable[Metric]) -> list[str]:
    """The metrics of this name, or else those that contain it."""
    names = [metric.name for metric in metrics]
    return [word] if word in names else [name for name in names if also_called(word) in name.split("_")]


def concluded(analysed: Analysed, conditions: Sequence[Condition]) -> tuple[Concluded, ...]:
    """Answer conditions from one run.

    Raises:
        WrongUse: as `settled`; and a new condition on a figure that the run does not have.
    """
    plan = analysed.measured.plan
    conditions = settled(conditions, plan, _counted(analysed.measured.witnesses))
    if all(condition.is_share for condition in conditions):
        return conclude(conditions, analysed.measured, analysed.findings)
    from sectax.run.figures import figures  # imports prices and experiments

    values = figures(analysed)
    metric_names = {name for treatment_values in values.values() for name in treatment_values} | {
        item.name for item in plan.metrics
    }
    compared = {metric.name for metric in plan.metrics if metric.compared}
    for condition in conditions if values else ():
        if not condition.is_share and condition.metric not in metric_names:
            lacks, hint = f"the run has no {condition.metric!r}", did_you_mean(condition.metric, sorted(metric_names))
            if condition not in plan.stopping.conditions:
                raise WrongUse(f"{condition.text}: {lacks}", hint)
            for treatment_values in values.values():
                treatment_values[condition.metric] = f"{lacks}; {hint}"
        elif (
            not condition.is_share and condition.metric not in compared
        ):  # e.g. a public key, which some treatments lack
            for name, treatment_values in values.items():
                level = plan.treatment(name).levels.get(plan.control, name)
                if treatment_values:
                    treatment_values.setdefault(condition.metric, f"{level} has no {condition.metric}")
    return conclude(conditions, analysed.measured, analysed.findings, values)


def was_measured(analysed: Analysed) -> bool:
    """Whether any comparison has a figure, whatever its verdict."""
    findings = [finding for finding in analysed.findings if finding.comparison.standing not in CONTROLS]
    return any(finding.verdict is not VerdictId.NOT_MEASURED for finding in findings)


def status(answers: Iterable[Concluded]) -> ExitStatus:
    """The exit status: 1 if a condition holds, else 4 if one is undecided, else 0."""
    answered = {answer.answer for answer in answers}
    return next((ends_with for answer, ends_with in _STATUSES if answer in answered), ExitStatus.DONE)


def line(concluded: Concluded, plan: Plan | None) -> str:
    """A condition and its answer in one line.

    Args:
        plan: gives comparisons readable names; None for their ids.
    """
    text = f"--fail-if {concluded.condition.text}: {concluded.answer.value}"
    if not concluded.decisive:
        return f"{text}: no comparison is about it"
    if concluded.answer is ConditionAnswer.RULED_OUT and not concluded.changes and not concluded.values:
        return text
    about = [
        (name if plan is None else names.subject(plan, name)) + _change(concluded, name) + _value(concluded, name)
        for name in concluded.decisive
    ]
    text += f" for {', '.join(about)}"
    reasons = why(concluded, plan)
    return f"{text}: {reasons}" if reasons else text


def why(concluded: Concluded, plan: Plan | None) -> str:
    """Why a condition is undecided, and what to do; empty if it is decided."""
    return "; ".join(dict.fromkeys(_WHY.get(reason) or _longer_run_hint(reason, plan) for reason in concluded.why))


def _longer_run_hint(why: OpenReason, plan: Plan | None) -> str:
    limit = "more --blocks" if plan is not None and plan.stopping.fixed_blocks is not None else "a longer --budget"
    hint = f"run it again with {limit}, or on a quieter machine"
    if why is OpenReason.UNSEEN:
        return f"the interval is within the limit, but the run has not shown that it detects so small a cost; {hint}"
    return hint


def _change(concluded: Concluded, comparison: str) -> str:
    """The change between two runs: ' (changed by −5 to +6 %)'."""
    if comparison not in concluded.changes:
        return ""
    low, high = units.outward(*(math.expm1(end) * 100 for end in concluded.changes[comparison]))
    return f" (changed by {units.signed(low)} to {units.signed(high)} %)"


def _value(concluded: Concluded, treatment: str) -> str:
    return f" ({value(concluded, treatment)})" if treatment in concluded.values else ""


def value(concluded: Concluded, treatment: str) -> str:
    """A value as '12.1 to 12.4 ms', a count as '3 more than its baseline'."""
    span = concluded.values[treatment]
    if isinstance(span, str):
        return printable(span)
    by = f", counted by {printable(span.by)}" if span.by else ""
    if span.unit == OF_BASELINE:
        return f"{_share(span, concluded.condition)} than its baseline{by}"
    more = " more than its baseline" if concluded.condition.growth else ""
    if more and span.low < 0 and span.high <= 0:
        span, more = Span(-span.high, -span.low, span.unit), " less than its baseline"
    column = units.scale(span.unit, [span.low, span.high])
    figures = units.between(*(units.number(end / column.size) for end in (span.low, span.high)))
    return f"{figures} {column.unit}".rstrip() + more + by


def _share(span: Span, condition: Condition) -> str:
    """'1.2 % more', '0.4 % less to 3 % more', with the digits that show the side of the limit."""
    words = ("more", "less") if condition.costlier else ("less", "more")
    ends = []
    for end in (100 * span.low, 100 * span.high):
        text = units.number(abs(end))
        if text == units.number(100 * condition.limit) and not math.isclose(end, 100 * condition.limit, rel_tol=1e-12):
            text = f"{abs(end):.12g}"
        ends.append(f"{text} % {words[end < 0]}" if end < math.inf else f"infinitely {words[0]}")
    return units.between(*ends)
