"""Several client processes that share the load of every arm, and are spoken to as if they were one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeVar

from sectax.experiments.client_server import together
from sectax.experiments.client_server.client import Answered, Conversation
from sectax.experiments.client_server.together import Offset, Part
from sectax.experiments.http.client import Closed, Hello, Opened, Sent, SharedClient

_Answer = TypeVar("_Answer")


class ManyClients:
    """Each has an equal part of the connections and of the rate, and all begin a batch at a start agreed ahead.

    What its methods raise is what those of `SharedClient` do.
    """

    def __init__(self, program: str, clients: int) -> None:
        self._clients = tuple(SharedClient(program) for _ in range(clients))
        self._offsets: tuple[Offset, ...] = ()
        self._rates: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._clients)

    @property
    def conversation(self) -> Conversation:
        """With the first of them."""
        return self._clients[0].conversation

    def join(self, arm: str) -> None:
        for client in self._clients:
            client.join(arm)

    def leave(self, arm: str) -> None:
        for client in self._clients:
            client.leave(arm)

    def hello(self) -> Hello:
        """Who they are, which is the same program, and how far their clocks are apart."""
        first, *_ = [client.hello() for client in self._clients]
        self._offsets = tuple(together.offset(client.now_ns) for client in self._clients)
        return first

    def open(self, arm: str, wanted: Mapping[str, Any], longest_s: float) -> Opened:
        """Each opens its part of the connections. All must see the same answer."""
        many = len(self._clients)
        self._rates[arm] = float(wanted["rate"])
        part = {"concurrency": wanted["concurrency"] // many, "rate": wanted["rate"] / many}
        first, *others = [client.open(arm, {**wanted, **part}, longest_s) for client in self._clients]
        if any(other.witnesses != first.witnesses for other in others):
            raise Answered("body-varies", f"{many} clients saw different answers")
        return first

    def measure(self, arm: str, count: int, ramp: int, longest_s: float) -> Sent:
        """One batch of all: their single times, the sums of what is counted, and how late the last one began."""
        many = len(self._clients)
        counts = [own + 2 * (ramp // many) for own in together.shared(count - 2 * ramp, many)]
        start = together.agreed_start(self._offsets)
        # On a schedule they send by turns, so that the whole load is as even as that of one client.
        apart_ns = 1e9 / self._rates[arm] if self._rates[arm] else 0.0
        starts = [start + offset.ahead_ns + round(place * apart_ns) for place, offset in enumerate(self._offsets)]
        asked = [(client, own, begin) for client, own, begin in zip(self._clients, counts, starts, strict=True) if own]
        for client, own, begin in asked:
            client.ask(arm, own, ramp // many, begin)
        sent = _all(partial(client.sent, longest_s) for client, *_ in asked)
        parts = [
            Part(max(0, one.started_ns - begin), one.wall_ns, one.cpu_ns)
            for one, (*_, begin) in zip(sent, asked, strict=True)
        ]
        one_thread = any(one.one_thread for one in sent)
        processors = len(os.sched_getaffinity(0))
        return Sent(
            elapsed_ns=together.merged([one.elapsed_ns for one in sent]),
            first_byte_ns=together.merged([one.first_byte_ns for one in sent]),
            wall_ns=together.wall_ns(parts),
            cpu_ns=sum(one.cpu_ns for one in sent),
            late=sum(one.late for one in sent),
            dropped=sum(one.dropped for one in sent),
            sending_ns=max(one.sending_ns for one in sent),
            in_flight=sum(one.in_flight for one in sent),
            sent_bytes=sum(one.sent_bytes for one in sent),
            received_bytes=sum(one.received_bytes for one in sent),
            one_thread=one_thread,
            late_start_ns=max(part.began_late_ns for part in parts),
            saturated=together.saturated(parts, min(many, processors) if one_thread else processors),
        )

    def close(self, arm: str) -> Closed:
        closed = _all(partial(client.close, arm) for client in self._clients)
        return Closed(sum(one.requests for one in closed), sum(one.connections for one in closed))


def _all(ask: Iterable[Callable[[], _Answer]]) -> list[_Answer]:
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
