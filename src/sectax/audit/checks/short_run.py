"""Trials that counted no operations, or were too short."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import Worst, unknown, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import counted, duration
from sectax.audit.form import Evidence, Quantity, Series
from sectax.model.finding import Severity

# Quantities of a whole trial that may be zero; a bandwidth of zero is valid where no bytes move.
_COUNTING = frozenset({Quantity.RATE, Quantity.COUNT})


def _of_trials(evidence: Evidence) -> list[Series]:
    of_trial = _COUNTING | {Quantity.TOTAL_TIME}
    return [series for series in evidence.trials if series.quantity in of_trial or series.work.operations is not None]


@check("F: the trial counted no operation", sees=_of_trials, runs=True)
def zero_event_run(evidence: Evidence) -> Iterator[Remark]:
    relevant = _of_trials(evidence)
    yield from unknown(
        [series for series in relevant if _counted_nothing(series) is None],
        "the number of operations is not reported",
    )
    meaning, advice = "the figure has no data", "find out why the trial did nothing, and run it again"
    nothing = {series: (0.0, "no operation was counted") for series in relevant if _counted_nothing(series)}
    yield from worst(Severity.FATAL, nothing, meaning, advice)


def _counted_nothing(series: Series) -> bool | None:
    if series.work.operations is not None:
        return series.work.operations <= 0
    if series.quantity is Quantity.COUNT:
        return False
    return series.typical <= 0 if series.quantity in _COUNTING and series.typical is not None else None


# For a load with one summary, which includes the start.
SHORTEST_S = 2.0
FEWEST_OPERATIONS = 100


def _relevant(evidence: Evidence) -> list[Series]:
    return [series for series in evidence.speeds if series.work.duration_s is not None] if evidence.imported else []


@check("W: a load lasted under two seconds, or counted fewer than 100 operations", sees=_relevant)
def short_run(evidence: Evidence) -> Iterator[Remark]:
    short: Worst = {
        series: (-(series.work.duration_s or 0.0), why) for series in _relevant(evidence) if (why := _why_short(series))
    }
    meaning = "connection setup, warm-up and single slow answers are a large part of the figure"
    yield from worst(Severity.WARNING, short, meaning, "measure for at least ten seconds, after a warm-up run")


def _why_short(series: Series) -> str:
    operations, seconds = series.work.operations, series.work.duration_s or 0.0
    if operations is not None and 0 < operations < FEWEST_OPERATIONS:
        return f"the run counted {counted(operations, 'operation')} in {duration(seconds)}"
    return f"the run lasted {duration(seconds)}" if 0 < seconds < SHORTEST_S else ""
