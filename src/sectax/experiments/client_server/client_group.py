"""Several client processes that share one load and start together.

Single times are merged, never quantiles: a quantile of the whole is not the mean of its parts' quantiles.
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

# The fastest of these round trips gives the clock offset.
_ROUND_TRIPS = 8
# Time for the start command to reach every client before the common start.
_AHEAD_NS = 10_000_000
_PER_CLIENT_NS = 1_000_000
# A client that uses this share of its processors is saturated.
_SATURATED = 0.85
# Members of a batch that are merged by maximum; the others are summed.
_LARGEST = ("peak_bytes", "one_thread")


class GroupMember(Protocol):
    def now_ns(self) -> int: ...

    def hello(self) -> Any: ...


_Answer = TypeVar("_Answer")
_Batch = TypeVar("_Batch", bound=Batch)
_Client = TypeVar("_Client", bound=GroupMember)


@dataclass(frozen=True)
class Offset:
    """Nanoseconds that a client's clock is ahead of ours, and the uncertainty."""

    ahead_ns: int
    doubt_ns: int


class ClientGroup(Generic[_Client]):
    """Clients with equal shares of the load and a common start."""

    def __init__(self, clients: Iterable[_Client], places: Sequence[ClientHost]) -> None:
        self.clients, self._places = tuple(clients), tuple(places)
        self._offsets: tuple[Offset, ...] = ()

    def __len__(self) -> int:
        return len(self.clients)

    def telemetry(self) -> Telemetry:
        # A kernel's counters of one process say nothing about several.
        return NoTelemetry()

    def hello(self) -> Any:
        """Greeting of the first client; measures the clock offsets."""
        first, *_ = [client.hello() for client in self.clients]
        self._offsets = tuple(clock_offset(client.now_ns) for client in self.clients)
        return first

    def shares(self, count: int, ramp: int) -> list[int]:
        """Operations per client; *ramp* of the total at either end do not count."""
        clients = len(self)
        return [share + 2 * (ramp // clients) for share in even_shares(count - 2 * ramp, clients)]

    def measure_together(
        self,
        shares: Sequence[int],
        rate: float,
        ask: Callable[[_Client, int, int], None],
        wait_for_batch: Callable[[_Client], _Batch],
    ) -> _Batch:
        """Measure one batch of all clients.

        Args:
            shares: operations per client.
            rate: of the whole load, per second; 0 for a closed loop.
            ask: starts a client: number of operations, start by its clock.
            wait_for_batch: waits for a client's batch.
        """
        start = agreed_start(self._offsets)
        # On a schedule the clients alternate, so that the whole load is as even as that of one client.
        interval_ns = 1e9 / rate if rate else 0.0
        starts = [start + offset.ahead_ns + round(index * interval_ns) for index, offset in enumerate(self._offsets)]
        active = [index for index, share in enumerate(shares) if share]
        for index in active:
            ask(self.clients[index], shares[index], starts[index])
        batches = collect_answers(partial(wait_for_batch, self.clients[index]) for index in active)
        clients_on = Counter(host.name for host in self._places)
        parts = []
        for index, batch in zip(active, batches, strict=True):
            host = self._places[index]
            processors = usable(host.processors / clients_on[host.name], batch.one_thread)
            late_ns = max(0, batch.started_ns - starts[index])
            parts.append(ClientBatch(batch, host.name, late_ns, self._offsets[index].doubt_ns, processors))
        return merge_batches(parts)


@dataclass(frozen=True)
class ClientBatch(Generic[_Batch]):
    """One client's part of a batch.

    Attributes:
        late_ns: its delay after the agreed start.
        doubt_ns: uncertainty of `late_ns`.
        processors: available to it.
    """

    batch: _Batch
    host: str
    late_ns: int
    doubt_ns: int
    processors: float

    @property
    def is_saturated(self) -> bool:
        return self.batch.cpu_ns >= _SATURATED * self.processors * self.batch.wall_ns


def clock_offset(now: Callable[[], int], clock: Callable[[], int] = time.monotonic_ns) -> Offset:
    """Clock offset of a client, from the fastest of several round trips."""
    trips = []
    for _ in range(_ROUND_TRIPS):
        sent_at = clock()
        remote = now()
        received_at = clock()
        trips.append((received_at - sent_at, remote - (sent_at + received_at) // 2))
    round_trip, ahead = min(trips)
    return Offset(ahead, (round_trip + 1) // 2)


def agreed_start(offsets: Sequence[Offset], clock: Callable[[], int] = time.monotonic_ns) -> int:
    """Common start, by this process's clock."""
    slowest = max(offset.doubt_ns for offset in offsets)
    return clock() + _AHEAD_NS + len(offsets) * (_PER_CLIENT_NS + 4 * slowest)


def even_shares(total: int, clients: int) -> list[int]:
    """Divide operations among clients as evenly as possible."""
    least, remainder = divmod(total, clients)
    return [least + (index < remainder) for index in range(clients)]


def merge_batches(parts: Sequence[ClientBatch[_Batch]]) -> _Batch:
    """Merge the batches of several clients into one."""
    batches = [part.batch for part in parts]
    members: dict[str, Any] = {}
    for name in msgspec.structs.asdict(batches[0]):
        values = [getattr(batch, name) for batch in batches]
        if isinstance(values[0], list):
            members[name] = list(chain.from_iterable(values))
        elif not isinstance(values[0], dict):
            members[name] = max(values) if name in _LARGEST else sum(values)
    sent = [max(1, len(batch.elapsed_ns) + batch.dropped) for batch in batches]
    members |= {
        # From the agreed start to the end of the last client.
        "wall_ns": max(part.late_ns + part.batch.wall_ns for part in parts),
        "late_start_ns": max(part.late_ns + part.doubt_ns for part in parts),
        # Per operation: a client with one operation more must not lengthen the whole schedule.
        "sending_ns": round(
            sum(sent) * max(part.batch.sending_ns / count for part, count in zip(parts, sent, strict=True)) / len(parts)
        ),
        "saturated": sum(part.is_saturated for part in parts),
        "processors": sum(part.processors for part in parts),
        "hosts": _failures_by_host(parts) if len({part.host for part in parts}) > 1 else {},
    }
    return msgspec.structs.replace(batches[0], **members)


def _failures_by_host(parts: Sequence[ClientBatch[_Batch]]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for part in parts:
        failures = {"late": part.batch.late, "dropped": part.batch.dropped, "saturated": int(part.is_saturated)}
        counts.setdefault(part.host, Counter(dict.fromkeys(failures, 0))).update(failures)
    return {host: dict(failures) for host, failures in sorted(counts.items())}


def collect_answers(ask: Iterable[Callable[[], _Answer]]) -> list[_Answer]:
    """Read all answers, then raise the first error: none is left for later."""
    answers, errors = [], []
    for request in ask:
        try:
            answers.append(request())
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return answers
