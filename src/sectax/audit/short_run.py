"""A run that was over before it could show anything: warm-up and connecting are most of it."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check, Remark
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import SPEEDS, worst_of_tables
from sectax.audit.words import duration, number
from sectax.model.finding import Severity

# Of a load that is measured as a whole: one summary, in which the beginning stands with all else.
SHORTEST_S = 2.0
FEWEST_OPERATIONS = 100


def _sees(evidence: Evidence) -> list[Figure]:
    return [
        figure
        for figure in evidence.printed
        if evidence.imported and figure.quantity in SPEEDS and figure.circumstances.wall_s is not None
    ]


def _examine(evidence: Evidence) -> Iterator[Remark]:
    yield from worst_of_tables(
        Severity.WARNING,
        [figure for figure in _sees(evidence) if _why(figure)],
        lambda figure: -(figure.circumstances.wall_s or 0.0),
        _why,
        "connecting, warming up and single slow answers are much of it, so another run may show something else",
        "measure for ten seconds at the least, after a run that does not count",
    )


def _why(figure: Figure) -> str:
    told = figure.circumstances
    events = told.events
    if events is not None and 0 < events < FEWEST_OPERATIONS:
        return f"the run was of {events:.0f} operations, in {duration(told.wall_s or 0.0)}"
    if told.wall_s is not None and 0 < told.wall_s < SHORTEST_S:
        of = "" if events is None else f", with {number(events)} operations"
        return f"the run lasted {duration(told.wall_s)}{of}"
    return ""


SHORT_RUN = Check(
    id="short-run",
    rule="W: a run of a load client or of sysbench lasted less than two seconds, or counted fewer than 100 operations",
    examine=_examine,
    sees=_sees,
)
