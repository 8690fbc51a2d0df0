"""The total time of a trial that ends by the clock is the time that was configured, on any machine."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check
from sectax.audit.evidence import Evidence
from sectax.audit.figure import EndsBy, Figure, Quantity
from sectax.audit.grouping import by_table, ids, named, untold
from sectax.model.finding import Severity, Warning

# A trial that ends by the clock ends a little late, when its last operation is done; never early.
EARLY, LATE = 0.995, 1.05


def _sees(evidence: Evidence) -> list[Figure]:
    return [
        figure for figure in evidence.figures if figure.quantity is Quantity.TOTAL_TIME and figure.typical is not None
    ]


def _examine(evidence: Evidence) -> Iterator[Warning]:
    seen = _sees(evidence)
    yield from untold(
        FIXED_TIME_TOTAL.id,
        [figure for figure in seen if _fixed(figure) is None],
        "what ended the trial, the clock or a number of events, is not told",
    )
    for table in by_table(figure for figure in seen if _fixed(figure)):
        yield Warning(
            FIXED_TIME_TOTAL.id,
            Severity.FATAL,
            table[0].table,
            "the total is the time that was configured"
            + "".join(
                f", {seconds:g} s" for seconds in [table[0].circumstances.configured_s] if seconds and _alike(table)
            )
            + f", in {named(table)}",
            "it is the same however fast the machine is, so it shows no cost and no lack of one",
            "compare operations per second, or let a number of events end the trial",
            ids(table),
        )


def _fixed(figure: Figure) -> bool | None:
    """Whether the clock ended the trial; where that is not told, whether it looks so."""
    told = figure.circumstances
    if told.ends_by is not None:
        return told.ends_by is EndsBy.TIME
    if told.configured_s is None:
        return None
    return EARLY * told.configured_s <= (figure.typical or 0.0) <= LATE * told.configured_s


def _alike(table: list[Figure]) -> bool:
    return len({figure.circumstances.configured_s for figure in table}) == 1


FIXED_TIME_TOTAL = Check(
    id="fixed-time-total",
    rule="F: a total time that was configured cannot show a cost; the rate can",
    applies=lambda evidence: bool(_sees(evidence)),
    examine=_examine,
    sees=_sees,
)
