"""A configured total time or a requested rate cannot show a cost."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.checks.groups import Worst, unknown, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import duration, number
from sectax.audit.form import EndsBy, Evidence, Quantity, Series
from sectax.formats.time_stops import TimeStop, find_time_stop
from sectax.model.finding import Severity

# Trials with such different numbers of operations take the same time only if the clock ends them.
SAME_TIME, DIFFERENT_COUNTS = 0.002, 1.5
NO_COST = "the figure is the same at any speed, so it says nothing about a cost"


def _totals(evidence: Evidence) -> list[Series]:
    return [
        series for series in evidence.series if series.quantity is Quantity.TOTAL_TIME and series.typical is not None
    ]


def _timed_commands(evidence: Evidence) -> dict[Series, TimeStop]:
    """Return the times of whole commands that stop by time."""
    stops = {}
    for series in evidence.series:
        command = next((level for factor, level in series.levels.items() if factor.lower() == "command"), "")
        stop = find_time_stop(command) if command and series.quantity is Quantity.TIME else None
        if stop is not None and series.typical is not None and stop.explains(series.typical):
            stops[series] = stop
    return stops


def _sees(evidence: Evidence) -> list[Series]:
    rates = [
        series for series in evidence.series if series.quantity is Quantity.RATE and series.work.target_rate is not None
    ]
    return [*_totals(evidence), *rates, *_timed_commands(evidence)]


@check(
    "F: a configured total time, or a requested rate; W: the same time for different numbers of operations, or the "
    "time of a command that stops by time",
    sees=_sees,
)
def fixed_time_total(evidence: Evidence) -> Iterator[Remark]:
    totals = _totals(evidence)
    fixed = {series: series.work.ends_by and series.work.ends_by is EndsBy.TIME for series in totals}
    yield from unknown(
        [series for series in totals if fixed[series] is None and not series.work.operations],
        "the output does not report whether the clock or a number of operations ended the trial",
    )
    configured: Worst = {series: (0.0, "the total is the configured time") for series in totals if fixed[series]}
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
        if _is_as_asked(series)
    }
    yield from worst(Severity.FATAL, as_asked, NO_COST, "compare latencies, or send as fast as possible")
    stopped: Worst = {
        series: (0.0, f"the command stops by time ({stop.words})") for series, stop in _timed_commands(evidence).items()
    }
    yield from worst(Severity.WARNING, stopped, NO_COST, "give it a fixed amount of work, or compare what it counts")


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
