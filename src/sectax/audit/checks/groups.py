"""Groups of series, and remarks on all series of a table at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from sectax.audit.checks.interface import Remark, cannot_be_checked, remark
from sectax.audit.checks.words import named, tables_subject
from sectax.audit.form import Evidence, Quantity, Series
from sectax.model.finding import Severity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
# Series with a fault: its rank among the others, and the finding.
Worst = dict[Series, tuple[float, str]]
# Fewer single values show no trend and no modes.
FEWEST = 10
NO_SINGLE_VALUES = f"needs {FEWEST} single values above zero, in order of measurement"


def ids(group: Iterable[Series]) -> tuple[str, ...]:
    """Return the ids of the figures of these series."""
    return tuple(dict.fromkeys(claim.id for series in group for claim in series.figures))


def gather(every: Iterable[T], key: Callable[[T], Hashable]) -> list[list[T]]:
    """Group items by key, in order of appearance."""
    groups: dict[Hashable, list[T]] = {}
    for item in every:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def by_table(every: Iterable[Series]) -> list[list[Series]]:
    return gather(every, lambda series: series.table)


def things(every: Iterable[Series]) -> list[list[Series]]:
    """Group the series by the thing measured: their claims share single values."""
    return gather(every, lambda series: series.same_thing)


def without(series: Series, *factors: str) -> Hashable:
    """Return a key of everything but the levels of these factors."""
    levels = frozenset(item for item in series.levels.items() if item[0] not in factors)
    statistics = tuple(claim.statistic for claim in series.claims)
    return series.metric, series.quantity, statistics, levels


def sides(evidence: Evidence) -> Iterator[list[Series]]:
    """Yield groups of series that differ only in the level of the contrast."""
    contrast = evidence.contrast
    if contrast is None:
        return
    taking_part = [series for series in evidence.series if contrast.factor in series.levels]
    for group in gather(taking_part, lambda series: without(series, contrast.factor)):
        if len({series.levels[contrast.factor] for series in group}) > 1:
            yield group


def rows(every: Iterable[Series], by: Callable[[Series], float | None]) -> Iterator[list[Series]]:
    """Yield groups of one table that differ in one factor, sorted by *by*."""
    for table in by_table(series for series in every if by(series) is not None):
        for factor in dict.fromkeys(name for series in table for name in series.levels):
            for group in gather(table, lambda series, factor=factor: without(series, factor)):  # type: ignore[misc]
                if len({by(series) for series in group}) > 1:
                    yield sorted(group, key=lambda series: by(series) or 0.0)


def with_values(every: Iterable[Series], fewest: int = FEWEST) -> tuple[list[Series], list[Series]]:
    """Split into things with enough positive single values, and the others."""
    import numpy as np

    singly: list[Series] = []
    bare: list[Series] = []
    for group in things(every):
        if len(group[0].values) >= fewest and np.min(group[0].values) > 0:
            singly.append(group[0])
        else:
            bare += group
    return singly, bare


def slowness(series: Series) -> NDArray[np.float64]:
    """Return the single values as times; rates become times per unit."""
    import numpy as np

    values = np.asarray(series.values, dtype=np.float64)
    return 1 / values if series.quantity in (Quantity.RATE, Quantity.BANDWIDTH) else values


def worst(severity: Severity, by_series: Worst, meaning: str, advice: str) -> Iterator[Remark]:
    """Yield one remark per table or treatment, about its worst series.

    Tables with the same finding share a remark.
    """
    by_saw: dict[tuple[str, str], list[tuple[Series, list[Series]]]] = {}
    for table in gather(by_series, lambda series: (series.table, series.treatment)):
        most = max(table, key=lambda series: by_series[series][0])
        by_saw.setdefault((by_series[most][1], most.treatment), []).append((most, table))
    for (words, treatment), tables in by_saw.items():
        every = [series for _, table in tables for series in table]
        first = tables[0][0].id
        where = f" ({first})" if len(tables) == 1 and first not in words and not treatment else ""
        elsewhere = f". Affected: {named(ids(every))}" if len(every) > 1 else ""
        yield about(severity, every, f"{words}{where}{elsewhere}", meaning, advice)


def by_severity(rows: Iterable[tuple[Severity, Series, float, str]], meaning: str, advice: str) -> Iterator[Remark]:
    """Yield the `worst` remarks of each severity."""
    for faults in gather(sorted(rows, key=lambda fault: fault[0] is not Severity.FATAL), lambda fault: fault[0]):
        yield from worst(faults[0][0], {series: (grade, saw) for _, series, grade, saw in faults}, meaning, advice)


def subject(group: Sequence[Series]) -> tuple[str, tuple[str, ...]]:
    """Return the subject and figures of a remark: the treatment of a sectax run, or tables and their figures."""
    treatment = group[0].treatment if group else ""
    return (treatment, ()) if treatment else (tables_subject(series.table for series in group), ids(group))


def about(severity: Severity, group: Sequence[Series], saw: str, meaning: str, advice: str) -> Remark:
    """Make one remark on these series, across tables."""
    where, figures = subject(group)
    return remark(severity, where, saw, meaning, advice, figures)


def unknown(group: Iterable[Series], missing: str, advice: str = "") -> Iterator[Remark]:
    """Yield one note for all series, or each treatment, that lack the same data."""
    for lacking in gather(group, lambda series: series.treatment):
        where, figures = subject(lacking)
        which = f" ({len(figures)} figures)" if len(figures) > 1 else f" ({figures[0]})" if figures else ""
        if figures or lacking[0].treatment:
            yield cannot_be_checked(where, f"{missing}{which}", advice, figures)
