"""An operation takes longer for a larger body, and longer than one that it does as a part of itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sectax.audit.checks.groups import Worst, ids, rows, unknown, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import bandwidth, duration, number
from sectax.audit.form import Evidence, Moves, Quantity, Series
from sectax.model.finding import Severity

# Two figures for the same work, of few trials each, differ by less than this factor; a cold one by chance by more.
CLEARLY_FASTER = 0.5


def _containing(evidence: Evidence) -> list[Series]:
    return [series for series in evidence.series if series.work.contains and series.seconds_per_operation() is not None]


@check("F: an operation takes less than half the time of another that it must do as a part of itself", sees=_containing)
def contained_work(evidence: Evidence) -> Iterator[Remark]:
    relevant = _containing(evidence)
    part_of: dict[Series, Series] = {}
    for whole in relevant:
        parts = [
            candidate
            for candidate in evidence.series
            if candidate.work.operation in (whole.work.contains or ()) and _is_comparable(whole, candidate)
        ]
        # Of several figures for the part the fastest is the one that the whole must still exceed.
        if parts:
            part_of[whole] = min(parts, key=operation_time)
    alone = [whole for whole in relevant if whole not in part_of]
    yield from unknown(alone, "the operation that it contains was not measured beside it")

    faults: Worst = {}
    for whole, part in part_of.items():
        if 0 < operation_time(whole) < CLEARLY_FASTER * operation_time(part):
            times = f"{whole.id}: {duration(operation_time(whole))}; {part.id}: {duration(operation_time(part))}"
            faster = operation_time(part) / operation_time(whole)
            what = f"{whole.work.operation or 'the operation'} contains {part.work.operation}"
            faults[whole] = faster, f"{what}, and is {number(faster)} times as fast ({times})"
    meaning = "the work was not done: no request was sent, or its answer was not awaited"
    yield from worst(Severity.FATAL, faults, meaning, "await the answer, read it to its end and check it")


def _is_comparable(whole: Series, part: Series) -> bool:
    """Whether both are of the same quantity, and all levels that both have are equal but for the operation's name."""
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


# Bytes per second that no memory of one machine moves (two sockets with twelve channels of DDR5: 0.92e12): the limit
# where the bandwidth that an operation had to go through was not measured.
NO_MACHINE_BYTES_S = 1e12
# The same of one request to a service: the fastest Ethernet has 800 Gbit/s. What is called so in a harness that counts
# how often it fits into a time may be a call within the process.
NO_LINK_BYTES_S = 1e11
_REQUEST = re.compile(r"(?i)(?:get|put|upload|download)(?:$|[\W_])")
# No core encrypts or hashes half as much beyond its caches.
NO_CORE_BYTES_S = 1e11
_WORKED_ON = re.compile(r"(?i)(?:encrypt|decrypt|hash)(?:$|[\W_])")
# A growth below this share of what the bandwidth demands is too little, also with some noise in both figures.
LEAST_GROWTH = 0.5
# A difference below this share of the smaller figure may be noise; of three sizes or more whose times agree, less is.
LEAST_SHOWN, LEAST_AGREED = 0.25, 0.1


def link_bandwidth(series: Series) -> float:
    """The bandwidth that the series cannot exceed, in bytes per second."""
    limit = NO_LINK_BYTES_S if _is_called(series, _REQUEST) else NO_MACHINE_BYTES_S
    return series.work.link_bytes_s or limit


def _is_called(series: Series, names: re.Pattern[str]) -> bool:
    """Whether the operation has such a name, and was not repeated in the process until a time was filled."""
    named = names.match(series.work.operation or "")
    return series.quantity is Quantity.TIME and not series.work.calibrated and named is not None


def operation_time(series: Series) -> float:
    """How long one operation took; 0 where that does not follow."""
    return series.seconds_per_operation() or 0.0


def _relevant(evidence: Evidence) -> list[Series]:
    """All that move a body of a reported size above 0, or may do so: whether they do may be what is missing."""
    return [
        series
        for series in evidence.series
        if series.work.moves is not Moves.METADATA and _size(series) > 0 and operation_time(series) > 0
    ]


@check("F: time grows by less than half of what the bandwidth demands for the bytes", sees=_relevant)
def flat_with_size(evidence: Evidence) -> Iterator[Remark]:
    relevant = _relevant(evidence)
    bodies = [series for series in relevant if series.work.moves is Moves.BODY]
    groups = list(rows(bodies, lambda series: series.work.size_bytes))
    spanned = set(ids(series for group in groups for series in group))
    unsaid = [series for series in relevant if series.work.moves is None]
    yield from unknown(unsaid, "whether the operation moves its body or metadata alone is not reported")
    yield from unknown(
        [series for group in groups if grows(group) is None for series in group],
        "the times are flat, but the bytes need too little of them to show whether the body was moved",
        "add a size that takes far longer to move",
    )
    alone = [series for series in bodies if not set(ids([series])) <= spanned]
    yield from unknown(alone, "one size alone shows no growth", "measure a second size, far larger")
    flat: Worst = {}
    for group in groups:
        if grows(group) is False:
            growth = (operation_time(group[-1]) - operation_time(group[0])) / _needed(group)
            flat |= dict.fromkeys(group, (-growth, _flat_in_words(group)))
    meaning = "the body was not moved: the figures are of something else than the operation"
    yield from worst(Severity.FATAL, flat, meaning, "read the body to its end and check it")


def grows(group: Sequence[Series]) -> bool | None:
    """Whether the time grows from the smallest to the largest as it must; None where that cannot be seen."""
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
    """The bytes per second that one operation cannot exceed, by its link or by the core that works on them."""
    return min(link_bandwidth(series), NO_CORE_BYTES_S) if _is_called(series, _WORKED_ON) else link_bandwidth(series)


def _flat_in_words(group: Sequence[Series]) -> str:
    first, last = group[0], group[-1]
    speed = bandwidth(_speed_limit(last))
    limit = f"at the bandwidth of the link, {speed}" if last.work.link_bytes_s else f"at {speed}, the most there is"
    slower = number(operation_time(last) / operation_time(first))
    return (
        f"{number(_size(last) / _size(first))} times the bytes take {slower} times as long "
        f"({first.id}: {duration(operation_time(first))}; {last.id}: {duration(operation_time(last))}); {limit}, "
        f"they need {duration(_needed(group))} more"
    )


def _size(series: Series) -> float:
    return series.work.size_bytes or 0.0
