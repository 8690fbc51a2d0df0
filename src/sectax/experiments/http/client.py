"""The client process that the arms of one cell share, and the conversation with it (clients/http-go/PROTOCOL.md)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import msgspec

from sectax.experiments.client_server.client import GRACE_S, HELLO_S, Batch, Conversation
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


class SharedClient:
    """One process for all arms of a cell: started with the first, ended with the last.

    What its methods raise is what `Conversation` does.
    """

    def __init__(self, program: str) -> None:
        self._program = program
        self._arms: set[str] = set()
        self._conversation: Conversation | None = None
        self._hello: Hello | None = None

    @property
    def conversation(self) -> Conversation:
        if self._conversation is None:
            raise RuntimeError("the client was not started")
        return self._conversation

    def join(self, arm: str) -> None:
        """Start the process for this arm, unless it runs for another one already."""
        if self._conversation is None:
            # Proxies, certificates and resolvers that an environment names are not those of the arms.
            own = {name: value for name, value in os.environ.items() if not name.upper().endswith("_PROXY")}
            own = {name: value for name, value in own.items() if name not in ("SSLKEYLOGFILE", "GODEBUG")}
            self._conversation = Conversation((self._program,), own)
            self._conversation.send({"command": "hello"})
        self._arms.add(arm)

    def hello(self) -> Hello:
        """Who it is; its answer is awaited once."""
        if self._hello is None:
            self._hello = self.conversation.receive(Hello, HELLO_S)
        return self._hello

    def open(self, arm: str, wanted: Mapping[str, Any], longest_s: float) -> Opened:
        self.conversation.send({"command": "open", "arm": arm, **wanted})
        return self.conversation.receive(Opened, GRACE_S + longest_s)

    def measure(self, arm: str, count: int, ramp: int, longest_s: float) -> Sent:
        self.conversation.send({"command": "measure", "arm": arm, "count": count, "ramp": ramp})
        return self.conversation.receive(Sent, GRACE_S + longest_s)

    def close(self, arm: str) -> Closed:
        self.conversation.send({"command": "close", "arm": arm})
        return self.conversation.receive(Closed, GRACE_S)

    def leave(self, arm: str) -> None:
        """Forget an arm; the process ends with the last one. Never raises."""
        self._arms.discard(arm)
        if not self._arms and self._conversation is not None:
            self._conversation.kill()
            self._conversation = self._hello = None
