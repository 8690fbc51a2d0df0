"""Both ends of a cell's connections, a process each, and the conversation with them (clients/tls-go/PROTOCOL.md)."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import msgspec

from sectax.experiments.client_server.client import GRACE_S, ClientConversation, Nothing, SharedProcess
from sectax.experiments.client_server.subject import Meanings
from sectax.hosts.places import Variables
from sectax.hosts.process.processors import among

_Reply = TypeVar("_Reply", bound=msgspec.Struct)


class EndGreeting(msgspec.Struct, frozen=True):
    """Who an end is; its clock in nanoseconds."""

    protocol: int
    library: str
    pid: int
    clock: dict[str, str | int]


class ConnectionFacts(msgspec.Struct, frozen=True):
    """What one end saw of a connection; `certificate` is the other end's, in DER, and empty where it showed none.

    `chain` is how many certificates it showed.
    """

    protocol: str = ""
    group: str = ""
    cipher: str = ""
    resumed: bool = False
    certificate: bytes = b""
    chain: int = 0


class Listening(msgspec.Struct, frozen=True):
    port: int


class EndOpened(msgspec.Struct, frozen=True):
    """What a client saw of its first connection, and the bytes that it wrote and read for it."""

    seen: ConnectionFacts
    wrote: bytes
    read: bytes


class EndConnected(msgspec.Struct, frozen=True, kw_only=True):
    """Connections that were set up one after the other, and requests over one that stayed open.

    Times in nanoseconds; those to the first byte count from the end of the TCP connect. No handshake, no times of one.
    """

    wall_ns: int
    connect_ns: list[int]
    handshake_ns: list[int]
    first_byte_ns: list[int]
    client_cpu_ns: int
    server_cpu_ns: int
    handshake_sent_bytes: int
    handshake_received_bytes: int
    requests_ns: int
    requests_client_cpu_ns: int
    requests_server_cpu_ns: int
    requests_sent_bytes: int
    requests_received_bytes: int


class Tally(msgspec.Struct, frozen=True):
    """What a server saw of all connections of an arm; `failed` is the reason of the last handshake that failed."""

    handshakes: int
    resumed: int
    alike: bool
    seen: ConnectionFacts
    failed: str = ""


class EndTotals(msgspec.Struct, frozen=True):
    handshakes: int
    resumed: int


class _End(SharedProcess[EndGreeting]):
    def variables(self) -> Variables:
        return Variables(tuple(sorted(_NOT_FOR_THEM)))


class Ends:
    """The processes of a cell, from the first arm to the last. Methods raise as `ClientConversation`.

    Args:
        command: of the library's program. services: the processors of the server.
        slow: the program of the line that is slow, and its delay in nanoseconds; None for none.
    """

    def __init__(
        self, command: tuple[str, ...], services: Collection[int], slow: tuple[tuple[str, ...], int] | None = None
    ) -> None:
        self._services, self._slow = services, slow
        commands = {"server": command} | ({"delay": slow[0]} if slow is not None else {}) | {"client": command}
        self._ends = {role: _End((*words, role), EndGreeting) for role, words in commands.items()}

    @property
    def client(self) -> ClientConversation:
        return self._ends["client"].conversation

    def join(self, arm: str) -> None:
        """Start the processes for this arm, unless they run for another one already."""
        for role, end in self._ends.items():
            with among(self._services) if role != "client" else contextlib.nullcontext():
                end.join(arm)

    def hello(self, role: str = "client") -> EndGreeting:
        """Who an end is; its answer is awaited once."""
        return self._ends[role].hello()

    def listen(self, arm: str, wanted: Mapping[str, Any]) -> int:
        """Have the server listen for an arm; the port on loopback that its client connects to."""
        self.hello("server")
        port = self._ask("server", Listening, GRACE_S, command="listen", arm=arm, **wanted).port
        if self._slow is None:
            return port
        self.hello("delay")
        return self._ask("delay", Listening, GRACE_S, command="listen", arm=arm, port=port, delay_ns=self._slow[1]).port

    def open(self, arm: str, port: int, wanted: Mapping[str, Any], longest_s: float) -> EndOpened:
        self.hello()
        pid = self.hello("server").pid
        return self._ask("client", EndOpened, longest_s, command="open", arm=arm, port=port, pid=pid, **wanted)

    def measure(self, arm: str, count: int, requests: int, added_ns: int, longest_s: float) -> EndConnected:
        request = {"command": "measure", "arm": arm, "count": count, "requests": requests, "added_ns": added_ns}
        return self._ask("client", EndConnected, longest_s, **request)

    def tally(self, arm: str) -> Tally:
        return self._ask("server", Tally, GRACE_S, command="tally", arm=arm)

    def close(self, arm: str) -> EndTotals:
        closed = self._ask("client", EndTotals, GRACE_S, command="close", arm=arm)
        for role in self._ends.keys() - {"client"}:
            self._ask(role, Nothing, GRACE_S, command="close", arm=arm)
        return closed

    def _ask(self, role: str, kind: type[_Reply], longest_s: float, **request: Any) -> _Reply:
        return self._ends[role].conversation.reply(kind, longest_s, **request)

    def leave(self, arm: str) -> None:
        """Forget an arm; the processes end with the last one. Never raises."""
        for end in self._ends.values():
            end.leave(arm)


# What would change what the libraries do, or write keys into a file.
_NOT_FOR_THEM = {"SSLKEYLOGFILE", "GODEBUG", "GOGC", "GOMAXPROCS", "OPENSSL_CONF", "SSL_CERT_FILE", "SSL_CERT_DIR"}


UNSUPPORTED = "unsupported"
_REPORT = "report it"
_OWN = "the certificates of a run are made when it begins: resume it within 30 days, and see this machine's clock"

# By the kinds of clients/tls-go/PROTOCOL.md: what it means, and what to do.
MEANINGS: Meanings = {
    "certificate-expired": ("the server's certificate has expired", _OWN),
    "certificate-name": ("the server's certificate is for another name", _REPORT),
    "certificate-untrusted": ("the server's certificate is not signed by an authority that the client trusts", _REPORT),
    "certificate": ("the server's certificate cannot be verified", _REPORT),
    "client-certificate": ("the server does not accept the client's certificate", _OWN),
    "tls": ("the two ends cannot agree", "leave this level out, or report it"),
    "not-tls": ("the server answers with something that is not TLS", _REPORT),
    "closed": ("the other end closed in the middle", _REPORT),
    "refused": ("the server does not listen any more", _REPORT),
    "timeout": ("nothing came in time", "is the machine overloaded?"),
    "exhausted": ("this machine has no port or file left for another connection", "wait a minute, then try again"),
    "varies": ("connections of one arm were not alike", _REPORT),
}
