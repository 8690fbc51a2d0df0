"""The client process that the arms of one cell share, and the conversation with it (clients/http-go/PROTOCOL.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sectax.experiments.client_server.client import GRACE_S, Batch, SharedProcess
from sectax.hosts.places import HERE, Place
from sectax.hosts.registry import Telemetry
from sectax.model.subject import Witnesses

PROTOCOL = 1


class Hello(msgspec.Struct, frozen=True):
    """Who the client is; its clock in nanoseconds."""

    protocol: int
    client: str
    runtime: str
    clock: dict[str, str | int]


class Opened(msgspec.Struct, frozen=True):
    """What the first answer showed."""

    witnesses: Witnesses


class Sent(Batch, frozen=True, kw_only=True):
    """A batch of requests; the bytes each way are of all of them, the ramp too, as they are on the wire."""

    sent_bytes: int
    received_bytes: int


class Closed(msgspec.Struct, frozen=True):
    """What an arm had in all."""

    requests: int
    connections: int


class SharedClient(SharedProcess[Hello]):
    """One process for all arms of a cell. What its methods raise is what `Conversation` does."""

    def __init__(self, program: str, place: Place = HERE) -> None:
        super().__init__((program,), Hello, place)

    def telemetry(self) -> Telemetry:
        return self.conversation.telemetry()

    def open(self, arm: str, wanted: Mapping[str, Any], longest_s: float) -> Opened:
        self.conversation.send({"command": "open", "arm": arm, **wanted})
        return self.conversation.receive(Opened, GRACE_S + longest_s)

    def measure(self, arm: str, count: int, ramp: int, longest_s: float) -> Sent:
        self.ask(arm, count, ramp)
        return self.sent(longest_s)

    def ask(self, arm: str, count: int, ramp: int, start_ns: int = 0) -> None:
        """Have a batch sent, from when the client's clock shows *start_ns*, without waiting for it."""
        request = {"command": "measure", "arm": arm, "count": count, "ramp": ramp, "start_ns": start_ns}
        self.conversation.send(request)

    def sent(self, longest_s: float) -> Sent:
        """The batch that was asked for."""
        return self.conversation.receive(Sent, GRACE_S + longest_s)

    def now_ns(self) -> int:
        """What its clock shows."""
        return self.conversation.now_ns()

    def close(self, arm: str) -> Closed:
        self.conversation.send({"command": "close", "arm": arm})
        return self.conversation.receive(Closed, GRACE_S)
