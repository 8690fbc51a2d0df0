"""The HTTP client process of a cell (clients/http-go/PROTOCOL.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sectax.experiments.client_server.client import GRACE_S, ArmOpened, Batch, RuntimeHello, SharedProcess
from sectax.hosts.places import HERE, ClientHost


class Sent(Batch, frozen=True, kw_only=True):
    """A batch of requests, with its bytes on the wire including the ramp."""

    sent_bytes: int
    received_bytes: int


class ArmTotals(msgspec.Struct, frozen=True):
    requests: int
    connections: int


class SharedClient(SharedProcess[RuntimeHello]):
    """Raises as `ClientConversation`."""

    def __init__(self, program: str, place: ClientHost = HERE) -> None:
        super().__init__((program,), RuntimeHello, place)

    def open(self, arm: str, wanted: Mapping[str, Any], longest_s: float) -> ArmOpened:
        return self.conversation.reply(ArmOpened, GRACE_S + longest_s, command="open", arm=arm, **wanted)

    def measure(self, arm: str, count: int, ramp: int, longest_s: float) -> Sent:
        self.ask(arm, count, ramp)
        return self.sent(longest_s)

    def ask(self, arm: str, count: int, ramp: int, start_ns: int = 0) -> None:
        """Start a batch, at *start_ns* of the client's clock, without waiting for it."""
        request = {"command": "measure", "arm": arm, "count": count, "ramp": ramp, "start_ns": start_ns}
        self.conversation.send(request)

    def sent(self, longest_s: float) -> Sent:
        return self.conversation.receive(Sent, GRACE_S + longest_s)

    def now_ns(self) -> int:
        return self.conversation.now_ns()

    def close(self, arm: str) -> ArmTotals:
        return self.conversation.reply(ArmTotals, GRACE_S, command="close", arm=arm)
