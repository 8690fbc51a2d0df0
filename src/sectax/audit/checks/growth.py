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
    return [one for one in evidence.series if one.work.contains and one.seconds_per_operation() is not None]


@check("F: an operation takes less than half the time of another that it must do as a part of itself", sees=_containing)
def contained_work(evidence: Evidence) -> Iterator[Remark]:
    relevant = _containing(evidence)
    part_of: dict[Series, Series] = {}
    for one in relevant:
        parts = [
            other
            for other in evidence.series
            if other.work.operation in (one.work.contains or ()) and _is_comparable(one, other)
        ]
        # Of several figures for the part the fastest is the one that the whole must still exceed.
        if parts:
            part_of[one] = min(parts, key=time_of)
    alone = [one for one in relevant if one not in part_of]
    yield from unknown(alone, "the operation that it contains was not measured beside it")

    faults: Worst = {}
    for one, part in part_of.items():
        if 0 < time_of(one) < CLEARLY_FASTER * time_of(part):
            times = f"{one.id}: {duration(time_of(one))}; {part.id}: {duration(time_of(part))}"
            faster = time_of(part) / time_of(one)
            what = f"{one.work.operation or 'the operation'} contains {part.work.operation}"
            faults[one] = faster, f"{what}, and is {number(faster)} times as fast ({times})"
    meaning = "the work was not done: no request was sent, or its answer was not awaited"
    yield from worst(Severity.FATAL, faults, meaning, "await the answer, read it to its end and check it")


def _is_comparable(one: Series, other: Series) -> bool:
    """Whether both are of the same quantity, and all levels that both have are equal but for the operation's name."""
    statistics = [tuple(claim.statistic for claim in series.claims) for series in (one, other)]
    return (
        (other.metric, other.quantity, statistics[1]) == (one.metric, one.quantity, statistics[0])
        and other.seconds_per_operation() is not None
        and all(
            one.levels[factor] == other.levels[factor]
            for factor in one.levels.keys() & other.levels.keys()
            if other.levels[factor] != other.work.operation
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


def link_of(one: Series) -> float:
    """The bandwidth that the series cannot exceed, in bytes per second."""
    is_request = one.quantity is Quantity.TIME and not one.work.calibrated and _REQUEST.match(one.work.operation or "")
    return one.work.link_bytes_s or (NO_LINK_BYTES_S if is_request else NO_MACHINE_BYTES_S)


def time_of(one: Series) -> float:
    """How long one operation took; 0 where that does not follow."""
    return one.seconds_per_operation() or 0.0


def _relevant(evidence: Evidence) -> list[Series]:
    """All that move a body of a reported size above 0, or may do so: whether they do may be what is missing."""
    return [
        one for one in evidence.series if one.work.moves is not Moves.METADATA and _size(one) > 0 and time_of(one) > 0
    ]


@check("F: time grows by less than half of what the bandwidth demands for the bytes", sees=_relevant)
def flat_with_size(evidence: Evidence) -> Iterator[Remark]:
    relevant = _relevant(evidence)
    bodies = [one for one in relevant if one.work.moves is Moves.BODY]
    groups = list(rows(bodies, lambda one: one.work.size_bytes))
    spanned = set(ids(one for group in groups for one in group))
    unsaid = [one for one in relevant if one.work.moves is None]
    yield from unknown(unsaid, "whether the operation moves its body or metadata alone is not reported")
    yield from unknown(
        [one for group in groups if grows(group) is None for one in group],
        "the times are flat, but the bytes need too little of them to show whether the body was moved",
        "add a size that takes far longer to move",
    )
    alone = [one for one in bodies if not set(ids([one])) <= spanned]
    yield from unknown(alone, "one size alone shows no growth", "measure a second size, far larger")
    flat: Worst = {}
    for group in groups:
        if grows(group) is False:
            growth = (time_of(group[-1]) - time_of(group[0])) / _needed(group)
            flat |= dict.fromkeys(group, (-growth, _saw(group)))
    meaning = "the body was not moved: the figures are of something else than the operation"
    yield from worst(Severity.FATAL, flat, meaning, "read the body to its end and check it")


def grows(group: Sequence[Series]) -> bool | None:
    """Whether the time grows from the smallest to the largest as it must; None where that cannot be seen."""
    short, long = time_of(group[0]), time_of(group[-1])
    growth, needed = long - short, _needed(group)
    if growth >= max(LEAST_GROWTH * needed, LEAST_SHOWN * short):
        return True
    times, sizes = [time_of(one) for one in group], {one.work.size_bytes for one in group}
    agree = len(sizes) > 2 and max(times) - min(times) < LEAST_GROWTH * needed
    shown = LEAST_AGREED if agree else LEAST_SHOWN
    return growth >= LEAST_GROWTH * needed if needed >= shown * short else None


def _needed(group: Sequence[Series]) -> float:
    return (_size(group[-1]) - _size(group[0])) / _speed_of(group[-1])


def _speed_of(one: Series) -> float:
    """The bytes per second that one operation cannot exceed, by its link or by the core that works on them."""
    works = one.quantity is Quantity.TIME and not one.work.calibrated and _WORKED_ON.match(one.work.operation or "")
    return min(link_of(one), NO_CORE_BYTES_S) if works else link_of(one)


def _saw(group: Sequence[Series]) -> str:
    first, last = group[0], group[-1]
    speed = bandwidth(_speed_of(last))
    limit = f"at the bandwidth of the link, {speed}" if last.work.link_bytes_s else f"at {speed}, the most there is"
    slower = number(time_of(last) / time_of(first))
    return (
        f"{number(_size(last) / _size(first))} times the bytes take {slower} times as long "
        f"({first.id}: {duration(time_of(first))}; {last.id}: {duration(time_of(last))}); {limit}, "
        f"they need {duration(_needed(group))} more"
    )


def _size(one: Series) -> float:
    return one.work.size_bytes or 0.0
