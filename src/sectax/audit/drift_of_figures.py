"""Single values of somebody's figure that go somewhere, or resemble their neighbours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import by_table, ids, named, speeds, untold
from sectax.audit.single_values import UNTOLD, slowness, told_singly
from sectax.model.finding import Severity, Warning

# The chance that a source of independent values is warned of, for each of the two reasons.
CHANCE = 0.002
# Less is no reason for doubt, however sure it is.
LEAST_CHANGE = 0.05
# With this correlation of neighbours an interval is a fifth too narrow.
LEAST_ALIKE = 0.2


def drifting_figures(check: str, evidence: Evidence) -> Iterator[Warning]:
    from sectax.stats.single_values import change_along, going_somewhere, resembling_neighbours

    singly, bare = told_singly(speeds(evidence))
    going: list[tuple[Figure, float]] = []
    alike: list[tuple[Figure, float]] = []
    for figure in singly:
        values = slowness(figure)
        change = change_along(values)
        if abs(math.log(change)) >= math.log1p(LEAST_CHANGE) and going_somewhere(values) < CHANCE / len(singly):
            going.append((figure, change))
            continue
        correlation, chance = resembling_neighbours(values)
        if correlation >= LEAST_ALIKE and chance < CHANCE / len(singly):
            alike.append((figure, correlation))
    yield from _warnings(
        check,
        going,
        "from the first to the last of {count} values the time changes by {size:+.2g} %",
        lambda change: 100 * (change - 1),
        "what was measured, or the machine, changed meanwhile (or the values were sorted): the figure is of no one "
        "state, and its interval is too narrow",
    )
    yield from _warnings(
        check,
        alike,
        "neighbours among {count} values resemble each other, by a correlation of {size:.2f}",
        lambda correlation: correlation,
        "they are not independent, so an interval that counts each of them is too narrow",
    )
    yield from untold(check, bare, UNTOLD)


def _warnings(
    check: str, hits: list[tuple[Figure, float]], saw: str, shown: Callable[[float], float], meaning: str
) -> Iterator[Warning]:
    """One warning for each table, with its worst figure."""
    sizes = {figure.id: size for figure, size in hits}
    for table in by_table(figure for figure, _ in hits):
        worst = max(table, key=lambda figure: abs(shown(sizes[figure.id])))
        words = saw.format(count=len(worst.values), size=shown(sizes[worst.id]))
        yield Warning(
            check,
            Severity.WARNING,
            table[0].table,
            f"{words} ({worst.id}). So in {named(table)}",
            meaning,
            "alternate what is compared, in random order and over several processes, and compare neighbours",
            ids(table),
        )
