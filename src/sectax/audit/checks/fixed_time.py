"""A total time that was configured, or a rate that was asked for, shows no cost."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.checks.groups import about, each_table, gather, ids, unknown
from sectax.audit.checks.interface import Check, Remark
from sectax.audit.checks.words import named
from sectax.audit.form import EndsBy, Evidence, Quantity, Series
from sectax.model.finding import Severity

# A trial that ends by the clock ends a little late, when its last operation is done; never early.
EARLY, LATE = 0.995, 1.05
# Of the seconds, that a trial that the clock ended lasts longer; and what numbers of operations are different.
A_LITTLE, DIFFERENT = 0.002, 1.05

NO_COST = "it is the same however fast the machine is, so it shows no cost and no lack of one"


def _totals(evidence: Evidence) -> list[Series]:
    return [one for one in evidence.series if one.quantity is Quantity.TOTAL_TIME and one.typical is not None]


def _sees(evidence: Evidence) -> tuple[str, ...]:
    rates = [one for one in evidence.series if one.quantity is Quantity.RATE and one.work.target_rate is not None]
    return ids([*_totals(evidence), *rates])


def _examine(evidence: Evidence) -> Iterator[Remark]:
    totals = _totals(evidence)
    fixed = {one: _fixed(one) for one in totals}
    yield from unknown(
        [one for one in totals if fixed[one] is None and not one.work.operations],
        "what ended the trial, the clock or a number of operations, is not reported",
    )
    yield from each_table(
        Severity.FATAL,
        [one for one in totals if fixed[one]],
        lambda table: f"the total is the time that was configured, in {named(ids(table))}",
        NO_COST,
        "compare operations per second, or let a number of operations end the trial",
    )
    yield from _same_time([one for one in totals if fixed[one] is None and one.work.operations], evidence)
    yield from each_table(
        Severity.FATAL,
        [one for one in evidence.series if _is_as_asked(one)],
        lambda table: (
            f"the rate is the one that was asked for, {table[0].work.target_rate:g}/s, in {named(ids(table))}"
        ),
        NO_COST,
        "compare latencies, or ask for as much as possible",
    )


def _fixed(one: Series) -> bool | None:
    """Whether the clock ended the trial; where that is not reported, whether it looks so."""
    if one.work.ends_by is not None:
        return one.work.ends_by is EndsBy.TIME
    if one.work.configured_s is None:
        return None
    return EARLY * one.work.configured_s <= (one.typical or 0.0) <= LATE * one.work.configured_s


def _same_time(totals: list[Series], evidence: Evidence) -> Iterator[Remark]:
    """Different numbers of operations in the same whole seconds; W where a rate is printed beside each total."""
    rated = {one.run for one in evidence.series if one.quantity is Quantity.RATE}
    whole = [one for one in totals if _whole_seconds(one.typical or 0.0)]
    for alike in gather(whole, lambda one: math.floor(one.typical or 0.0)):
        counts = [one.work.operations or 0.0 for one in alike]
        if max(counts) > DIFFERENT * min(counts):
            yield about(
                Severity.WARNING if all(one.run in rated for one in alike) else Severity.FATAL,
                alike,
                f"{min(counts):.0f} and {max(counts):.0f} operations took the same {alike[0].typical:.4g} s",
                "the clock ended the trials, so the total shows no cost and no lack of one",
                "compare operations per second",
            )


def _whole_seconds(seconds: float) -> bool:
    return seconds >= 1 and 0 <= seconds - math.floor(seconds) <= A_LITTLE * seconds


def _is_as_asked(one: Series) -> bool:
    target, achieved = one.work.target_rate, one.work.achieved_rate or one.typical
    if one.quantity is not Quantity.RATE or not target or achieved is None:
        return False
    # Operations that are sent at random times are a Poisson number.
    chance = 0.01 + (3 / math.sqrt(one.work.operations) if one.work.operations else 0.0)
    return abs(achieved / target - 1) <= chance


FIXED_TIME_TOTAL = Check(
    id="fixed-time-total",
    rule="F: a total time that was configured, or a rate that was asked for; different numbers of operations in "
    "the same "
    "whole seconds (W where a rate is printed beside)",
    examine=_examine,
    sees=_sees,
)
