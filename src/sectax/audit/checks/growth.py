"""An operation that moves its body, or works on all of its input, must take longer for a larger one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sectax.audit.checks.groups import Worst, ids, rows, unknown, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import bandwidth, duration, number
from sectax.audit.form import Evidence, Moves, Quantity, Series
from sectax.model.finding import Severity

# Bytes per second that no memory of one machine moves (two sockets with twelve channels of DDR5: 0.92e12): the limit
# where the bandwidth that an operation had to go through was not measured.
NO_MACHINE_BYTES_S = 1e12
# The same of one request to a service: the fastest Ethernet has 800 Gbit/s. What is called so in a harness that counts
# how often it fits into a time may be a call within the process.
NO_LINK_BYTES_S = 1e11
_REQUEST = re.compile(r"(?i)(?:get|put|upload|download)(?:$|[\W_])")
# A growth below this share of what the bandwidth demands is too little, also with some noise in both figures.
LEAST_GROWTH = 0.5
# A difference below this share of the smaller figure may be noise.
LEAST_SHOWN = 0.25


def link_of(one: Series) -> float:
    """The bandwidth that the series cannot exceed, in bytes per second."""
    is_request = one.quantity is Quantity.TIME and not one.work.calibrated and _REQUEST.match(one.work.operation or "")
    return one.work.link_bytes_s or (NO_LINK_BYTES_S if is_request else NO_MACHINE_BYTES_S)


def time_of(one: Series) -> float:
    """How long one operation took; 0 where that does not follow."""
    return one.seconds_per_operation() or 0.0


def _seen(evidence: Evidence) -> list[Series]:
    """All that move a body of a reported size, or may do so: whether they do may be what is missing."""
    return [
        one
        for one in evidence.series
        if one.work.moves is not Moves.METADATA and one.work.size_bytes is not None and time_of(one) > 0
    ]


@check("F: time grows by less than half of what the bandwidth demands for the bytes", sees=_seen)
def flat_with_size(evidence: Evidence) -> Iterator[Remark]:
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
    return growth >= LEAST_GROWTH * needed if needed >= LEAST_SHOWN * short else None


def _needed(group: Sequence[Series]) -> float:
    return (_size(group[-1]) - _size(group[0])) / link_of(group[-1])


def _saw(group: Sequence[Series]) -> str:
    first, last = group[0], group[-1]
    speed = bandwidth(link_of(last))
    limit = f"at the bandwidth of the link, {speed}" if last.work.link_bytes_s else f"at {speed}, which nothing exceeds"
    slower = number(time_of(last) / time_of(first))
    return (
        f"{number(_size(last) / _size(first))} times the bytes take {slower} times as long "
        f"({first.id}: {duration(time_of(first))}; {last.id}: {duration(time_of(last))}); {limit}, "
        f"they need {duration(_needed(group))} more"
    )


def _size(one: Series) -> float:
    return one.work.size_bytes or 0.0
