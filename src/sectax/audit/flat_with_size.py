"""An operation that moves its body must take longer for a larger one."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure, Moves
from sectax.audit.grouping import bandwidth, by_table, ids, named, number, seconds_per_operation, series, untold
from sectax.model.finding import Severity, Warning

# Bytes per second that no memory of one machine moves (two sockets with twelve channels of DDR5: 0.92e12): the limit
# where the bandwidth that an operation had to go through was not measured.
NO_MACHINE_BYTES_S = 1e12

# A growth below this share of what the bandwidth demands is too little, also with some noise in both figures.
LEAST_GROWTH = 0.5
# A difference below this share of the smaller figure may be noise.
LEAST_SHOWN = 0.25


def link_of(figure: Figure) -> float:
    """The bandwidth that the figure cannot pass, in bytes per second."""
    return figure.circumstances.link_bytes_s or NO_MACHINE_BYTES_S


def _sees(evidence: Evidence) -> list[Figure]:
    """All that move a body of a size that is told, or may do so: whether they do may be what is missing."""
    return [
        figure
        for figure in evidence.figures
        if figure.circumstances.moves is not Moves.METADATA
        and figure.circumstances.size_bytes is not None
        and seconds_per_operation(figure) is not None
    ]


def _examine(evidence: Evidence) -> Iterator[Warning]:
    seen = _sees(evidence)
    bodies = [figure for figure in seen if figure.circumstances.moves is Moves.BODY]
    yield from untold(
        FLAT_WITH_SIZE.id,
        [figure for figure in seen if figure.circumstances.moves is None],
        "whether the operation moves its body or metadata alone is not told",
    )
    groups = list(series(bodies, lambda figure: figure.circumstances.size_bytes))
    flat = [group for group in groups if _grows(group) is False]
    yield from untold(
        FLAT_WITH_SIZE.id,
        [figure for group in groups if _grows(group) is None for figure in group],
        "the times are flat, but the sizes are too small or too near to show whether the body was moved",
        "add a size that takes far longer to move",
    )
    spanned = set(ids(figure for group in groups for figure in group))
    yield from untold(
        FLAT_WITH_SIZE.id,
        [figure for figure in bodies if figure.id not in spanned],
        "one size alone shows no growth",
        "measure a second size, far larger",
    )
    for table in by_table(figure for group in flat for figure in group):
        yield _warning(table, [group for group in flat if group[0].table == table[0].table])


def _grows(group: list[Figure]) -> bool | None:
    """Whether the time grows from the smallest to the largest as it must; None where that cannot be told."""
    short, long = _time(group[0]), _time(group[-1])
    growth, needed = long - short, _needed(group)
    if growth >= max(LEAST_GROWTH * needed, LEAST_SHOWN * short):
        return True
    if needed >= LEAST_SHOWN * short:
        return growth >= LEAST_GROWTH * needed
    return None


def _needed(group: list[Figure]) -> float:
    return (_size(group[-1]) - _size(group[0])) / link_of(group[-1])


def _warning(table: list[Figure], groups: list[list[Figure]]) -> Warning:
    worst = min(groups, key=lambda group: (_time(group[-1]) - _time(group[0])) / _needed(group))
    first, last = worst[0], worst[-1]
    link = "of the link" if last.circumstances.link_bytes_s else "that no machine passes"
    return Warning(
        FLAT_WITH_SIZE.id,
        Severity.FATAL,
        table[0].table,
        f"{number(_size(last) / _size(first))} times the bytes take {_time(last) / _time(first):.3g} times as long "
        f"({first.id}: {_time(first):.3g} s; {last.id}: {_time(last):.3g} s); at the bandwidth {link}, "
        f"{bandwidth(link_of(last))}, they need {_needed(worst):.2g} s more. So in {named(table)}",
        "the body was not moved: the figures are of something else than the operation",
        "read the body to its end and check it",
        ids(table),
    )


def _time(figure: Figure) -> float:
    return seconds_per_operation(figure) or 0.0


def _size(figure: Figure) -> float:
    return figure.circumstances.size_bytes or 0.0


FLAT_WITH_SIZE = Check(
    id="flat-with-size",
    rule="F: time grows less than half as much over the sizes as the bandwidth demands, so the body was not moved",
    applies=lambda evidence: bool(_sees(evidence)),
    examine=_examine,
    sees=_sees,
)
