"""Batches so short that the clock's own step shows in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sectax.audit.check import Check, Remark, cannot_be_checked, fatal
from sectax.audit.evidence import Arm, Evidence
from sectax.audit.figure import Figure, Quantity
from sectax.audit.grouping import cell, gather, unknown
from sectax.audit.words import ids, named
from sectax.model.finding import Severity
from sectax.model.measured import BatchStatistics

FEWEST_STEPS = 100
ENOUGH_STEPS = 1000
MOST_DUPLICATES = 0.1
# Of fewer batches a share of duplicates says nothing: two equal ones among ten are chance.
FEWEST_BATCHES = 20


def _examine(evidence: Evidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        yield from _arm(arm)
    yield from _figures(evidence)


def _arm(arm: Arm) -> Iterator[Remark]:
    batches = arm.batches
    if batches is None or batches.batches < 1:
        yield cannot_be_checked(arm.id, "the times of single batches are not reported")
        return
    yield from _repeats(arm.id, batches)
    if arm.granularity_s is None:
        yield cannot_be_checked(arm.id, "the step of the clock is not reported")
        return
    yield from _steps(arm.id, batches, arm.granularity_s)


def _repeats(subject: str, batches: BatchStatistics) -> Iterator[Remark]:
    """A warning where equal values betray a clock that is coarser than it says.

    Many batches of a quiet subject repeat a value even on a clock that is fine enough. Where the data show the step
    between neighbouring values, and a batch is long beside it, they are innocent.
    """
    if batches.duplicate_share <= MOST_DUPLICATES or batches.batches < FEWEST_BATCHES:
        return
    if batches.step_s is not None and batches.shortest_s >= ENOUGH_STEPS * batches.step_s:
        return
    yield fatal(
        subject,
        f"{100 * batches.duplicate_share:.0f} % of {batches.batches} batch times repeat another one exactly",
        "the clock is coarser than it says, or values were copied",
        "longer batches, or a finer clock",
    )


def _steps(subject: str, batches: BatchStatistics, granularity_s: float) -> Iterator[Remark]:
    steps = batches.shortest_s / granularity_s
    if steps < ENOUGH_STEPS:
        yield Remark(
            Severity.FATAL if steps < FEWEST_STEPS else Severity.WARNING,
            subject,
            f"the shortest batch lasts {steps:.0f} steps of its clock ({granularity_s:.2g} s each)",
            f"rounding alone may change it by {100 / max(steps, 1e-9):.2g} %",
            "longer batches",
        )


def _sees(evidence: Evidence) -> list[Figure]:
    return [figure for figure in evidence.printed if figure.quantity in (Quantity.TIME, Quantity.TOTAL_TIME)]


def _figures(evidence: Evidence) -> Iterator[Remark]:
    """The same for figures: one warning for all figures of a table that have the same fault."""
    # Summaries of a cell share its single values, and are judged once.
    groups = gather(_sees(evidence), lambda figure: cell(figure) if len(figure.values) else figure.id)
    yield from _told(groups, _repeats_of, lambda figure: len(figure.values) >= FEWEST_BATCHES)
    yield from _told(groups, _steps_of, _has_steps)
    yield from unknown(
        [figure for group in groups if not _has_steps(group[0]) for figure in group],
        "the step of the clock is not reported",
    )


def _told(
    groups: list[list[Figure]], judge: Callable[[Figure], Iterator[Remark]], tells: Callable[[Figure], bool]
) -> Iterator[Remark]:
    faults: dict[tuple[str, Severity], list[tuple[list[Figure], Remark]]] = {}
    for group in groups:
        for remark in judge(group[0]) if tells(group[0]) else ():
            faults.setdefault((group[0].table, remark.severity), []).append((group, remark))
    for (table, severity), found in faults.items():
        (first, *_), remark = found[0]
        figures = [figure for group, _ in found for figure in group]
        saw = f"{remark.saw} ({first.id}). Seen in {named(figures)}"
        yield Remark(severity, table, saw, remark.meaning, remark.advice, ids(figures))


def _has_steps(figure: Figure) -> bool:
    return figure.circumstances.granularity_s is not None and figure.typical is not None


def _repeats_of(figure: Figure) -> Iterator[Remark]:
    return _repeats(figure.id, _batches(figure))


def _steps_of(figure: Figure) -> Iterator[Remark]:
    return _steps(figure.id, _batches(figure), figure.circumstances.granularity_s or 0.0)


def _batches(figure: Figure) -> BatchStatistics:
    """Each value of a figure is a batch; where they are not reported, the figure itself is the only one."""
    together = (figure.circumstances.batch or 1.0) if figure.quantity is Quantity.TIME else 1.0
    if not len(figure.values):
        return BatchStatistics(1, 1, (figure.typical or 0.0) * together, 0.0)
    import numpy as np

    count, distinct = len(figure.values), np.unique(np.asarray(figure.values, dtype=np.float64))
    return BatchStatistics(
        batches=count,
        operations=count,
        shortest_s=float(distinct[0]) * together,
        duplicate_share=1 - distinct.size / count,
        step_s=float(np.diff(distinct).min()) * together if distinct.size > 1 else None,
    )


TIMER = Check(
    id="timer",
    rule="F: a batch under 100 steps of its clock, or over 10 % repeated values; W: under 1000 steps",
    examine=_examine,
    sees=_sees,
    applies=lambda evidence: bool(evidence.arms),
)
