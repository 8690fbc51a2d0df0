"""Ten thousand trials in one process, or on one host, are one observation of it."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check, cannot_be_checked
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import gather, plural, speeds, subject
from sectax.audit.units import pooled
from sectax.model.finding import Severity, Warning

# With fewer no general claim is made: the claim names those that were measured.
ENOUGH = 5


def _examine(evidence: Evidence) -> Iterator[Warning]:
    yield from _figures(evidence)
    yield from pooled(FALSE_REPLICATION.id, evidence)


def _figures(evidence: Evidence) -> Iterator[Warning]:
    for group in gather(speeds(evidence), _replication):
        count, unit = _replication(group[0])
        where = subject(group)
        if count is None:
            missing = "on how many hosts, and in how many processes, each side was measured is not told"
            yield cannot_be_checked(FALSE_REPLICATION.id, where, missing)
        elif count < ENOUGH:
            yield Warning(
                FALSE_REPLICATION.id,
                Severity.WARNING,
                where,
                f"each figure is of {'one ' + unit if count == 1 else f'{count} {plural(unit)}'}",
                f"the figures stand for what was measured; they say nothing of the next {unit}",
                f"repeat with fresh ones: {ENOUGH} on each side for a general claim",
            )


def _replication(figure: Figure) -> tuple[int | None, str]:
    return figure.circumstances.replicates, figure.circumstances.replicate or "process or host"


FALSE_REPLICATION = Check(
    id="false-replication",
    rule="W: fewer than five processes or hosts on each side, whatever the number of trials; "
    "F in runs of ours: a verdict that counts more units than there were processes, or one process a side",
    applies=lambda evidence: bool(speeds(evidence)) or bool(evidence.arms),
    examine=_examine,
)
