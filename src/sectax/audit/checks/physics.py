"""Bandwidths above the limit of link or memory, and empty loops."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sectax.audit.checks.groups import Worst, by_severity, unknown, worst
from sectax.audit.checks.growth import READ_IT, link_bandwidth
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import bandwidth
from sectax.audit.form import Evidence, Moves, Quantity, Series
from sectax.model.finding import Severity
from sectax.text import units

# A measured bandwidth has an error of its own.
LINK_TOLERANCE = 1.1
# About two cycles of a fast processor; an empty loop takes one. Up to twice as long the loop was almost empty.
SHORTEST_OPERATION_S, HARDLY_ANYTHING_S = 5e-10, 1e-9
# Names of benchmarks that do nothing by intent, or divide their time among many processors.
_BY_INTENT = re.compile(
    r"(?i)baseline|empty|loop|overhead|nothing|control|calibrat|parallel|concurren|contend|multi|per_?cpu|goroutine"
    r"|thread|disabled|\bno_?op"
)
USE_THE_RESULTS = "use the results, so that the compiler cannot remove the work"


def _relevant(evidence: Evidence) -> list[Series]:
    return [
        series
        for series in evidence.speeds
        if series.quantity is Quantity.BANDWIDTH or series.seconds_per_operation() is not None
    ]


@check(
    "F: more bytes per second than memory or link allow, or under 0.5 ns per operation in a loop whose length the tool "
    "chose, unless its name says 'empty', 'parallel' or similar; W: any other operation under 1 ns (of a sectax run, "
    "even in the slowest block, and under 0.5 ns)",
    sees=_relevant,
    runs=True,
)
def faster_than_physics(evidence: Evidence) -> Iterator[Remark]:
    relevant = _relevant(evidence)
    moving = {series: bytes_s for series in relevant if (bytes_s := _bytes_s(series)) is not None}

    beyond: Worst = {
        series: (
            bytes_s,
            f"{'the slowest block of ' if series.blocks else ''}{series.id} would be {bandwidth(bytes_s)}; at most "
            f"{bandwidth(link_bandwidth(series))} is possible",
        )
        for series, bytes_s in moving.items()
        if bytes_s > (1 if series.blocks else LINK_TOLERANCE) * link_bandwidth(series)
    }
    yield from worst(Severity.FATAL, beyond, "the bytes were not moved or processed", READ_IT)
    silent = [series for series in moving if series.work.link_bytes_s is None and series not in beyond]
    yield from unknown([] if evidence.is_run else silent, "the bandwidth of memory or link is not reported")
    meaning = "an empty or almost empty loop was timed: the compiler removed the work"
    yield from by_severity(_empty([series for series in relevant if series not in beyond]), meaning, USE_THE_RESULTS)


def _empty(relevant: list[Series]) -> Iterator[tuple[Severity, Series, float, str]]:
    for series in relevant:
        if 0 < (time := _of_one_thread(series)) < (SHORTEST_OPERATION_S if series.blocks else HARDLY_ANYTHING_S):
            severity = Severity.FATAL if _is_empty(series, time) else Severity.WARNING
            yield severity, series, -time, f"one operation takes {units.digits(1e9 * time, 2)} ns"


def _of_one_thread(series: Series) -> float:
    """Return the time per operation of one thread."""
    threads = series.work.threads if series.quantity is Quantity.RATE else None
    return (_seconds(series) or 0.0) * (threads or 1)


def _seconds(series: Series) -> float | None:
    """Return the time of one operation; in a sectax run, of the slowest block: noise does not explain it."""
    return max(series.block_seconds.values()) if series.blocks else series.seconds_per_operation()


def _is_empty(series: Series, seconds: float) -> bool:
    """Whether the loop must have been empty, though its name does not say so."""
    names = (series.id, series.work.operation or "", *series.levels.values())
    by_intent = any(map(_BY_INTENT.search, names))
    return seconds < SHORTEST_OPERATION_S and series.work.calibrated is True and not by_intent


def _bytes_s(series: Series) -> float | None:
    if series.quantity is Quantity.BANDWIDTH:
        return series.typical
    seconds, size = _seconds(series), series.work.size_bytes
    if seconds is None or size is None or series.work.moves is not Moves.BODY:
        return None
    # Times of 0 are reported by `timer`.
    return size / seconds if seconds > 0 else None
