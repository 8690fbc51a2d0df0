"""More bytes in a second than the wire or the memory can carry, and work that takes no longer when there is more."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sectax.audit.check import Check, Remark, fatal, warning
from sectax.audit.evidence import Evidence
from sectax.audit.figure import EndsBy, Figure, Moves, Quantity
from sectax.audit.flat_with_size import link_of
from sectax.audit.grouping import about, by_table, each_table, seconds_per_operation, series, unknown
from sectax.audit.least_time import too_short
from sectax.audit.over_blocks import typical_speeds
from sectax.audit.words import bandwidth, duration, ids, named
from sectax.model.finding import Severity

# A measured bandwidth has an error of its own.
LINK_TOLERANCE = 1.1
# About two cycles of a fast processor. An empty loop takes one, so that below it nothing was in the loop; up to twice
# that much hardly anything was. In less than a tenth of a cycle not even a loop was.
SHORTEST_OPERATION_S, HARDLY_ANYTHING_S, NOT_EVEN_A_LOOP_S = 5e-10, 1e-9, 2e-11
# Names of what is to hold nothing, or to run on many processors at once, whose time is shared among its operations.
_BY_INTENT = re.compile(
    r"(?i:baseline|empty|loop|overhead|nothing|control|calibrat|parallel|concurren|contend|multi|split|shard|per_?cpu"
    r"|goroutine|thread|disabled)|(?:(?<![A-Za-z])n|N)(?i:o[_-]?op|op)s?(?![a-z])"
)
# Operations without a time, and their share of a table, that the last printed digit no longer explains.
FEWEST_ZEROS, LEAST_SHARE_OF_ZEROS = 2, 0.2
# Of the time that more operations should add, in proportion.
LEAST_ADDED = 0.25
# Fewer times the operations may hide in what a batch costs by itself.
LEAST_MORE = 2.0

NOTHING_IN_IT = "that is a loop with nothing in it: the compiler left out the work"
HARDLY_ANYTHING = "that is a loop with nothing in it, or hardly anything: the compiler may have left out the work"
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
    yield from _zeros(seen)
    yield from _free(seen)
    yield from _by_name(evidence)
    yield from _in_runs(typical_speeds(evidence))


def _empty(seen: list[Figure]) -> Iterator[Remark]:
    times = {each.id: time for each in seen if (time := _of_one_thread(each)) is not None and time > 0}
    short = [each for each in seen if each.id in times and times[each.id] < HARDLY_ANYTHING_S]
    for severity in (Severity.FATAL, Severity.WARNING):
        yield from each_table(
            severity,
            [each for each in short if (severity is Severity.FATAL) is _is_empty(each, times[each.id])],
            lambda table: f"one operation takes {1e9 * min(times[each.id] for each in table):.2g} ns in {named(table)}",
            NOTHING_IN_IT if severity is Severity.FATAL else HARDLY_ANYTHING,
            USE_THE_RESULTS,
        )


def _of_one_thread(figure: Figure) -> float | None:
    """How long one operation kept a thread; of a rate of several threads each does its share."""
    seconds = seconds_per_operation(figure)
    threads = figure.circumstances.threads if figure.quantity is Quantity.RATE else None
    return seconds if seconds is None else seconds * (threads or 1)


def _is_empty(figure: Figure, seconds: float) -> bool:
    """Whether nothing can have been in the loop of a benchmark, and its name does not say so."""
    if seconds < NOT_EVEN_A_LOOP_S:
        # Beside sizes alone a time may be one of a part of the work, such as an element.
        return figure.circumstances.calibrated is not None or not _has_sizes_alone(figure)
    names = (figure.id, figure.circumstances.operation or "", *figure.levels.values())
    return (
        seconds < SHORTEST_OPERATION_S
        # Others take a total over a number that their callers chose, on however many processors.
        and (figure.quantity is Quantity.TIME or figure.circumstances.threads is not None)
        and figure.circumstances.calibrated is True
        and not any(map(_BY_INTENT.search, names))
    )


def _has_sizes_alone(figure: Figure) -> bool:
    return bool(figure.levels) and all(_as_count(level) is not None for level in figure.levels.values())


def _zeros(seen: list[Figure]) -> Iterator[Remark]:
    """Benchmarks that print no time at all: one may be a getter within the last digit, several were left out."""
    timed = [each for each in seen if each.quantity is Quantity.TIME and each.circumstances.calibrated is True]
    for table in by_table(each for each in timed if each.statistic in (None, "mean", "median")):
        none = [each for each in table if each.typical == 0 and not _BY_INTENT.search(each.id)]
        if len(none) >= FEWEST_ZEROS and len(none) >= LEAST_SHARE_OF_ZEROS * len(table):
            yield about(
                Severity.FATAL,
                none,
                f"{len(none)} of {len(table)} operations take 0 ns, in {named(none)}",
                NOTHING_IN_IT,
                USE_THE_RESULTS,
            )


def _by_name(evidence: Evidence) -> Iterator[Remark]:
    """What takes less than any machine needs for what its name says."""
    for figure, floor, certain in too_short(evidence):
        yield about(
            Severity.FATAL if certain else Severity.WARNING,
            [figure],
            f"{figure.id} takes {duration(figure.typical or 0.0)}, and {floor.what} {duration(floor.least_s)} at the "
            "least",
            "what its name says was not done: it failed at once, or something else was measured",
            "check the result of each operation, and its error",
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
                HARDLY_ANYTHING,
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
    # A time that is printed as nothing is its clock's fault.
    return size / seconds if seconds > 0 else None


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
    rule="F: more bytes per second than the memory or link was measured to carry, more work in no more time, or a "
    "benchmark whose loop takes under 0.5 ns, where its name does not say that it is empty or runs in parallel, or a "
    "tenth of what any machine needs for what its name says; W: an operation under 1 ns, or under that least time; in "
    "a run of ours, where even the slowest block is under 0.5 ns",
    examine=_examine,
    sees=_sees,
    applies=lambda evidence: bool(typical_speeds(evidence)),
)
