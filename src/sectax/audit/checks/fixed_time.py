"""A total time that was configured, or a rate that was asked for, shows no cost."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.checks.groups import Worst, unknown, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import duration, number
from sectax.audit.form import EndsBy, Evidence, Quantity, Series
from sectax.model.finding import Severity

# Trials of so unlike numbers of operations last alike by the clock alone.
ALIKE, UNLIKE = 0.002, 1.5
NO_COST = "the figure is the same however fast the machine is, so it shows no cost and no lack of one"


def _totals(evidence: Evidence) -> list[Series]:
    return [one for one in evidence.series if one.quantity is Quantity.TOTAL_TIME and one.typical is not None]


def _sees(evidence: Evidence) -> list[Series]:
    rates = [one for one in evidence.series if one.quantity is Quantity.RATE and one.work.target_rate is not None]
    return [*_totals(evidence), *rates]


@check(
    "F: a total time that was configured, or a rate that was asked for; W: the same time for different counts",
    sees=_sees,
)
def fixed_time_total(evidence: Evidence) -> Iterator[Remark]:
    totals = _totals(evidence)
    fixed = {one: one.work.ends_by and one.work.ends_by is EndsBy.TIME for one in totals}
    yield from unknown(
        [one for one in totals if fixed[one] is None and not one.work.operations],
        "what ended the trial, the clock or a number of operations, is not reported",
    )
    configured: Worst = {one: (0.0, "the total is the time that was configured") for one in totals if fixed[one]}
    advice = "compare operations per second, or let a number of operations end the trial"
    yield from worst(Severity.FATAL, configured, NO_COST, advice)
    unsaid = [one for one in totals if one.work.operations and fixed[one] is None]
    same: Worst = {}
    for one in unsaid:
        others = [other for other in unsaid if abs((other.typical or 0.0) / (one.typical or 1.0) - 1) <= ALIKE]
        counts = [other.work.operations or 0.0 for other in others]
        if one.typical and max(counts) > UNLIKE * min(counts):
            times = f"{number(min(counts))} and {number(max(counts))} operations took the same {duration(one.typical)}"
            same[one] = (max(counts) / min(counts), times)
    yield from worst(Severity.WARNING, same, f"the clock ended the trials: {NO_COST}", advice)
    as_asked: Worst = {
        one: (0.0, f"the rate is the one that was asked for, {one.work.target_rate:g}/s")
        for one in evidence.series
        if _is_as_asked(one)
    }
    yield from worst(Severity.FATAL, as_asked, NO_COST, "compare latencies, or ask for as much as possible")


def _is_as_asked(one: Series) -> bool:
    target, achieved, sent = one.work.target_rate, one.work.achieved_rate or one.typical, one.work.operations
    if one.quantity is not Quantity.RATE or not target or achieved is None:
        return False
    # Operations that are sent at random times are a Poisson number.
    chance = 0.01 + (3 / math.sqrt(sent) if sent and sent > 0 else 0.0)
    return abs(achieved / target - 1) <= chance
