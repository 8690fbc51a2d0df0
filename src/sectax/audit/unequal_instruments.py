"""Timed calls of one side pass through a tracer, a proxy or a logger that those of the other do not."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check, cannot_be_checked
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import EVERYTHING, sides
from sectax.model.finding import Severity, Warning

NOTHING = "none"


def _sides(evidence: Evidence) -> list[list[Figure]]:
    """One group of figures for each pair of tables (or one table) in which sides stand against each other."""
    groups: dict[tuple[str, ...], list[Figure]] = {}
    for group in sides(evidence):
        groups.setdefault(tuple(dict.fromkeys(figure.table for figure in group)), group)
    return list(groups.values())


def _examine(evidence: Evidence) -> Iterator[Warning]:
    contrast = evidence.contrast
    if contrast is None:
        return
    untold = []
    for group in _sides(evidence):
        compared = " against ".join(dict.fromkeys(figure.table for figure in group))
        told = {figure.levels[contrast.factor]: figure.circumstances.instrument for figure in group}
        if len({instrument for instrument in told.values() if instrument is not None}) > 1:
            through = "; ".join(
                f"those of {level} through {'nothing' if instrument == NOTHING else instrument}"
                for level, instrument in told.items()
                if instrument is not None
            )
            yield Warning(
                UNEQUAL_INSTRUMENTS.id,
                Severity.FATAL,
                compared,
                f"the timed calls are not observed alike: {through}",
                "the difference holds what the instrument costs, on one side alone",
                "take the instrument away, or let both sides pass through it",
            )
        elif None in told.values():
            untold.append(compared)
    if untold:
        where = untold[0] if len(untold) == 1 else EVERYTHING
        missing = "whether timed calls pass through a tracer, a proxy or a logger is not told"
        yield cannot_be_checked(UNEQUAL_INSTRUMENTS.id, where, missing)


UNEQUAL_INSTRUMENTS = Check(
    id="unequal-instruments",
    rule="F: timed calls of one side pass through a tracer, proxy or logger that those of the other do not",
    applies=lambda evidence: bool(_sides(evidence)),
    examine=_examine,
)
