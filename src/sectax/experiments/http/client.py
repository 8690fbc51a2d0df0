"""The client process that the arms of one cell share, and the conversation with it (clients/http-go/PROTOCOL.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sectax.experiments.client_server.client import GRACE_S, ArmOpened, Batch, RuntimeHello, SharedProcess
from sectax.hosts.places import HERE, ClientHost


class Sent(Batch, frozen=True, kw_only=True):
    """A batch of requests; the bytes each way are of all of them, the ramp too, as they are on the wire."""

    sent_bytes: int
    received_bytes: int


class ArmTotals(msgspec.Struct, frozen=True):
    """What an arm had in all."""

    requests: int
    connections: int


class SharedClient(SharedProcess[RuntimeHello]):
    """One process for all arms of a cell. What its methods raise is what `Conversation` does."""

    def __init__(self, program: str, place: ClientHost = HERE) -> None:
        super().__init__((program,), RuntimeHello, place)

    def open(self, arm: str, wanted: Mapping[str, Any], longest_s: float) -> ArmOpened:
        return self.conversation.reply(ArmOpened, GRACE_S + longest_s, command="open", arm=arm, **wanted)

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

    def close(self, arm: str) -> ArmTotals:
        return self.conversation.reply(ArmTotals, GRACE_S, command="close", arm=arm)
