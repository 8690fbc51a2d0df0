"""A trial in which nothing happened has no speed."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check
from sectax.audit.evidence import Arm, Evidence
from sectax.audit.figure import Figure, Quantity
from sectax.audit.grouping import by_table, ids, named, untold
from sectax.model.finding import Severity, Warning

# Quantities that are of a whole trial, which may have counted nothing.
_OF_A_TRIAL = frozenset({Quantity.TOTAL_TIME, Quantity.RATE, Quantity.BANDWIDTH, Quantity.COUNT})
# Of these, a figure above zero shows that something was counted.
_COUNTING = _OF_A_TRIAL - {Quantity.TOTAL_TIME}


def _sees(evidence: Evidence) -> list[Figure]:
    return [
        figure
        for figure in evidence.figures
        if figure.quantity in _OF_A_TRIAL or figure.circumstances.events is not None or figure.trials == 0
    ]


def _examine(evidence: Evidence) -> Iterator[Warning]:
    seen = _sees(evidence)
    yield from untold(
        ZERO_EVENT_RUN.id,
        [figure for figure in seen if _nothing(figure) is None],
        "how many events the trial counted is not told",
    )
    for table in by_table(figure for figure in seen if _nothing(figure)):
        yield Warning(
            ZERO_EVENT_RUN.id,
            Severity.FATAL,
            table[0].table,
            f"no event was counted in {named(table)}",
            "there is nothing that the figure could be of",
            "see why the trial did nothing, and run it again",
            ids(table),
        )
    for arm in _idle(evidence):
        yield Warning(
            ZERO_EVENT_RUN.id,
            Severity.FATAL,
            arm.id,
            f"no operation was counted in {arm.batches.batches if arm.batches else 0} batches",
            "there is nothing that a figure could be of",
            "see why the subject did nothing, and run it again",
        )


def _idle(evidence: Evidence) -> list[Arm]:
    """Treatments of a run of ours that had batches with nothing in them."""
    return [arm for arm in evidence.arms.values() if arm.batches is not None and not arm.batches.operations]


def _nothing(figure: Figure) -> bool | None:
    events, value = figure.circumstances.events, figure.typical
    if events is not None:
        return events <= 0
    if figure.trials == 0:
        return True
    return value <= 0 if figure.quantity in _COUNTING and value is not None else None


ZERO_EVENT_RUN = Check(
    id="zero-event-run",
    rule="F: the trial counted no event",
    applies=lambda evidence: bool(_sees(evidence)) or bool(evidence.arms),
    examine=_examine,
    sees=_sees,
)
