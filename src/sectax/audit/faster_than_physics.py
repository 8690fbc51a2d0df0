"""More bytes in a second than the wire or the memory can carry, and work that takes no longer when there is more."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check, Remark, fatal, warning
from sectax.audit.evidence import Evidence
from sectax.audit.figure import EndsBy, Figure, Moves, Quantity
from sectax.audit.flat_with_size import link_of
from sectax.audit.grouping import each_table, seconds_per_operation, series, unknown
from sectax.audit.over_blocks import typical_speeds
from sectax.audit.words import bandwidth, ids, named
from sectax.model.finding import Severity

# A measured bandwidth has an error of its own.
LINK_TOLERANCE = 1.1
# About two cycles of a fast processor. An empty loop takes one.
SHORTEST_OPERATION_S = 5e-10
# Of the time that more operations should add, in proportion.
LEAST_ADDED = 0.25
# Fewer times the operations may hide in what a batch costs by itself.
LEAST_MORE = 2.0

NOTHING_IN_IT = "that is a loop with nothing in it: the compiler may have left out the work"
USE_THE_RESULTS = "use the results, so that the work cannot be left out"


def _sees(evidence: Evidence) -> list[Figure]:
    return [
        figure
        for figure in evidence.printed
        if figure.quantity is Quantity.BANDWIDTH or _operations(figure) or seconds_per_operation(figure) is not None
    ]


def _examine(evidence: Evidence) -> Iterator[Remark]:
    seen = _sees(evidence)
    moving = [figure for figure in seen if _bytes_s(figure) is not None]

    def saw(table: list[Figure]) -> str:
        fastest = max(table, key=lambda figure: _bytes_s(figure) or 0.0)
        return (
            f"{fastest.id} would be {bandwidth(_bytes_s(fastest) or 0.0)}, and no more than "
            f"{bandwidth(link_of(fastest))} can be. Seen in {named(table)}"
        )

    yield from each_table(
        Severity.FATAL,
        [figure for figure in moving if _beyond(figure)],
        saw,
        "the bytes were not moved",
        "check that the body arrives, and that its bytes are those that were sent",
    )
    yield from unknown(
        [figure for figure in moving if figure.circumstances.link_bytes_s is None and not _beyond(figure)],
        "the bandwidth of the memory or link is not reported, and the figures are below that of any",
    )
    yield from _empty(seen)
    yield from _free(seen)
    yield from _in_runs(typical_speeds(evidence))


def _empty(seen: list[Figure]) -> Iterator[Remark]:
    yield from each_table(
        Severity.WARNING,
        [figure for figure in seen if 0 < (seconds_per_operation(figure) or 1.0) < SHORTEST_OPERATION_S],
        lambda table: f"one operation takes {1e9 * (seconds_per_operation(table[0]) or 0.0):.2g} ns in {named(table)}",
        NOTHING_IN_IT,
        USE_THE_RESULTS,
    )


def _free(seen: list[Figure]) -> Iterator[Remark]:
    for group in series((figure for figure in seen if _is_level(_operations(figure), figure)), _operations):
        few, many = group[0], group[-1]
        if (few.circumstances.operation, few.circumstances.size_bytes) != (
            many.circumstances.operation,
            many.circumstances.size_bytes,
        ):
            continue
        more = (_operations(many) or 0.0) / (_operations(few) or 1.0)
        longer = _lasted(many) / _lasted(few) if _lasted(few) > 0 else 1.0
        if more >= LEAST_MORE and longer < 1 + LEAST_ADDED * (more - 1):
            yield Remark(
                Severity.FATAL,
                few.table,
                f"{more:.3g} times the operations take {longer:.3g} times as long ({few.id}; {many.id})",
                "more work costs nothing: it was not done",
                USE_THE_RESULTS,
                ids(group),
            )


def _in_runs(figures: list[Figure]) -> Iterator[Remark]:
    """Of runs of ours: where even the slowest block is too fast, no noise explains it."""
    for figure in figures:
        slowest = max(figure.seconds().values())
        size = figure.circumstances.size_bytes
        if size is not None and figure.circumstances.moves is Moves.BODY and size > slowest * link_of(figure):
            yield fatal(
                figure.treatment,
                f"the slowest block of {figure.id} would be {bandwidth(size / slowest)}, and no more than "
                f"{bandwidth(link_of(figure))} can be",
                "the bytes were not worked on",
                "check that the whole body arrives, and that its last byte changes the result",
            )
        elif slowest < SHORTEST_OPERATION_S:
            yield warning(
                figure.treatment,
                f"one operation takes {1e9 * slowest:.2g} ns at most in {figure.id}",
                NOTHING_IN_IT,
                USE_THE_RESULTS,
            )


def _beyond(figure: Figure) -> bool:
    return (_bytes_s(figure) or 0.0) > LINK_TOLERANCE * link_of(figure)


def _bytes_s(figure: Figure) -> float | None:
    if figure.quantity is Quantity.BANDWIDTH:
        return figure.typical
    seconds, size = seconds_per_operation(figure), figure.circumstances.size_bytes
    if seconds is None or size is None or figure.circumstances.moves is not Moves.BODY:
        return None
    return size / seconds if seconds > 0 else float("inf")


def _operations(figure: Figure) -> float | None:
    """How many operations were timed together, where that is told and did not depend on how fast they were."""
    told = figure.circumstances
    if figure.quantity is Quantity.TOTAL_TIME and told.ends_by is EndsBy.EVENTS:
        return told.events
    return told.batch if figure.quantity is Quantity.TIME and told.calibrated is False else None


def _is_level(count: float | None, figure: Figure) -> bool:
    """Whether one of the figure's levels is this very count.

    Only then are figures that differ in that level the same operation, more or less often. Of two tests with unlike
    counts, or of two block sizes, nothing says that one operation of the one costs as much as one of the other.
    """
    return count is not None and any(_as_count(level) == count for level in figure.levels.values())


def _as_count(level: str) -> float | None:
    try:
        return float(level.replace(",", ""))
    except ValueError:
        return None


def _lasted(figure: Figure) -> float:
    """All of them together, in seconds."""
    value = figure.typical or 0.0
    return value if figure.quantity is Quantity.TOTAL_TIME else value * (_operations(figure) or 0.0)


FASTER_THAN_PHYSICS = Check(
    id="faster-than-physics",
    rule="F: more bytes per second than the memory or link was measured to carry, or more work in no more time; "
    "W: an operation under 0.5 ns; in a run of ours, where even the slowest block is",
    examine=_examine,
    sees=_sees,
    applies=lambda evidence: bool(typical_speeds(evidence)),
)
