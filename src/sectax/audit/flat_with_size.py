"""An operation that moves its body must take longer for a larger one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sectax.audit.check import Check, cannot_be_checked
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure, Moves
from sectax.audit.grouping import bandwidth, by_table, ids, named, number, seconds_per_operation, series, untold
from sectax.audit.own_figures import OwnFigure, interval, parts_of, typical_speeds
from sectax.model.finding import Severity, Warning

# Bytes per second that no memory of one machine moves (two sockets with twelve channels of DDR5: 0.92e12): the limit
# where the bandwidth that an operation had to go through was not measured.
NO_MACHINE_BYTES_S = 1e12

# A growth below this share of what the bandwidth demands is too little, also with some noise in both figures.
LEAST_GROWTH = 0.5
# A difference below this share of the smaller figure may be noise.
LEAST_SHOWN = 0.25

# Shared by all of a run of ours: that a time which grows just as much as it must is called flat.
CHANCE = 0.005


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
    yield from _in_runs(evidence)


def _grows(group: list[Figure]) -> bool | None:
    """Whether the time grows from the smallest to the largest as it must; None where that cannot be told."""
    short, long = _time(group[0]), _time(group[-1])
    growth, needed = long - short, _needed(group)
    if growth >= max(LEAST_GROWTH * needed, LEAST_SHOWN * short):
        return True
    if needed >= LEAST_SHOWN * short:
        return growth >= LEAST_GROWTH * needed
    return None


def _needed(group: Sequence[Figure]) -> float:
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


def _series(evidence: Evidence) -> list[list[OwnFigure]]:
    """Of a run of ours: the treatments that carry a body, each at two sizes or more, rising."""
    bodies = [each for each in typical_speeds(evidence.own_figures) if each.circumstances.moves is Moves.BODY]
    return list(series(bodies, lambda figure: figure.circumstances.size_bytes))


def _in_runs(evidence: Evidence) -> Iterator[Warning]:
    groups = _series(evidence)
    unclear = []
    for group in groups:
        beyond = _parts(group, evidence)
        low, high = _growth(group, beyond, CHANCE / len(groups))
        if high < _needed(group):
            yield from _flat(group, beyond, low, high)
        elif low < _needed(group):
            unclear.append(group[-1])
    if unclear:
        yield cannot_be_checked(
            FLAT_WITH_SIZE.id,
            unclear[0].treatment if len(unclear) == 1 else "run",
            f"the blocks do not show whether time grows with the size as it must ({unclear[0].id}"
            f"{f'; and {len(unclear) - 1} more' if len(unclear) > 1 else ''})",
            "more blocks, or a larger size",
        )


def _parts(group: list[OwnFigure], evidence: Evidence) -> list[OwnFigure]:
    """What is to be taken off the smallest and the largest: what they do before they work on the body.

    Nothing where that was not measured at both sizes, or where it is not known that they do more with the body.
    """
    if group[-1].circumstances.link_bytes_s is None:
        return []
    small, large = (
        {part.circumstances.operation: part for part in parts_of(figure, evidence.own_figures)}
        for figure in (group[0], group[-1])
    )
    return next(([small[each], large[each]] for each in small if each in large), [])


def _growth(group: list[OwnFigure], parts: list[OwnFigure], alpha: float) -> tuple[float, float]:
    """The interval of how many seconds more the largest takes than the smallest, beyond their parts if any."""
    last, first = group[-1].seconds(), group[0].seconds()
    less = [first, *([parts[1].seconds()] if parts else [])]
    more = [last, *([parts[0].seconds()] if parts else [])]
    shared = [block for block in last if all(block in column for column in (*less, *more))]
    differences = [sum(each[block] for each in more) - sum(each[block] for each in less) for block in shared]
    typical = sum(last[block] for block in shared) / max(len(shared), 1)
    return interval(differences, alpha, typical)


def _flat(group: list[OwnFigure], parts: list[OwnFigure], low: float, high: float) -> Iterator[Warning]:
    first, last = group[0], group[-1]
    beyond = f" beyond {parts[1].circumstances.operation}" if parts else ""
    for figure in group:
        yield Warning(
            FLAT_WITH_SIZE.id,
            Severity.FATAL,
            figure.treatment,
            f"{number(_size(last) / _size(first))} times the bytes take {1e3 * low:+.2g} to {1e3 * high:+.2g} ms more"
            f"{beyond} ({first.id}; {last.id}); at no more than {bandwidth(link_of(last))} they need "
            f"{1e3 * _needed(group):.2g} ms more",
            "the body was not worked on: the figures are of something else than the treatment",
            "check that the whole body arrives, and that its last byte changes the result",
        )


def _time(figure: Figure) -> float:
    return seconds_per_operation(figure) or 0.0


def _size(figure: Figure) -> float:
    return figure.circumstances.size_bytes or 0.0


FLAT_WITH_SIZE = Check(
    id="flat-with-size",
    rule="F: time grows less than half as much over the sizes as the bandwidth demands, so the body was not moved; "
    "in a run of ours, where the interval of the growth leaves no doubt",
    applies=lambda evidence: bool(_sees(evidence)) or bool(_series(evidence)),
    examine=_examine,
    sees=_sees,
)
