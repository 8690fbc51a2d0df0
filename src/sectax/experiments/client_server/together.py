"""Several client processes that share one load: a common start by their own clocks, and one batch from theirs.

What is merged are the single times, never quantiles: a quantile of the whole load is not a mean of its parts'.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

# Round trips from which the fastest tells how far two clocks are apart.
_ROUND_TRIPS = 8
# Before a common start every client must have been asked to begin, also where other work delays this process.
_AHEAD_NS = 10_000_000
_PER_CLIENT_NS = 1_000_000
# From this share of its part of the processors on a client sends no faster than it can.
_SATURATED = 0.85


@dataclass(frozen=True)
class Offset:
    """How far a client's clock is ahead of this process's, in nanoseconds, and by how much that may be wrong."""

    ahead_ns: int
    doubt_ns: int


@dataclass(frozen=True)
class Part:
    """What one client did of a batch; it began so long after the agreed start, in nanoseconds."""

    began_late_ns: int
    wall_ns: int
    cpu_ns: int


def offset(now: Callable[[], int], clock: Callable[[], int] = time.monotonic_ns) -> Offset:
    """Compare a client's clock with this process's own, by its fastest answer of several.

    Args:
        now: asks the client what its clock shows, in nanoseconds.
    """
    trips = []
    for _ in range(_ROUND_TRIPS):
        asked = clock()
        shown = now()
        answered = clock()
        trips.append((answered - asked, shown - (asked + answered) // 2))
    took, ahead = min(trips)
    return Offset(ahead, (took + 1) // 2)


def agreed_start(offsets: Sequence[Offset], clock: Callable[[], int] = time.monotonic_ns) -> int:
    """When all clients are to begin, by this process's own clock."""
    slowest = max(offset.doubt_ns for offset in offsets)
    return clock() + _AHEAD_NS + len(offsets) * (_PER_CLIENT_NS + 4 * slowest)


def shared(total: int, clients: int) -> list[int]:
    """A number of operations dealt out to the clients, as evenly as whole ones can be."""
    least, more = divmod(total, clients)
    return [least + (place < more) for place in range(clients)]


def merged(values: Sequence[Sequence[int]]) -> list[int]:
    """The single times of all clients."""
    return list(chain.from_iterable(values))


def wall_ns(parts: Sequence[Part]) -> int:
    """From the agreed start to the end of the last client."""
    return max(part.began_late_ns + part.wall_ns for part in parts)


def saturated(parts: Sequence[Part], processors: int) -> int:
    """How many clients used up their part of the processors that all of them share."""
    share = processors / len(parts)
    return sum(part.cpu_ns >= _SATURATED * share * part.wall_ns for part in parts)
