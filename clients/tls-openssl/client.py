"""The client's end."""

from __future__ import annotations

import base64
import contextlib
import os
import socket
import time
from dataclasses import dataclass, field
from typing import Any

from OpenSSL import SSL
from settings import NAMES, Fault, Settings, counted, is_resumed, patient, read_exactly, seen

MOST_KEPT = 64 << 10
# Connections before any that counts: the first ones of a process are slower.
WARMING = 3


@dataclass
class Line:
    """One connection, set up, and its times in nanoseconds."""

    own: socket.socket
    over: Any  # what requests go over
    connecting: int
    began: int
    ready: int
    first: int = 0
    sent: int = 0
    received: int = 0
    wrote: bytes = b""
    read: bytes = b""


@dataclass
class Arm:
    """The client's side of one: whom it talks to, and how."""

    settings: Settings
    port: int
    pid: int
    question: bytes
    answer: memoryview
    session: Any = None
    expected: dict[str, Any] = field(default_factory=dict)
    kept: Line | None = None
    handshakes: int = 0
    resumed: int = 0

    def connect(self, keeps: bool = False) -> Line:
        """Set a connection up. Between two readings of the clock is the library's own work alone."""
        before = time.monotonic_ns()
        own = socket.create_connection(("127.0.0.1", self.port))
        began = time.monotonic_ns()
        patient(own, self.settings.timeout_s)
        made = Line(own, own, began - before, began, began)
        if self.settings.context is not None:
            self._shake_hands(made, keeps)
            self.resumed += is_resumed(made.over)
        self.handshakes += 1
        if not keeps:
            made.sent, made.received = counted(own)
        return made

    def _shake_hands(self, made: Line, keeps: bool) -> None:
        made.began = time.monotonic_ns()
        # Through memory where the bytes are kept: OpenSSL has no other way to show them.
        over = SSL.Connection(self.settings.context, None if keeps else made.own)
        over.set_tlsext_host_name(self.settings.asked["name"].encode())
        over.set_connect_state()
        if self.session is not None:
            over.set_session(self.session)
        try:
            if keeps:
                self._through_memory(over, made)
            else:
                over.do_handshake()
        except SSL.Error as error:
            made.own.close()
            raise self.settings.fault(error) from error
        made.ready, made.over = time.monotonic_ns(), over

    def _through_memory(self, over: SSL.Connection, made: Line) -> None:
        while True:
            try:
                over.do_handshake()
            except SSL.WantReadError:
                self._pass(over, made)
                came = made.own.recv(1 << 16)
                if not came:
                    raise EOFError("the server closed in the middle") from None
                made.read += came
                over.bio_write(came)
            else:
                self._pass(over, made)
                return

    @staticmethod
    def _pass(over: SSL.Connection, made: Line) -> None:
        with contextlib.suppress(SSL.WantReadError):
            while True:
                data = over.bio_read(1 << 16)
                made.wrote += data
                made.own.sendall(data)

    def ask(self, on: Line) -> None:
        """One request over an open connection, and its answer to the last byte."""
        on.over.sendall(self.question)
        count = on.over.recv_into(self.answer)
        on.first = time.monotonic_ns()
        if count == 0:
            raise EOFError("the server closed before it answered")
        read_exactly(on.over, self.answer[count:])

    def once(self, added: int = 0) -> Line:
        """One connection: set up, one request, closed."""
        made = self.connect()
        self.ask(made)
        self.hang_up(made)
        # Before the end of a connection it would let the server go idle, and the next handshake would be another.
        ended = now = time.monotonic_ns()
        while now - ended < added:
            now = time.monotonic_ns()
        made.first += now - ended
        if self.expected and any(seen_now != self.expected[name] for name, seen_now in self._short(made).items()):
            raise Fault("varies", "a connection was negotiated otherwise than the first one")
        return made

    def _short(self, made: Line) -> dict[str, Any]:
        if self.settings.context is None:
            return {}
        return {"protocol": NAMES.get(made.over.get_protocol_version_name()), "resumed": is_resumed(made.over)}

    def hang_up(self, made: Line) -> None:
        """Close and wait until the server has done so too: its CPU time is then complete."""
        if self.settings.context is not None:
            if self.settings.resumes:
                self.session = made.over.get_session()
            with contextlib.suppress(SSL.Error):
                made.over.shutdown()
        with contextlib.suppress(OSError):
            made.own.shutdown(socket.SHUT_WR)
            while made.own.recv(4096):
                pass
        made.own.close()

    def open(self) -> dict[str, Any]:
        """Connect for the first time, and say what was agreed on and what both ends sent for it."""
        if self.settings.context is None:
            self.once()
            self.kept = self.connect()
            self.ask(self.kept)
            return {"seen": {"protocol": "none"}, "wrote": "", "read": ""}
        if self.settings.resumes:
            self.once()  # a full one, which brings the ticket of the second
        first = self.connect(keeps=True)
        first.own.close()
        if self.settings.resumes:
            self.session = None  # OpenSSL uses a ticket once, and nobody has asked the first one for the next
            self.once()
        self.expected = seen(first.over)
        self.kept = self.connect()
        self.ask(self.kept)
        if self.settings.resumes:
            self.session = self.kept.over.get_session()
        for _ in range(WARMING):
            self.once()
        kept = {"wrote": base64.b64encode(first.wrote[:MOST_KEPT]).decode()}
        return kept | {"seen": self.expected, "read": base64.b64encode(first.read[:MOST_KEPT]).decode()}

    def measure(self, count: int, requests: int, added: int) -> dict[str, Any]:
        """Set so many connections up, one after the other, and send so many requests over one that stays open."""
        kept, own = self.kept, os.getpid()
        assert kept is not None, "measure before open"
        ours, theirs, began = cpu_ns(own), cpu_ns(self.pid), time.monotonic_ns()
        made = [self.once(added) for _ in range(count)]
        ours_then, theirs_then = cpu_ns(own), cpu_ns(self.pid)
        sent, received = counted(kept.own)
        asking = time.monotonic_ns()
        for _ in range(requests):
            self.ask(kept)
        ended = time.monotonic_ns()
        requests_cpu = cpu_ns(own) - ours_then, cpu_ns(self.pid) - theirs_then
        sent_then, received_then = counted(kept.own)
        secure = self.settings.context is not None
        return {
            "connect_ns": [line.connecting for line in made],
            "handshake_ns": [line.ready - line.began for line in made] if secure else [],
            "first_byte_ns": [line.first - line.began for line in made],
            "wall_ns": ended - began,
            "client_cpu_ns": ours_then - ours,
            "server_cpu_ns": theirs_then - theirs,
            "handshake_sent_bytes": sum(line.sent for line in made),
            "handshake_received_bytes": sum(line.received for line in made),
            "requests_ns": ended - asking,
            "requests_client_cpu_ns": requests_cpu[0],
            "requests_server_cpu_ns": requests_cpu[1],
            "requests_sent_bytes": sent_then - sent,
            "requests_received_bytes": received_then - received,
        }


class Client:
    """The client's side of every arm."""

    def __init__(self) -> None:
        self.arms: dict[str, Arm] = {}

    def handle(self, asked: dict[str, Any]) -> dict[str, Any]:
        match asked["command"]:
            case "open":
                question, answer = bytes(asked["request_bytes"]), memoryview(bytearray(asked["answer_bytes"]))
                made = Arm(Settings(asked, of_client=True), asked["port"], asked["pid"], question, answer)
                opened = made.open()
                self.arms[asked["arm"]] = made
                return opened
            case "measure":
                return self.arms[asked["arm"]].measure(asked["count"], asked["requests"], asked["added_ns"])
            case "close":
                closed = self.arms.pop(asked["arm"])
                if closed.kept is not None:
                    closed.hang_up(closed.kept)
                return {"handshakes": closed.handshakes, "resumed": closed.resumed}
        raise Fault("other", f"there is no command {asked['command']}")


def cpu_ns(pid: int) -> int:
    """The CPU time of a process of this user up to now, by its own clock (clock_getcpuclockid(3))."""
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except OSError:
        return 0
