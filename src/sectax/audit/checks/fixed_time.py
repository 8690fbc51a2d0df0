"""A configured total time or a requested rate cannot show a cost."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from sectax.audit.checks.groups import Worst, unknown, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import duration, number
from sectax.audit.form import EndsBy, Evidence, Quantity, Series
from sectax.formats.time_stops import TimeStop, find_time_stop
from sectax.model.finding import Severity

# Trials with such different numbers of operations take the same time only if the clock ends them.
SAME_TIME, DIFFERENT_COUNTS = 0.002, 1.5
SLEEPS = re.compile(r"\bu?sleep\b")
# Of programs that the clock stops after a whole number of seconds.
LATE_SHARE = 0.01
NO_COST = "the figure is the same at any speed, so it says nothing about a cost"


def _totals(evidence: Evidence) -> list[Series]:
    return [
        series for series in evidence.trials if series.quantity is Quantity.TOTAL_TIME and series.typical is not None
    ]


def _timed_commands(evidence: Evidence) -> dict[Series, TimeStop]:
    """Return the times of whole commands that stop by time."""
    stops = {series: find_time_stop(text) for series, text in evidence.commands.items()}
    return {
        series: stop
        for series, stop in stops.items()
        if stop is not None and (stop.explains(series.typical or 0.0) or (evidence.is_run and not stop.is_limit))
    }


def _sees(evidence: Evidence) -> list[Series]:
    if evidence.is_run:
        return [*_totals(evidence), *evidence.commands]
    rates = [
        series for series in evidence.series if series.quantity is Quantity.RATE and series.work.target_rate is not None
    ]
    return [*_totals(evidence), *rates, *_timed_commands(evidence)]


@check(
    "F: a configured total time, or a requested rate; W: the same time for different numbers of operations, or the "
    "time of a command that stops by time (in a sectax run, also of two that last the same whole number of seconds)",
    sees=_sees,
    runs=True,
)
def fixed_time_total(evidence: Evidence) -> Iterator[Remark]:
    totals = _totals(evidence)
    fixed = {series: series.work.ends_by and series.work.ends_by is EndsBy.TIME for series in totals}
    yield from unknown(
        [series for series in totals if fixed[series] is None and not series.work.operations],
        "the output does not report whether the clock or a number of operations ended the trial",
    )
    configured: Worst = {series: (0.0, _configured(series)) for series in totals if fixed[series]}
    advice = "compare operations per second, or end the trial after a fixed number of operations"
    yield from worst(Severity.FATAL, configured, NO_COST, advice)
    unsaid = [series for series in totals if series.work.operations and fixed[series] is None]
    same: Worst = {}
    for series in unsaid:
        same_time = [
            other for other in unsaid if abs((other.typical or 0.0) / (series.typical or 1.0) - 1) <= SAME_TIME
        ]
        counts = [other.work.operations or 0.0 for other in same_time]
        if series.typical and max(counts) > DIFFERENT_COUNTS * min(counts):
            times = (
                f"{number(min(counts))} and {number(max(counts))} operations took the same {duration(series.typical)}"
            )
            same[series] = (max(counts) / min(counts), times)
    yield from worst(Severity.WARNING, same, f"the clock ended the trials: {NO_COST}", advice)
    as_asked: Worst = {
        series: (0.0, f"the rate is the requested rate, {series.work.target_rate:g}/s")
        for series in evidence.series
        if not evidence.is_run and _is_as_asked(series)
    }
    yield from worst(Severity.FATAL, as_asked, NO_COST, "compare latencies, or send as fast as possible")
    stops, advice = _timed_commands(evidence), "give it a fixed amount of work, or compare what it counts"
    stopped: Worst = {series: (0.0, f"the command stops by time ({stop.words})") for series, stop in stops.items()}
    yield from worst(Severity.WARNING, stopped, NO_COST, advice)
    others = [series for series in evidence.commands if evidence.is_run and series not in stops]
    yield from worst(Severity.WARNING, _whole_seconds(evidence, others), f"if the clock stops both, {NO_COST}", advice)


def _configured(series: Series) -> str:
    seconds = series.work.configured_s
    return f"the total is the configured time{'' if seconds is None else f', {seconds:g} s'}"


def _whole_seconds(evidence: Evidence, commands: list[Series]) -> Worst:
    """Find commands that last as long as the first: a whole number of seconds and a little more."""
    whole = {
        series: seconds
        for series in commands
        if not SLEEPS.search(evidence.commands[series]) and (seconds := series.typical)
        if 0 <= seconds - round(seconds) <= LATE_SHARE * round(seconds)
    }
    first = next(iter(whole), None)
    return {
        series: (0.0, f"it lasts {seconds:.4g} s, and {first.id} {whole[first]:.4g} s")
        for series, seconds in whole.items()
        if first is not None and evidence.commands[series] != evidence.commands[first]
        if abs(seconds / whole[first] - 1) <= SAME_TIME
    }


def _is_as_asked(series: Series) -> bool:
    target, achieved, sent = (
        series.work.target_rate,
        series.work.achieved_rate or series.typical,
        series.work.operations,
    )
    if series.quantity is not Quantity.RATE or not target or achieved is None:
        return False
    # With random send times the count has a Poisson distribution.
    chance = 0.01 + (3 / math.sqrt(sent) if sent and sent > 0 else 0.0)
    return abs(achieved / target - 1) <= chance
