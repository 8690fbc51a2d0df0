"""The client process that the arms of one cell share (clients/pg-c/pg_client.c has the conversation)."""

from __future__ import annotations

import os
from typing import Any

import msgspec

from sectax.experiments.client_server.client import (
    GRACE_S,
    ArmOpened,
    Batch,
    ClientConversation,
    ClientGreeting,
    SharedProcess,
)
from sectax.hosts.places import Variables


class Connected(ArmOpened, frozen=True):
    """What the server says of the connection, the process of the server behind it, and how many rows came."""

    backend: int
    rows: int


class Transactions(Batch, frozen=True, kw_only=True):
    """A batch of them, with the time to connect of each that had a connection of its own."""

    connect_ns: list[int]


class ArmTotals(msgspec.Struct, frozen=True):
    """What an arm had in all."""

    transactions: int
    connections: int


class _Lines(ClientConversation):
    """Words between tabs in place of JSON: the client is in C."""

    def send(self, request: dict[str, Any]) -> None:
        self.send_line("\t".join(map(str, request.values())).encode())


class PgClient(SharedProcess[ClientGreeting]):
    """What its methods raise is what `ClientConversation` does."""

    kind = _Lines

    def __init__(self, program: str) -> None:
        super().__init__((program,), ClientGreeting)

    def variables(self) -> Variables:
        """Nothing of the user's: libpq reads some thirty variables, and files in the user's home."""
        return Variables(("*",), {"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent"})

    def open(self, arm: str, connection: str, query: str, *, kept: bool, added_s: float) -> Connected:
        added_ns = round(added_s * 1e9)
        request = {"command": "open", "arm": arm, "kept": int(kept), "added": added_ns, "to": connection, "ask": query}
        return self.conversation.reply(Connected, GRACE_S, **request)

    def measure(self, arm: str, count: int, longest_s: float) -> Transactions:
        return self.conversation.reply(Transactions, GRACE_S + longest_s, command="measure", arm=arm, count=count)

    def close(self, arm: str) -> ArmTotals:
        return self.conversation.reply(ArmTotals, GRACE_S, command="close", arm=arm)
