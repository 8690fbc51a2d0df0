"""Failures: reported by the tool, or among the operations."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import gather, subject, unknown, worst
from sectax.audit.checks.interface import Remark, check, remark
from sectax.audit.checks.words import EVERYTHING, number
from sectax.audit.form import SPEEDS, Evidence, Series, TroubleKind
from sectax.model.finding import Severity

_OF_KIND = {
    TroubleKind.FAILED: (Severity.FATAL, "the tool reports that its work failed", "fix what failed, and run it again"),
    TroubleKind.WARNED: (Severity.WARNING, "the tool itself warns about its figures", "find out why, and run it again"),
    TroubleKind.CUT: (Severity.WARNING, "part of the output is missing", "audit the whole output"),
    TroubleKind.UNREAD: (Severity.WARNING, "part of the output was not read", "read that part yourself"),
}


@check(
    "F: the output reports a failure; W: it contains a warning, or part of it is missing",
    applies=lambda evidence: bool(evidence.troubles),
)
def said_by_the_tool(evidence: Evidence) -> Iterator[Remark]:
    for group in gather(evidence.troubles, lambda trouble: (trouble.kind, trouble.text.split(":")[0])):
        first, repeats = group[0], len(group) - 1
        more = f", and {repeats} similar" if repeats else ""
        severity, meaning, advice = _OF_KIND[first.kind]
        place = f"line {first.line}: " if first.line else ""
        yield remark(severity, EVERYTHING, f"{place}{first.text}{more}", meaning, advice)


MOST_FAILURES = 0.001
FIX = "fix what fails, then measure"


@check("F: more than 0.1 % of the operations failed; W: fewer", sees=lambda evidence: evidence.speeds)
def unequal_work(evidence: Evidence) -> Iterator[Remark]:
    speeds = [series for series in evidence.trials if series.quantity in SPEEDS]
    failing = [series for series in speeds if (failure_share(series) or 0.0) > MOST_FAILURES]
    for group in gather(failing, lambda series: (series.run, failure_share(series), operation_count(series))):
        series = group[0]
        counts = {kind: count for kind, count in series.work.failed.items() if count}
        kinds = ", ".join(f"{number(count)} {kind}" for kind, count in counts.items()) if len(counts) > 1 else ""
        yield remark(
            Severity.FATAL,
            series.run or series.table,
            f"{_failures_in_words(series)}{f' ({kinds})' if kinds else ''}",
            "operations failed, and a failed operation is often a fast one",
            FIX,
            subject(group)[1],
        )
    if evidence.is_run:
        return  # a failed operation of a run has no time
    few = [series for series in speeds if series.work.failures and series not in failing]
    yield from worst(
        Severity.WARNING,
        {group[0]: (0.0, _failures_in_words(group[0])) for group in gather(few, lambda series: series.run)},
        "few operations failed, but these may be the slow ones",
        "find out what failed",
    )
    yield from unknown(
        [series for series in speeds if failure_share(series) is None],
        "the number of failed operations is not reported",
    )


def _failures_in_words(series: Series) -> str:
    failures, operations = series.work.failures or 0.0, operation_count(series)
    if operations is None:
        return f"{number(failures)} operations failed; the total is unknown"
    if failures > operations:
        return f"{number(failures)} failures of {number(operations)} operations: one of the two counts is wrong"
    return f"{number(failures)} of {number(operations)} operations failed"


def operation_count(series: Series) -> float | None:
    """Return the number of operations counted."""
    return series.work.operations if series.work.operations is not None else series.trials


def failure_share(series: Series) -> float | None:
    """Return the share of operations that failed; None where unknown."""
    failures, operations = series.work.failures, operation_count(series)
    if failures is None or (failures > 0 and operations is None):
        return None
    return failures / max(operations or 0.0, failures) if failures > 0 else 0.0
