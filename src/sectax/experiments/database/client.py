"""The PostgreSQL client process of a cell (clients/pg-c/pg_client.c)."""

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
    """Witnesses of the connection, PID of its server process, and rows received."""

    backend: int
    rows: int


class Transactions(Batch, frozen=True, kw_only=True):
    """A batch of transactions; `connect_ns` is empty over an open connection."""

    connect_ns: list[int]


class ArmTotals(msgspec.Struct, frozen=True):
    transactions: int
    connections: int


class _Lines(ClientConversation):
    """Requests as tab-separated words, since the client is written in C."""

    def send(self, request: dict[str, Any]) -> None:
        self.send_line("\t".join(map(str, request.values())).encode())


class PgClient(SharedProcess[ClientGreeting]):
    """Raises as `ClientConversation`."""

    kind = _Lines

    def __init__(self, program: str) -> None:
        super().__init__((program,), ClientGreeting)

    def variables(self) -> Variables:
        # libpq reads about thirty variables, and files in the user's home.
        return Variables(("*",), {"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent"})

    def open(self, arm: str, connection: str, query: str, *, kept: bool, added_s: float) -> Connected:
        added_ns = round(added_s * 1e9)
        request = {"command": "open", "arm": arm, "kept": int(kept), "added": added_ns, "to": connection, "ask": query}
        return self.conversation.reply(Connected, GRACE_S, **request)

    def measure(self, arm: str, count: int, longest_s: float) -> Transactions:
        return self.conversation.reply(Transactions, GRACE_S + longest_s, command="measure", arm=arm, count=count)

    def close(self, arm: str) -> ArmTotals:
        return self.conversation.reply(ArmTotals, GRACE_S, command="close", arm=arm)
