"""More bytes in a second than the wire or the memory can carry, and loops with nothing in them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sectax.audit.checks.groups import each_table, ids, rows, unknown
from sectax.audit.checks.growth import link_of
from sectax.audit.checks.interface import Check, Remark
from sectax.audit.checks.words import bandwidth, named
from sectax.audit.form import EndsBy, Evidence, Moves, Quantity, Series
from sectax.model.finding import Severity

# A measured bandwidth has an error of its own.
LINK_TOLERANCE = 1.1
# About two cycles of a fast processor: an empty loop takes one. Up to twice that much hardly anything was in it.
SHORTEST_OPERATION_S, HARDLY_ANYTHING_S, NOT_EVEN_A_LOOP_S = 5e-10, 1e-9, 2e-11
# Names of what is to do nothing, or to run on many processors at once, whose time is shared among its operations.
_BY_INTENT = re.compile(
    r"(?i)baseline|empty|loop|overhead|nothing|control|calibrat|parallel|concurren|contend|multi|per_?cpu|goroutine"
    r"|thread|disabled|\bno_?op"
)
# Of the time that more operations should add, in proportion; fewer times the operations may hide in a fixed part.
LEAST_ADDED, LEAST_MORE = 0.25, 2.0
USE_THE_RESULTS = "use the results, so that the work cannot be left out"


def _seen(evidence: Evidence) -> list[Series]:
    return [
        one
        for one in evidence.series
        if one.quantity is Quantity.BANDWIDTH or _operations(one) or one.seconds_per_operation() is not None
    ]


def _examine(evidence: Evidence) -> Iterator[Remark]:
    seen = _seen(evidence)
    moving = {one: bytes_s for one in seen if (bytes_s := _bytes_s(one)) is not None}
    beyond = [one for one, bytes_s in moving.items() if bytes_s > LINK_TOLERANCE * link_of(one)]

    def saw(table: list[Series]) -> str:
        fastest = max(table, key=lambda one: moving[one])
        return (
            f"{fastest.id} would be {bandwidth(moving[fastest])}, and at most {bandwidth(link_of(fastest))} "
            f"is possible. "
            f"Seen in {named(ids(table))}"
        )

    yield from each_table(Severity.FATAL, beyond, saw, "the bytes were not moved", "check that the whole body arrives")
    yield from unknown(
        [one for one in moving if one.work.link_bytes_s is None and one not in beyond],
        "the bandwidth of the memory or link is not reported, and the figures are below that of any",
    )
    yield from _empty(seen)
    yield from _free(seen)


def _empty(seen: list[Series]) -> Iterator[Remark]:
    times = {one: time for one in seen if 0 < (time := _of_one_thread(one)) < HARDLY_ANYTHING_S}
    for severity in (Severity.FATAL, Severity.WARNING):
        fatal = severity is Severity.FATAL
        yield from each_table(
            severity,
            [one for one, time in times.items() if _is_empty(one, time) is fatal],
            lambda table: f"one operation takes {1e9 * min(times[one] for one in table):.2g} ns in {named(ids(table))}",
            f"that is a loop with nothing in it{'' if fatal else ', or hardly anything'}: the compiler left "
            f"out the work",
            USE_THE_RESULTS,
        )


def _of_one_thread(one: Series) -> float:
    """How long one operation kept a thread; of a rate of several threads each does its share."""
    threads = one.work.threads if one.quantity is Quantity.RATE else None
    return (one.seconds_per_operation() or 0.0) * (threads or 1)


def _is_empty(one: Series, seconds: float) -> bool:
    """Whether nothing can have been in the loop of a benchmark, and its name does not say so."""
    if seconds < NOT_EVEN_A_LOOP_S:
        return one.work.calibrated is not None
    names = (one.id, one.work.operation or "", *one.levels.values())
    by_intent = any(map(_BY_INTENT.search, names))
    return seconds < SHORTEST_OPERATION_S and one.work.calibrated is True and not by_intent


def _free(seen: list[Series]) -> Iterator[Remark]:
    """More operations, as a level says, in hardly more time."""
    for group in rows((one for one in seen if _is_level(one)), _operations):
        few, many = group[0], group[-1]
        if (few.work.operation, few.work.size_bytes) != (many.work.operation, many.work.size_bytes):
            continue
        more = (_operations(many) or 0.0) / (_operations(few) or 1.0)
        longer = _lasted(many) / _lasted(few) if _lasted(few) > 0 else 1.0
        if more >= LEAST_MORE and longer < 1 + LEAST_ADDED * (more - 1):
            saw = f"{more:.3g} times the operations take {longer:.3g} times as long ({few.id}; {many.id})"
            meaning = "more work costs nothing: it was not done"
            yield Remark(Severity.FATAL, few.table, saw, meaning, USE_THE_RESULTS, ids(group))


def _bytes_s(one: Series) -> float | None:
    if one.quantity is Quantity.BANDWIDTH:
        return one.typical
    seconds, size = one.seconds_per_operation(), one.work.size_bytes
    if seconds is None or size is None or one.work.moves is not Moves.BODY:
        return None
    # A time that is printed as 0 is another check's subject.
    return size / seconds if seconds > 0 else None


def _operations(one: Series) -> float | None:
    """How many operations were timed together, where that is reported and did not depend on how fast they were."""
    if one.quantity is Quantity.TOTAL_TIME and one.work.ends_by is EndsBy.EVENTS:
        return one.work.operations
    return one.work.batch if one.quantity is Quantity.TIME and one.work.calibrated is False else None


def _is_level(one: Series) -> bool:
    """Whether a level is this very count: only then do series differ in how often the same is done."""
    count = _operations(one)
    return count is not None and any(_as_count(level) == count for level in one.levels.values())


def _as_count(level: str) -> float | None:
    try:
        return float(level.replace(",", ""))
    except ValueError:
        return None


def _lasted(one: Series) -> float:
    value = one.typical or 0.0
    return value if one.quantity is Quantity.TOTAL_TIME else value * (_operations(one) or 0.0)


FASTER_THAN_PHYSICS = Check(
    id="faster-than-physics",
    rule="F: more bytes per second than the memory or link carries, more operations in no more time, or a "
    "benchmark whose "
    "loop takes under 0.5 ns; W: an operation under 1 ns",
    examine=_examine,
    sees=lambda evidence: ids(_seen(evidence)),
)
