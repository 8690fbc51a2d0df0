"""Client and server processes of a cell (clients/tls-go/PROTOCOL.md)."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import msgspec

from sectax.experiments.client_server.client import GRACE_S, ClientConversation, EmptyReply, SharedProcess
from sectax.experiments.client_server.subject import Meanings
from sectax.hosts.places import Variables
from sectax.hosts.process.processors import pinned

_Reply = TypeVar("_Reply", bound=msgspec.Struct)


class EndGreeting(msgspec.Struct, frozen=True):
    protocol: int
    library: str
    pid: int
    clock: dict[str, str | int]


class ConnectionFacts(msgspec.Struct, frozen=True):
    """A connection as seen by one end.

    Attributes:
        certificate: of the peer, as DER; empty for none.
        chain: number of certificates that the peer sent.
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
    """The client's view of its first connection, with the bytes written and read."""

    seen: ConnectionFacts
    wrote: bytes
    read: bytes


class EndConnected(msgspec.Struct, frozen=True, kw_only=True):
    """Sequential new connections, then requests over an open one.

    Times in nanoseconds; `first_byte_ns` is measured from the end of the TCP connect. `handshake_ns` is empty without
    TLS.
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
    """The server's view of an arm's connections; `failed` is the last handshake error."""

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
        return Variables(tuple(sorted(_REMOVED_VARIABLES)))


class Ends:
    """The processes of a cell; methods raise as `ClientConversation`.

    Args:
        command: the library's program.
        services: the server's processors.
        slow: program and nanoseconds of the delaying relay; None for none.
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
        for role, end in self._ends.items():
            with pinned(self._services) if role != "client" else contextlib.nullcontext():
                end.join(arm)

    def hello(self, role: str = "client") -> EndGreeting:
        return self._ends[role].hello()

    def listen(self, arm: str, wanted: Mapping[str, Any]) -> int:
        """Have the server listen; returns the port for the client."""
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
            self._ask(role, EmptyReply, GRACE_S, command="close", arm=arm)
        return closed

    def _ask(self, role: str, kind: type[_Reply], longest_s: float, **request: Any) -> _Reply:
        return self._ends[role].conversation.reply(kind, longest_s, **request)

    def leave(self, arm: str) -> None:
        for end in self._ends.values():
            end.leave(arm)


# Would change the libraries' behaviour, or write keys to a file.
_REMOVED_VARIABLES = {"SSLKEYLOGFILE", "GODEBUG", "GOGC", "GOMAXPROCS", "OPENSSL_CONF", "SSL_CERT_FILE", "SSL_CERT_DIR"}


UNSUPPORTED = "unsupported"
_REPORT = "report it"
_OWN = "a run's certificates are valid for 30 days: start a new run, and check this machine's clock"

# Kinds of clients/tls-go/PROTOCOL.md -> meaning and hint.
MEANINGS: Meanings = {
    "certificate-expired": ("the server's certificate has expired", _OWN),
    "certificate-name": ("the server's certificate is for another name", _REPORT),
    "certificate-untrusted": ("the server's certificate is not signed by an authority that the client trusts", _REPORT),
    "certificate": ("the server's certificate cannot be verified", _REPORT),
    "client-certificate": ("the server does not accept the client's certificate", _OWN),
    "tls": ("client and server cannot agree", "omit this level, or report it"),
    "not-tls": ("the server's answer is not TLS", _REPORT),
    "closed": ("the peer closed the connection early", _REPORT),
    "refused": ("the server no longer listens", _REPORT),
    "timeout": ("no answer in time", "check whether the machine is overloaded"),
    "exhausted": ("this machine has no ports or files left for another connection", "wait a minute, then try again"),
    "varies": ("connections of one arm differed", _REPORT),
}
