"""Figures set side by side, and named in few words: a table of a hundred figures gets one warning, not a hundred."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

from sectax.audit.check import cannot_be_checked
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure, Quantity
from sectax.model.finding import Warning

# The subject of what concerns the source as a whole.
EVERYTHING = "all figures"

# Quantities that tell how fast something was.
SPEEDS = frozenset({Quantity.TIME, Quantity.TOTAL_TIME, Quantity.RATE, Quantity.BANDWIDTH})

AnyFigure = TypeVar("AnyFigure", bound=Figure)

_MOST_NAMED = 3
_MOST_TABLES = 4


def speeds(evidence: Evidence) -> list[Figure]:
    """The figures that tell how fast something was."""
    return [figure for figure in evidence.figures if figure.quantity in SPEEDS]


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


def gather(figures: Iterable[AnyFigure], key: Callable[[AnyFigure], Hashable]) -> list[list[AnyFigure]]:
    """The figures in groups of equal keys, in order of appearance."""
    groups: dict[Hashable, list[AnyFigure]] = {}
    for figure in figures:
        groups.setdefault(key(figure), []).append(figure)
    return list(groups.values())


def by_table(figures: Iterable[AnyFigure]) -> list[list[AnyFigure]]:
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


def series(figures: Iterable[AnyFigure], by: Callable[[AnyFigure], float | None]) -> Iterator[list[AnyFigure]]:
    """Figures of one table that differ in one factor alone, whose levels give `by` two values or more; rising in it."""
    for table in by_table(figure for figure in figures if by(figure) is not None):
        for factor in dict.fromkeys(name for figure in table for name in figure.levels):
            for group in gather(table, lambda figure, factor=factor: without(figure, factor)):  # type: ignore[misc]
                if len({by(figure) for figure in group}) > 1:
                    yield sorted(group, key=lambda figure: by(figure) or 0.0)


def ids(figures: Iterable[Figure]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(figure.id for figure in figures))


def subject(figures: Iterable[Figure]) -> str:
    """The tables that the figures are of, where they are few."""
    tables = dict.fromkeys(figure.table for figure in figures)
    return ", ".join(tables) if len(tables) <= _MOST_TABLES else EVERYTHING


def named(figures: Iterable[Figure]) -> str:
    """A few of the figures by name, and how many more there are. Where all are of one table, it goes without saying."""
    every = list(figures)
    tables = {figure.table for figure in every}
    table = f"{tables.pop()}: " if len(tables) == 1 else ""
    names = [each.removeprefix(table) for each in ids(every)]
    more = len(names) - _MOST_NAMED
    return "; ".join(names[:_MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")


def number(value: float) -> str:
    """Three significant digits."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 1000 else f"{rounded:g}"


def plural(unit: str) -> str:
    """'process or host' as 'processes or hosts', 'pair of VMs' as 'pairs of VMs'."""
    if " or " in unit:
        return " or ".join(plural(each) for each in unit.split(" or "))
    head, of, rest = unit.partition(" of ")
    return f"{head}{'es' if head.endswith(('s', 'x', 'ch', 'sh')) else 's'}{of}{rest}"


def bandwidth(bytes_s: float) -> str:
    return f"{number(bytes_s / 1e9)} GB/s"


def untold(check: str, figures: Sequence[Figure], missing: str, advice: str = "") -> Iterator[Warning]:
    """One note for all the figures that lack the same thing; none where there are none."""
    if figures:
        of = f"{len(ids(figures))} figures" if len(ids(figures)) > 1 else figures[0].id
        yield cannot_be_checked(check, subject(figures), f"{missing} ({of})", advice, ids(figures))
