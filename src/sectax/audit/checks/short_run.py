"""A run that was over before it could show anything: warm-up and connecting are most of it."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import Worst, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import counted, duration
from sectax.audit.form import Evidence, Series
from sectax.model.finding import Severity

# Of a load that is measured as a whole: one summary, which includes the beginning.
SHORTEST_S = 2.0
FEWEST_OPERATIONS = 100


def _seen(evidence: Evidence) -> list[Series]:
    return [one for one in evidence.speeds if one.work.duration_s is not None] if evidence.imported else []


@check("W: a load lasted under two seconds, or counted fewer than 100 operations", sees=_seen)
def short_run(evidence: Evidence) -> Iterator[Remark]:
    short: Worst = {one: (-(one.work.duration_s or 0.0), why) for one in _seen(evidence) if (why := _why(one))}
    meaning = "connecting, warming up and single slow answers are much of the figure"
    yield from worst(
        Severity.WARNING, short, meaning, "measure for ten seconds at least, after a run that does not count"
    )


def _why(one: Series) -> str:
    operations, seconds = one.work.operations, one.work.duration_s or 0.0
    if operations is not None and 0 < operations < FEWEST_OPERATIONS:
        return f"the run was of {counted(operations, 'operation')}, in {duration(seconds)}"
    return f"the run lasted {duration(seconds)}" if 0 < seconds < SHORTEST_S else ""
