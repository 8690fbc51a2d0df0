"""Ten thousand trials in one process, or on one host, are one observation of it."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import gather
from sectax.audit.checks.interface import Remark, cannot_be_checked, check, warning
from sectax.audit.checks.words import plural, tables_subject
from sectax.audit.form import Evidence, Series

# With fewer no general claim is made: the claim names those that were measured.
ENOUGH = 5


@check(
    "W: fewer than five processes or hosts on each side, whatever the number of trials",
    applies=lambda evidence: bool(evidence.speeds),
)
def false_replication(evidence: Evidence) -> Iterator[Remark]:
    for group in gather(evidence.speeds, _replication):
        count, unit = _replication(group[0])
        where = tables_subject(series.table for series in group)
        if count is None:
            missing = "on how many hosts, and in how many processes, each side was measured is not reported"
            yield cannot_be_checked(where, missing)
        elif count < ENOUGH:
            yield warning(
                where,
                f"each figure is of {'one ' + unit if count == 1 else f'{count} {plural(unit)}'}",
                f"the figures show what was measured; they say nothing of the next {unit}",
                f"repeat with fresh ones: {ENOUGH} on each side for a general claim",
            )


def _replication(series: Series) -> tuple[int | None, str]:
    return series.work.replicates, series.work.replicate or "process or host"
