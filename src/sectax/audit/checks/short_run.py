"""A trial that counted nothing, or was over before it could show anything."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import Worst, unknown, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import counted, duration
from sectax.audit.form import Evidence, Quantity, Series
from sectax.model.finding import Severity

# Quantities of a whole trial, which may have counted nothing; one that moves no bytes has a bandwidth of zero.
_COUNTING = frozenset({Quantity.RATE, Quantity.COUNT})


def _of_trials(evidence: Evidence) -> list[Series]:
    of_trial = _COUNTING | {Quantity.TOTAL_TIME}
    return [series for series in evidence.series if series.quantity in of_trial or series.work.operations is not None]


@check("F: the trial counted no operation", sees=_of_trials)
def zero_event_run(evidence: Evidence) -> Iterator[Remark]:
    relevant = _of_trials(evidence)
    yield from unknown(
        [series for series in relevant if _counted_nothing(series) is None],
        "how many operations were counted is not reported",
    )
    meaning, advice = "there is nothing that the figure could be of", "see why the trial did nothing, and run it again"
    nothing = {series: (0.0, "no operation was counted") for series in relevant if _counted_nothing(series)}
    yield from worst(Severity.FATAL, nothing, meaning, advice)


def _counted_nothing(series: Series) -> bool | None:
    if series.work.operations is not None:
        return series.work.operations <= 0
    if series.quantity is Quantity.COUNT:
        return False
    return series.typical <= 0 if series.quantity in _COUNTING and series.typical is not None else None


# Of a load that is measured as a whole: one summary, which includes the beginning.
SHORTEST_S = 2.0
FEWEST_OPERATIONS = 100


def _relevant(evidence: Evidence) -> list[Series]:
    return [series for series in evidence.speeds if series.work.duration_s is not None] if evidence.imported else []


@check("W: a load lasted under two seconds, or counted fewer than 100 operations", sees=_relevant)
def short_run(evidence: Evidence) -> Iterator[Remark]:
    short: Worst = {
        series: (-(series.work.duration_s or 0.0), why) for series in _relevant(evidence) if (why := _why_short(series))
    }
    meaning = "connecting, warming up and single slow answers are much of the figure"
    yield from worst(
        Severity.WARNING, short, meaning, "measure for ten seconds at least, after a run that does not count"
    )


def _why_short(series: Series) -> str:
    operations, seconds = series.work.operations, series.work.duration_s or 0.0
    if operations is not None and 0 < operations < FEWEST_OPERATIONS:
        return f"the run was of {counted(operations, 'operation')}, in {duration(seconds)}"
    return f"the run lasted {duration(seconds)}" if 0 < seconds < SHORTEST_S else ""
