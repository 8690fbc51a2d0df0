"""Several client processes that share one load: a common start by their own clocks, and one batch from theirs.

What is merged are the single times, never quantiles: a quantile of the whole load is not a mean of its parts'.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from sectax.experiments.client_server.client import Batch, own_processors

# Round trips from which the fastest tells how far two clocks are apart.
_ROUND_TRIPS = 8
# Before a common start every client must have been asked to begin, also where other work delays this process.
_AHEAD_NS = 10_000_000
_PER_CLIENT_NS = 1_000_000
# From this share of its part of the processors on a client sends no faster than it can.
_SATURATED = 0.85
# What is of the client that has most of it; of the other members of a batch their sum counts.
_LARGEST = ("sending_ns", "peak_bytes", "one_thread")


class HasClock(Protocol):
    def now_ns(self) -> int:
        """What the client's own clock shows."""


_Answer = TypeVar("_Answer")
_Batch = TypeVar("_Batch", bound=Batch)
_Client = TypeVar("_Client", bound=HasClock)


@dataclass(frozen=True)
class Offset:
    """How far a client's clock is ahead of this process's, in nanoseconds, and by how much that may be wrong."""

    ahead_ns: int
    doubt_ns: int


class Together(Generic[_Client]):
    """Clients of which each has an equal part of the load; all begin a batch at a start agreed ahead."""

    def __init__(self, clients: Iterable[_Client]) -> None:
        self.clients = tuple(clients)
        self._offsets: tuple[Offset, ...] = ()

    def compare_clocks(self) -> None:
        self._offsets = tuple(offset(client.now_ns) for client in self.clients)

    def shares(self, count: int, ramp: int) -> list[int]:
        """How many operations of a batch each has; *ramp* of the whole at either end do not count."""
        many = len(self.clients)
        return [own + 2 * (ramp // many) for own in shared(count - 2 * ramp, many)]

    def measure(
        self,
        shares: Sequence[int],
        rate: float,
        ask: Callable[[_Client, int, int], None],
        sent: Callable[[_Client], _Batch],
    ) -> _Batch:
        """One batch of all.

        Args:
            shares: of the operations. rate: of the whole load; 0 for a closed loop.
            ask: has a client send so many, from when its clock shows so much. sent: awaits what it sent.
        """
        start = agreed_start(self._offsets)
        # On a schedule they send by turns, so that the whole load is as even as that of one client.
        apart_ns = 1e9 / rate if rate else 0.0
        begins = [start + offset.ahead_ns + round(place * apart_ns) for place, offset in enumerate(self._offsets)]
        asked = [(client, begin) for client, own, begin in zip(self.clients, shares, begins, strict=True) if own]
        for client, own, begin in zip(self.clients, shares, begins, strict=True):
            if own:
                ask(client, own, begin)
        batches = every(partial(sent, client) for client, _ in asked)
        processors = [own_processors(one.one_thread, len(self.clients)) for one in batches]
        return one_batch(batches, [begin for _, begin in asked], processors)


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


def one_batch(batches: Sequence[_Batch], begins: Sequence[int], processors: Sequence[float]) -> _Batch:
    """What several clients sent, as if one had.

    Args:
        begins: when each was to begin, by its own clock. processors: that each can use.
    """
    members: dict[str, Any] = {}
    for name in msgspec.structs.asdict(batches[0]):
        of_each = [getattr(batch, name) for batch in batches]
        if isinstance(of_each[0], list):
            members[name] = list(chain.from_iterable(of_each))
        else:
            members[name] = max(of_each) if name in _LARGEST else sum(of_each)
    late_ns = [max(0, batch.started_ns - begin) for batch, begin in zip(batches, begins, strict=True)]
    busy = [batch.cpu_ns >= _SATURATED * own * batch.wall_ns for batch, own in zip(batches, processors, strict=True)]
    return msgspec.structs.replace(
        batches[0],
        **members
        | {
            # From the agreed start to the end of the last client.
            "wall_ns": max(late + batch.wall_ns for late, batch in zip(late_ns, batches, strict=True)),
            "late_start_ns": max(late_ns),
            "saturated": sum(busy),
            "processors": sum(processors),
            "started_ns": 0,
        },
    )


def every(ask: Iterable[Callable[[], _Answer]]) -> list[_Answer]:
    """Every answer is taken before the first fault is raised: else it would be the answer to the next question."""
    answers, faults = [], []
    for one in ask:
        try:
            answers.append(one())
        except Exception as error:
            faults.append(error)
    if faults:
        raise faults[0]
    return answers
