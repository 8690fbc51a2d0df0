"""Larger bodies take longer, and a whole takes longer than its part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sectax.audit.checks.groups import Worst, ids, rows, unknown, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import bandwidth, duration, number
from sectax.audit.form import Evidence, Moves, Quantity, Series
from sectax.model.finding import Severity

# Two figures of few trials for the same work differ by less than this factor; a cold trial may differ by more.
CLEARLY_FASTER = 0.5


def _containing(evidence: Evidence) -> list[Series]:
    return [series for series in evidence.series if series.work.contains and series.seconds_per_operation() is not None]


@check("F: an operation takes less than half the time of another that it contains", sees=_containing)
def contained_work(evidence: Evidence) -> Iterator[Remark]:
    relevant = _containing(evidence)
    part_of: dict[Series, Series] = {}
    for whole in relevant:
        parts = [
            candidate
            for candidate in evidence.series
            if candidate.work.operation in (whole.work.contains or ()) and _is_comparable(whole, candidate)
        ]
        # The whole must exceed the fastest figure of its part.
        if parts:
            part_of[whole] = min(parts, key=operation_time)
    alone = [whole for whole in relevant if whole not in part_of]
    yield from unknown(alone, "the operation that it contains was not measured")

    faults: Worst = {}
    for whole, part in part_of.items():
        if 0 < operation_time(whole) < CLEARLY_FASTER * operation_time(part):
            times = f"{whole.id}: {duration(operation_time(whole))}; {part.id}: {duration(operation_time(part))}"
            faster = operation_time(part) / operation_time(whole)
            what = f"{whole.work.operation or 'the operation'} contains {part.work.operation}"
            faults[whole] = faster, f"{what}, but is {number(faster)} times as fast ({times})"
    meaning = "the work was not done: no request was sent, or its answer was not read"
    yield from worst(Severity.FATAL, faults, meaning, "read the whole answer and check it")


def _is_comparable(whole: Series, part: Series) -> bool:
    """Whether both differ only in the operation's name."""
    statistics = [tuple(claim.statistic for claim in series.claims) for series in (whole, part)]
    return (
        (part.metric, part.quantity, statistics[1]) == (whole.metric, whole.quantity, statistics[0])
        and part.seconds_per_operation() is not None
        and all(
            whole.levels[factor] == part.levels[factor]
            for factor in whole.levels.keys() & part.levels.keys()
            if part.levels[factor] != part.work.operation
        )
    )


# No memory of one machine moves more bytes per second (two sockets with twelve channels of DDR5: 0.92e12): the limit
# where the bandwidth was not measured.
NO_MACHINE_BYTES_S = 1e12
# The same for one request to a service: the fastest Ethernet has 800 Gbit/s. In a harness with calibrated loops such a
# name may be a call within the process.
NO_LINK_BYTES_S = 1e11
_REQUEST = re.compile(r"(?i)(?:get|put|upload|download)(?:$|[\W_])")
# No core encrypts or hashes half as fast outside its caches.
NO_CORE_BYTES_S = 1e11
_WORKED_ON = re.compile(r"(?i)(?:encrypt|decrypt|hash)(?:$|[\W_])")
# Growth below this share of what the bandwidth requires is too little, even with noise in both figures.
LEAST_GROWTH = 0.5
# A difference below this share of the smaller figure may be noise: with two sizes, and with three that agree.
LEAST_SHOWN, LEAST_AGREED = 0.25, 0.1


def link_bandwidth(series: Series) -> float:
    """Return the upper limit of the bandwidth, in bytes per second."""
    limit = NO_LINK_BYTES_S if _is_called(series, _REQUEST) else NO_MACHINE_BYTES_S
    return series.work.link_bytes_s or limit


def _is_called(series: Series, names: re.Pattern[str]) -> bool:
    """Whether the operation has such a name and its loop was not calibrated."""
    named = names.match(series.work.operation or "")
    return series.quantity is Quantity.TIME and not series.work.calibrated and named is not None


def operation_time(series: Series) -> float:
    """Return the time of one operation in seconds; 0 where unknown."""
    return series.seconds_per_operation() or 0.0


def _relevant(evidence: Evidence) -> list[Series]:
    """Return the series that move, or may move, a body of a known size."""
    return [
        series
        for series in evidence.series
        if series.work.moves is not Moves.METADATA and _size(series) > 0 and operation_time(series) > 0
    ]


@check("F: time grows by less than half of what the bandwidth requires for the bytes", sees=_relevant)
def flat_with_size(evidence: Evidence) -> Iterator[Remark]:
    relevant = _relevant(evidence)
    bodies = [series for series in relevant if series.work.moves is Moves.BODY]
    groups = list(rows(bodies, lambda series: series.work.size_bytes))
    spanned = set(ids(series for group in groups for series in group))
    unsaid = [series for series in relevant if series.work.moves is None]
    yield from unknown(unsaid, "whether the operation moves a body or only metadata is not reported")
    yield from unknown(
        [series for group in groups if grows(group) is None for series in group],
        "the times are flat, but these bytes take too little time to show whether the body was moved",
        "add a size that takes far longer to move",
    )
    alone = [series for series in bodies if not set(ids([series])) <= spanned]
    yield from unknown(alone, "growth needs two sizes", "measure a second, much larger size")
    flat: Worst = {}
    for group in groups:
        if grows(group) is False:
            growth = (operation_time(group[-1]) - operation_time(group[0])) / _needed(group)
            flat |= dict.fromkeys(group, (-growth, _flat_in_words(group)))
    meaning = "the body was not moved: something other than the operation was measured"
    yield from worst(Severity.FATAL, flat, meaning, "read the whole body and check it")


def grows(group: Sequence[Series]) -> bool | None:
    """Whether time grows with size as it must; None where undecidable."""
    short, long = operation_time(group[0]), operation_time(group[-1])
    growth, needed = long - short, _needed(group)
    if growth >= max(LEAST_GROWTH * needed, LEAST_SHOWN * short):
        return True
    times, sizes = [operation_time(series) for series in group], {series.work.size_bytes for series in group}
    agree = len(sizes) > 2 and max(times) - min(times) < LEAST_GROWTH * needed
    shown = LEAST_AGREED if agree else LEAST_SHOWN
    return growth >= LEAST_GROWTH * needed if needed >= shown * short else None


def _needed(group: Sequence[Series]) -> float:
    return (_size(group[-1]) - _size(group[0])) / _speed_limit(group[-1])


def _speed_limit(series: Series) -> float:
    """Return the limit of one operation, by link or core, in bytes/s."""
    return min(link_bandwidth(series), NO_CORE_BYTES_S) if _is_called(series, _WORKED_ON) else link_bandwidth(series)


def _flat_in_words(group: Sequence[Series]) -> str:
    first, last = group[0], group[-1]
    speed = bandwidth(_speed_limit(last))
    limit = f"at the bandwidth of the link, {speed}" if last.work.link_bytes_s else f"at {speed}, the highest possible"
    slower = number(operation_time(last) / operation_time(first))
    return (
        f"{number(_size(last) / _size(first))} times the bytes take {slower} times as long "
        f"({first.id}: {duration(operation_time(first))}; {last.id}: {duration(operation_time(last))}); {limit}, "
        f"they need {duration(_needed(group))} more"
    )


def _size(series: Series) -> float:
    return series.work.size_bytes or 0.0
