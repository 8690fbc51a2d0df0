"""Several client processes that share one load: a common start by their own clocks, and one batch from theirs.

What is merged are the single times, never quantiles: a quantile of the whole load is not a mean of its parts'.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from sectax.experiments.client_server.client import Batch, usable
from sectax.hosts.places import ClientHost
from sectax.hosts.process.telemetry import NoTelemetry
from sectax.hosts.registry import Telemetry

# Round trips from which the fastest tells how far two clocks are apart.
_ROUND_TRIPS = 8
# Before a common start every client must have been asked to begin, also where other work delays this process.
_AHEAD_NS = 10_000_000
_PER_CLIENT_NS = 1_000_000
# From this share of its part of the processors on a client sends no faster than it can.
_SATURATED = 0.85
# What is of the client that has most of it; of the other members of a batch their sum counts.
_LARGEST = ("peak_bytes", "one_thread")


class OneClient(Protocol):
    def now_ns(self) -> int:
        """What the client's own clock shows."""

    def hello(self) -> Any:
        """Who it is."""


_Answer = TypeVar("_Answer")
_Batch = TypeVar("_Batch", bound=Batch)
_Client = TypeVar("_Client", bound=OneClient)


@dataclass(frozen=True)
class Offset:
    """How far a client's clock is ahead of this process's, in nanoseconds, and by how much that may be wrong."""

    ahead_ns: int
    doubt_ns: int


class Together(Generic[_Client]):
    """Clients of which each has an equal part of the load; all begin a batch at a start agreed ahead."""

    def __init__(self, clients: Iterable[_Client], places: Sequence[ClientHost]) -> None:
        """Args: where each of them runs."""
        self.clients, self._places = tuple(clients), tuple(places)
        self._offsets: tuple[Offset, ...] = ()

    def __len__(self) -> int:
        return len(self.clients)

    def telemetry(self) -> Telemetry:
        """What a kernel counts of one process says nothing of several."""
        return NoTelemetry()

    def hello(self) -> Any:
        """Who they are, which is the same program, and how far their clocks are apart."""
        first, *_ = [client.hello() for client in self.clients]
        self._offsets = tuple(offset(client.now_ns) for client in self.clients)
        return first

    def shares(self, count: int, ramp: int) -> list[int]:
        """How many operations of a batch each has; *ramp* of the whole at either end do not count."""
        many = len(self)
        return [own + 2 * (ramp // many) for own in shared(count - 2 * ramp, many)]

    def measure_together(
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
        places = [place for place, own in enumerate(shares) if own]
        for place in places:
            ask(self.clients[place], shares[place], begins[place])
        batches = every(partial(sent, self.clients[place]) for place in places)
        hosts = Counter(place.name for place in self._places)
        own = [self._places[place].processors / hosts[self._places[place].name] for place in places]
        parts = [
            ClientBatch(
                batch,
                self._places[place].name,
                max(0, batch.started_ns - begins[place]),
                self._offsets[place].doubt_ns,
                usable(processors, batch.one_thread),
            )
            for place, batch, processors in zip(places, batches, own, strict=True)
        ]
        return one_batch(parts)


@dataclass(frozen=True)
class ClientBatch(Generic[_Batch]):
    """What one client did of a batch.

    Attributes:
        late_ns: how long after the agreed start it began. doubt_ns: by how much that may be wrong.
        processors: that it can use.
    """

    batch: _Batch
    host: str
    late_ns: int
    doubt_ns: int
    processors: float

    @property
    def is_saturated(self) -> bool:
        return self.batch.cpu_ns >= _SATURATED * self.processors * self.batch.wall_ns


def offset(now: Callable[[], int], clock: Callable[[], int] = time.monotonic_ns) -> Offset:
    """Compare a client's clock with this process's own, by its fastest answer of several.

    Args:
        now: asks the client what its clock shows, in nanoseconds.
    """
    trips = []
    for _ in range(_ROUND_TRIPS):
        sent_at = clock()
        shown = now()
        answered = clock()
        trips.append((answered - sent_at, shown - (sent_at + answered) // 2))
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


def one_batch(parts: Sequence[ClientBatch[_Batch]]) -> _Batch:
    """What several clients sent, as if one had."""
    batches = [part.batch for part in parts]
    members: dict[str, Any] = {}
    for name in msgspec.structs.asdict(batches[0]):
        of_each = [getattr(batch, name) for batch in batches]
        if isinstance(of_each[0], list):
            members[name] = list(chain.from_iterable(of_each))
        elif not isinstance(of_each[0], dict):
            members[name] = max(of_each) if name in _LARGEST else sum(of_each)
    sent = [max(1, len(batch.elapsed_ns) + batch.dropped) for batch in batches]
    of_all = {
        # From the agreed start to the end of the last client.
        "wall_ns": max(part.late_ns + part.batch.wall_ns for part in parts),
        "late_start_ns": max(part.late_ns + part.doubt_ns for part in parts),
        # Of a client that has one operation more than its part, the whole schedule is not longer by that.
        "sending_ns": round(
            sum(sent) * max(part.batch.sending_ns / own for part, own in zip(parts, sent, strict=True)) / len(parts)
        ),
        "saturated": sum(part.is_saturated for part in parts),
        "processors": sum(part.processors for part in parts),
        "hosts": _failures_by_host(parts) if len({part.host for part in parts}) > 1 else {},
    }
    return msgspec.structs.replace(batches[0], **members | of_all)


def _failures_by_host(parts: Sequence[ClientBatch[_Batch]]) -> dict[str, dict[str, int]]:
    """What went wrong, by host."""
    counts: dict[str, Counter[str]] = {}
    for part in parts:
        own = {"late": part.batch.late, "dropped": part.batch.dropped, "saturated": int(part.is_saturated)}
        counts.setdefault(part.host, Counter(dict.fromkeys(own, 0))).update(own)
    return {host: dict(of_host) for host, of_host in sorted(counts.items())}


def every(ask: Iterable[Callable[[], _Answer]]) -> list[_Answer]:
    """Every answer is taken before the first fault is raised: else it would be the answer to the next question."""
    answers, faults = [], []
    for request in ask:
        try:
            answers.append(request())
        except Exception as error:
            faults.append(error)
    if faults:
        raise faults[0]
    return answers
