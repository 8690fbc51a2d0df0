"""Many trials in one process, or on one host, are one observation of it."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import gather
from sectax.audit.checks.interface import Remark, cannot_be_checked, check, warning
from sectax.audit.checks.words import plural, tables_subject
from sectax.audit.form import Evidence, Series

# With fewer, a claim is limited to those that were measured.
ENOUGH = 5


@check(
    "W: fewer than five processes or hosts on each side, regardless of the number of trials",
    applies=lambda evidence: bool(evidence.speeds),
)
def false_replication(evidence: Evidence) -> Iterator[Remark]:
    for group in gather(evidence.speeds, _replication):
        count, unit = _replication(group[0])
        where = tables_subject(series.table for series in group)
        if count is None:
            missing = "the number of hosts and processes per side is not reported"
            yield cannot_be_checked(where, missing)
        elif count < ENOUGH:
            yield warning(
                where,
                f"each figure comes from {'one ' + unit if count == 1 else f'{count} {plural(unit)}'}",
                f"the figures are valid for what was measured; the next {unit} may differ",
                f"repeat with new ones: at least {ENOUGH} on each side for a general claim",
            )


def _replication(series: Series) -> tuple[int | None, str]:
    return series.work.replicates, series.work.replicate or "process or host"
