"""Figures set side by side, and remarks on all figures of a table at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sectax.audit.check import Remark, cannot_be_checked
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure, Quantity
from sectax.audit.words import ids, named, subject
from sectax.model.finding import Severity

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Quantities that tell how fast something was.
SPEEDS = frozenset({Quantity.TIME, Quantity.TOTAL_TIME, Quantity.RATE, Quantity.BANDWIDTH})

# Fewer single values show neither where they go nor how they lie.
FEWEST = 10
NO_SINGLE_VALUES = f"it takes {FEWEST} single values above zero, in the order in which they were taken"


def speeds(evidence: Evidence) -> list[Figure]:
    """The figures of somebody else that tell how fast something was."""
    return [figure for figure in evidence.printed if figure.quantity in SPEEDS]


def trials_of(figure: Figure) -> int | None:
    return len(figure.values) or figure.trials


def seconds_per_operation(figure: Figure) -> float | None:
    """How long one operation took; None where that does not follow from the figure."""
    value, size = figure.typical, figure.circumstances.size_bytes
    if value is None:
        return None
    if figure.quantity is Quantity.TIME:
        return value
    if figure.quantity is Quantity.RATE and value > 0:
        return 1 / value
    if figure.quantity is Quantity.BANDWIDTH and value > 0 and size is not None:
        return size / value
    return None


def without(figure: Figure, *factors: str) -> Hashable:
    """What figures share that differ in nothing but the levels of these factors."""
    levels = frozenset(item for item in figure.levels.items() if item[0] not in factors)
    return figure.metric, figure.quantity, figure.statistic, levels


def cell(figure: Figure) -> Hashable:
    """What figures share that are summaries of the same single values."""
    return figure.metric, figure.quantity, frozenset(figure.levels.items())


def measured_at_once(figure: Figure) -> Hashable:
    """What figures share that a tool measured together: their summaries can contradict each other."""
    return figure.measurement, frozenset(figure.levels.items())


def gather(figures: Iterable[Figure], key: Callable[[Figure], Hashable]) -> list[list[Figure]]:
    """The figures in groups of equal keys, in order of appearance."""
    groups: dict[Hashable, list[Figure]] = {}
    for figure in figures:
        groups.setdefault(key(figure), []).append(figure)
    return list(groups.values())


def by_table(figures: Iterable[Figure]) -> list[list[Figure]]:
    return gather(figures, lambda figure: figure.table)


def sides(evidence: Evidence) -> Iterator[list[Figure]]:
    """Figures that the source compares: they differ in the level of what is contrasted, and in no other."""
    contrast = evidence.contrast
    if contrast is None:
        return
    taking_part = [figure for figure in evidence.figures if contrast.factor in figure.levels]
    for group in gather(taking_part, lambda figure: without(figure, contrast.factor)):
        if len({figure.levels[contrast.factor] for figure in group}) > 1:
            yield group


def series(figures: Iterable[Figure], by: Callable[[Figure], float | None]) -> Iterator[list[Figure]]:
    """Figures of one table that differ in one factor alone, whose levels give `by` two values or more; rising in it."""
    for table in by_table(figure for figure in figures if by(figure) is not None):
        for factor in dict.fromkeys(name for figure in table for name in figure.levels):
            for group in gather(table, lambda figure, factor=factor: without(figure, factor)):  # type: ignore[misc]
                if len({by(figure) for figure in group}) > 1:
                    yield sorted(group, key=lambda figure: by(figure) or 0.0)


def told_singly(figures: Iterable[Figure], fewest: int = FEWEST) -> tuple[list[Figure], list[Figure]]:
    """One figure of each cell of which *fewest* single values are told, and the figures of all other cells."""
    singly, bare = [], []
    for group in gather(figures, cell):
        values = group[0].values
        if len(values) >= fewest and min(values) > 0:
            singly.append(group[0])
        else:
            bare += group
    return singly, bare


def slowness(figure: Figure) -> NDArray:  # type: ignore[type-arg]
    """Its single values so that more is slower: times as they are, rates as times of one."""
    import numpy as np

    values = np.asarray(figure.values, dtype=np.float64)
    return 1 / values if figure.quantity in (Quantity.RATE, Quantity.BANDWIDTH) else values


def each_table(
    severity: Severity, figures: Iterable[Figure], saw: Callable[[list[Figure]], str], meaning: str, advice: str
) -> Iterator[Remark]:
    """One remark for all figures of a table that have the same fault.

    Args:
        saw: what was seen in these figures of one table.
    """
    for table in by_table(figures):
        yield Remark(severity, table[0].table, saw(table), meaning, advice, ids(table))


def worst_of_tables(
    severity: Severity,
    figures: Iterable[Figure],
    key: Callable[[Figure], float],
    saw: Callable[[Figure], str],
    meaning: str,
    advice: str,
) -> Iterator[Remark]:
    """As `each_table`, in the words for the figure with the highest key, and the names of the others.

    Tables of which the same words are true, as all statistics of one run, share a remark.
    """
    alike: dict[str, list[tuple[Figure, list[Figure]]]] = {}
    for table in by_table(figures):
        worst = max(table, key=key)
        alike.setdefault(saw(worst), []).append((worst, table))
    for words, found in alike.items():
        every = [figure for _, table in found for figure in table]
        worst, table = found[0]
        if len(found) > 1:
            yield about(severity, every, f"{words}, in {named(every)}", meaning, advice)
        else:
            others = f". Seen in {named(table)}" if len(table) > 1 else ""
            yield Remark(severity, table[0].table, f"{words} ({worst.id}){others}", meaning, advice, ids(table))


def about(severity: Severity, figures: Sequence[Figure], saw: str, meaning: str, advice: str) -> Remark:
    """One remark on these figures, of whatever tables."""
    return Remark(severity, subject(figures), saw, meaning, advice, ids(figures))


def unknown(figures: Sequence[Figure], missing: str, advice: str = "") -> Iterator[Remark]:
    """One note for all the figures that lack the same thing; none where there are none."""
    if figures:
        of = f"{len(ids(figures))} figures" if len(ids(figures)) > 1 else figures[0].id
        yield cannot_be_checked(subject(figures), f"{missing} ({of})", advice, ids(figures))
