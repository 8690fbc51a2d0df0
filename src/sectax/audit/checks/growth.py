"""An operation that moves its body, or works on all of its input, must take longer for a larger one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sectax.audit.checks.amounts import Amount, rising
from sectax.audit.checks.groups import each_table, ids, rows, unknown
from sectax.audit.checks.interface import Check, Remark
from sectax.audit.checks.words import bandwidth, duration, named, number
from sectax.audit.form import Evidence, Moves, Series
from sectax.model.finding import Severity

# Bytes per second that no memory of one machine moves (two sockets with twelve channels of DDR5: 0.92e12): the limit
# where the bandwidth that an operation had to go through was not measured.
NO_MACHINE_BYTES_S = 1e12
# A growth below this share of what the bandwidth demands is too little, also with some noise in both figures.
LEAST_GROWTH = 0.5
# A difference below this share of the smaller figure may be noise.
LEAST_SHOWN = 0.25
# Of the time of less work, that twice as much of it may take at least; and times the work that cannot take the same.
FALLS, FLAT_OVER, SAME = 0.8, 1000.0, 1.1


def link_of(one: Series) -> float:
    """The bandwidth that the series cannot exceed, in bytes per second."""
    return one.work.link_bytes_s or NO_MACHINE_BYTES_S


def _seen(evidence: Evidence) -> list[Series]:
    """All that move a body of a reported size, or may do so: whether they do may be what is missing."""
    return [
        one
        for one in evidence.series
        if one.work.moves is not Moves.METADATA and one.work.size_bytes is not None and _time(one) > 0
    ]


def _examine(evidence: Evidence) -> Iterator[Remark]:
    seen = _seen(evidence)
    bodies = [one for one in seen if one.work.moves is Moves.BODY]
    groups = list(rows(bodies, lambda one: one.work.size_bytes))
    spanned = set(ids(one for group in groups for one in group))
    unsaid = [one for one in seen if one.work.moves is None]
    yield from unknown(unsaid, "whether the operation moves its body or metadata alone is not reported")
    yield from unknown(
        [one for group in groups if grows(group) is None for one in group],
        "the times are flat, but the sizes are too small or too near to show whether the body was moved",
        "add a size that takes far longer to move",
    )
    alone = [one for one in bodies if not set(ids([one])) <= spanned]
    yield from unknown(alone, "one size alone shows no growth", "measure a second size, far larger")
    flat = [group for group in groups if grows(group) is False]
    yield from each_table(
        Severity.FATAL,
        [one for group in flat for one in group],
        lambda table: (
            f"{_saw([group for group in flat if group[0].table == table[0].table])}. Seen in {named(ids(table))}"
        ),
        "the body was not moved: the figures are of something else than the operation",
        "read the body to its end and check it",
    )
    yield from _by_amounts(evidence)


def _by_amounts(evidence: Evidence) -> Iterator[Remark]:
    """W where more of what a label counts takes clearly less time, or a thousand times as much the same."""
    groups = list(rising(evidence))
    falling = {pair[0].series.table: pair for group in groups if (pair := _falls(group)) is not None}
    for table, (few, many) in falling.items():
        saw = (
            f"{number(many.amount / few.amount)} times as much by its label takes {number(many.seconds / few.seconds)} "
            f"times as long ({few.series.id}; {many.series.id})"
        )
        meaning = "some of the work was not done, or the machine was not in the same state for both"
        figures = ids([few.series, many.series])
        yield Remark(Severity.WARNING, table, saw, meaning, "measure both sizes again, in turns", figures)
    yield from each_table(
        Severity.WARNING,
        [amount.series for group in groups if _is_flat(group) for amount in group],
        lambda table: f"{number(FLAT_OVER)} times as much by its label takes the same time, in {named(ids(table))}",
        "if the operation works on all of it, the work was not done, or something else takes the time",
        "see that the whole input is worked on",
    )


def _falls(group: list[Amount]) -> tuple[Amount, Amount] | None:
    """The two amounts, one at least twice the other, between which the time falls most; None where it does not."""
    pairs = [
        (few, many)
        for at, few in enumerate(group)
        for many in group[at + 1 :]
        if many.amount >= 2 * few.amount
        and many.seconds < FALLS * few.seconds
        and not _overlap(few.series, many.series)
    ]
    return min(pairs, key=lambda pair: pair[1].seconds / pair[0].seconds, default=None)


def _overlap(slow: Series, fast: Series) -> bool:
    """Whether the single values of a slower and a faster series are not apart."""
    if len(slow.values) < 2 or len(fast.values) < 2:
        return False
    slower, faster = ([one.seconds_per_operation(value) or 0.0 for value in one.values] for one in (slow, fast))
    return min(slower) <= max(faster)


def _is_flat(group: list[Amount]) -> bool:
    seconds = [amount.seconds for amount in group]
    over = group[-1].amount / group[0].amount
    return over >= FLAT_OVER and max(seconds) <= SAME * min(seconds) and group[0].reads_all


def grows(group: Sequence[Series]) -> bool | None:
    """Whether the time grows from the smallest to the largest as it must; None where that cannot be seen."""
    short, long = _time(group[0]), _time(group[-1])
    growth, needed = long - short, _needed(group)
    if growth >= max(LEAST_GROWTH * needed, LEAST_SHOWN * short):
        return True
    return growth >= LEAST_GROWTH * needed if needed >= LEAST_SHOWN * short else None


def _needed(group: Sequence[Series]) -> float:
    return (_size(group[-1]) - _size(group[0])) / link_of(group[-1])


def _saw(groups: list[list[Series]]) -> str:
    worst = min(groups, key=lambda group: (_time(group[-1]) - _time(group[0])) / _needed(group))
    first, last = worst[0], worst[-1]
    link = "of the link" if last.work.link_bytes_s else "that no machine exceeds"
    return (
        f"{number(_size(last) / _size(first))} times the bytes take {number(_time(last) / _time(first))} times as long "
        f"({first.id}: {duration(_time(first))}; {last.id}: {duration(_time(last))}); at the bandwidth {link}, "
        f"{bandwidth(link_of(last))}, they need {duration(_needed(worst))} more"
    )


def _size(one: Series) -> float:
    return one.work.size_bytes or 0.0


def _time(one: Series) -> float:
    return one.seconds_per_operation() or 0.0


FLAT_WITH_SIZE = Check(
    id="flat-with-size",
    rule="F: time grows by less than half of what the bandwidth demands for the bytes; W: more work by its label "
    "takes less "
    "time, or a thousand times as much the same",
    examine=_examine,
    sees=lambda evidence: ids(_seen(evidence)),
    applies=lambda evidence: evidence.imported and any(True for _ in rising(evidence)),
)
