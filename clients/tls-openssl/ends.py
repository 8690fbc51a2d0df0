"""The two ends of a TLS connection by OpenSSL, through pyOpenSSL: `ends.py server` and `ends.py client`.

They are spoken to as PROTOCOL.md of the ends in Go says. The OpenSSL is the one that cryptography brings.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import socket
import struct
import sys
import termios
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from OpenSSL import SSL, crypto
from OpenSSL._util import lib  # groups and the name of a peer have no other door

VERSION = 1
LONGEST = 300
MOST_KEPT = 64 << 10
# Connections before any that counts: the first ones of a process are slower.
WARMING = 3
# Of the server: one serves the connection that stays open, the others those that come and go.
THREADS = 3
PROTOCOLS = {"tls12": SSL.TLS1_2_VERSION, "tls13": SSL.TLS1_3_VERSION}
NAMES = {"TLSv1.2": "tls12", "TLSv1.3": "tls13"}
# As OpenSSL calls the groups, and as all ends do.
GROUPS = {
    "X25519": "X25519",
    "P-256": "P-256",
    "X25519MLKEM768": "X25519MLKEM768",
    "SecP256r1MLKEM768": "SecP256r1MLKEM768",
    "SecP384r1MLKEM1024": "SecP384r1MLKEM1024",
}
SEEN_AS = {"x25519": "X25519", "secp256r1": "P-256", "prime256v1": "P-256"}
# The place of two counters of the kernel in its struct tcp_info (linux/tcp.h).
BYTES_RECEIVED, BYTES_SENT, TCP_INFO_SIZE = 128, 200, 208


class Fault(Exception):
    """Something is not as it should be: its kind and a text."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


def kind_of(error: Exception) -> str:
    text = str(error)
    if isinstance(error, Fault):
        return error.kind
    if isinstance(error, SSL.WantReadError | BlockingIOError | TimeoutError):
        return "timeout"
    if isinstance(error, SSL.SysCallError | SSL.ZeroReturnError | EOFError | ConnectionResetError | BrokenPipeError):
        return "closed"
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    for piece, kind in (
        ("certificate required", "client-certificate"),
        ("alert bad certificate", "client-certificate"),
        ("alert certificate unknown", "client-certificate"),
        ("wrong version number", "not-tls"),
        ("packet length too long", "not-tls"),
        ("unexpected eof", "closed"),
    ):
        if piece in text:
            return kind
    return "tls" if isinstance(error, SSL.Error) else "other"


# X509_V_ERR_* of x509_vfy.h.
_VERIFIED = {10: "certificate-expired", 62: "certificate-name"}
_UNTRUSTED = {18, 19, 20, 21}


class Settings:
    """What both ends of an arm agree on, as a context of OpenSSL; None where there is no TLS."""

    def __init__(self, asked: dict[str, Any], of_client: bool) -> None:
        self.asked, self.of_client = asked, of_client
        self.timeout_s = asked["timeout_ns"] * 1e-9
        self.refused = 0  # why the other end's certificate was
        self.resumes = bool(asked["resumption"])
        self.context = self._context() if asked["protocol"] != "none" else None

    def _context(self) -> SSL.Context:
        asked = self.asked
        if asked["protocol"] not in PROTOCOLS or asked["group"] not in GROUPS:
            raise Fault("unsupported", f"{asked['protocol']} with {asked['group']} is not in this library")
        made = SSL.Context(SSL.TLS_CLIENT_METHOD if self.of_client else SSL.TLS_SERVER_METHOD)
        made.set_min_proto_version(PROTOCOLS[asked["protocol"]])
        made.set_max_proto_version(PROTOCOLS[asked["protocol"]])
        made.set_cipher_list(b"ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256")
        made.set_tls13_ciphersuites(b"TLS_AES_128_GCM_SHA256")
        # TLS 1.2 looks for the curve of an ECDSA certificate in the same list; the first one is for the key exchange.
        groups = [GROUPS[asked["group"]], *(["P-256"] if asked["protocol"] == "tls12" else [])]
        if lib.SSL_CTX_set1_curves_list(made._context, ":".join(dict.fromkeys(groups)).encode()) != 1:
            raise Fault("unsupported", f"{asked['group']} is not in this OpenSSL")
        made.set_mode(SSL._lib.SSL_MODE_AUTO_RETRY)
        made.set_session_cache_mode(SSL.SESS_CACHE_CLIENT if self.of_client else SSL.SESS_CACHE_OFF)
        made.set_session_id(b"sectax")
        if not self.resumes:
            made.set_options(SSL.OP_NO_TICKET)
        if asked["certificates"]:
            made.use_certificate(crypto.load_certificate(crypto.FILETYPE_PEM, asked["certificates"].encode()))
            made.use_privatekey(crypto.load_privatekey(crypto.FILETYPE_PEM, asked["key"].encode()))
        if asked["roots"]:
            store = made.get_cert_store()
            store.add_cert(crypto.load_certificate(crypto.FILETYPE_PEM, asked["roots"].encode()))
            made.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, self._verified)
            if self.of_client:
                name = asked["name"].encode()
                lib.X509_VERIFY_PARAM_set1_host(lib.SSL_CTX_get0_param(made._context), name, len(name))
        return made

    def _verified(self, _: SSL.Connection, __: crypto.X509, error: int, ___: int, ok: int) -> bool:
        if not ok:
            self.refused = error
        return bool(ok)

    def fault(self, error: Exception) -> Exception:
        """What an exception of a handshake is, where a certificate was the reason."""
        if not self.refused or not isinstance(error, SSL.Error):
            return error
        code, self.refused = self.refused, 0
        kind = "certificate-untrusted" if code in _UNTRUSTED else _VERIFIED.get(code, "certificate")
        return Fault(kind if self.of_client else "client-certificate", f"verify error {code} of OpenSSL")


def seen(of: SSL.Connection) -> dict[str, Any]:
    """What one end saw of a connection, in words that both ends and all libraries share."""
    peer = of.get_peer_certificate(as_cryptography=True)
    group = of.get_group_name() or ""
    from cryptography.hazmat.primitives.serialization import Encoding

    return {
        "protocol": NAMES.get(of.get_protocol_version_name(), "another"),
        "group": SEEN_AS.get(group.lower(), group),
        "cipher": (of.get_cipher_name() or "").upper(),
        "resumed": is_resumed(of),
        "certificate": "" if peer is None else base64.b64encode(peer.public_bytes(Encoding.DER)).decode(),
    }


def is_resumed(of: SSL.Connection) -> bool:
    return lib.SSL_session_reused(of._ssl) == 1


def patient(own: socket.socket, seconds: float) -> None:
    """Have the kernel end a reading that takes too long; a timeout of Python's own would make it poll."""
    own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", int(seconds), 0))


def counted(own: socket.socket) -> tuple[int, int]:
    """Bytes that were sent, and that came and were read, as the kernel counts them."""
    info = own.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_SIZE)
    unread = struct.unpack("i", fcntl.ioctl(own.fileno(), termios.FIONREAD, bytes(4)))[0]
    (sent,), (received,) = struct.unpack_from("Q", info, BYTES_SENT), struct.unpack_from("Q", info, BYTES_RECEIVED)
    return sent, received - unread


def read_exactly(of: Any, into: memoryview) -> None:
    at = 0
    while at < len(into):
        count = of.recv_into(into[at:])
        if count == 0:
            raise EOFError("the other end has closed")
        at += count


class Server:
    """A listener for every arm, on loopback alone."""

    def __init__(self) -> None:
        self.arms: dict[str, Listener] = {}

    def handle(self, asked: dict[str, Any]) -> dict[str, Any]:
        match asked["command"]:
            case "listen":
                self.arms[asked["arm"]] = made = Listener(asked)
                return {"port": made.socket.getsockname()[1]}
            case "tally":
                return self.arms[asked["arm"]].tally()
            case "close":
                self.arms.pop(asked["arm"]).close()
                return {}
        raise Fault("other", f"there is no command {asked['command']}")


class Listener:
    """The server's side of an arm, and what it saw of it."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.settings = Settings(asked, of_client=False)
        self.handshakes = self.resumed = 0
        self.different, self.last, self.failed = False, {}, ""
        self.short: tuple[Any, ...] = ()
        self.lock = threading.Lock()
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        for _ in range(THREADS):
            threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                own, _ = self.socket.accept()
            except OSError:
                return
            try:
                self.serve(own)
            except Exception as error:
                self.failed = str(self.settings.fault(error))
            own.close()

    def serve(self, own: socket.socket) -> None:
        """Answers requests until the client closes."""
        patient(own, self.settings.timeout_s)
        over: Any = own
        if self.settings.context is not None:
            over = SSL.Connection(self.settings.context, own)
            over.set_accept_state()
            over.do_handshake()
            self.saw(over)
        else:
            with self.lock:
                self.handshakes += 1
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 0))
        question = memoryview(bytearray(self.settings.asked["request_bytes"]))
        answer = bytes(self.settings.asked["answer_bytes"])
        with contextlib.suppress(SSL.Error, EOFError, OSError):
            while True:
                read_exactly(over, question)
                over.sendall(answer)

    def saw(self, of: SSL.Connection) -> None:
        """Take down a connection: the answer waits for it, so of later ones as little as tells them apart."""
        resumed = is_resumed(of)
        short = of.get_protocol_version_name(), of.get_cipher_name(), resumed
        with self.lock:
            self.handshakes += 1
            self.resumed += resumed
            if short != self.short:
                self.different |= bool(self.short) and short[:2] != self.short[:2]
                self.short, self.last = short, seen(of)

    def tally(self) -> dict[str, Any]:
        with self.lock:
            return {
                "handshakes": self.handshakes,
                "resumed": self.resumed,
                "alike": not self.different,
                "seen": self.last,
                "failed": self.failed,
            }

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


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


def clock() -> dict[str, Any]:
    """The monotonic clock: its smallest step and the cost of a reading."""
    took = sorted(-(time.monotonic_ns() - time.monotonic_ns()) for _ in range(2000))
    step = next((one for one in took if one > 0), 1)
    return {"name": "monotonic", "granularity_ns": step, "read_ns": took[len(took) // 2]}


def main() -> int:
    ends = {"server": Server, "client": Client}
    if len(sys.argv) != 2 or sys.argv[1] not in ends:
        sys.stderr.write("usage: ends.py server|client\n")
        return 2
    end = ends[sys.argv[1]]()
    for text in sys.stdin:
        asked = json.loads(text)
        try:
            if asked["command"] == "hello":
                library = SSL.OpenSSL_version(SSL.OPENSSL_VERSION).decode()
                answer = {
                    "protocol": VERSION,
                    "library": f"{library} by pyOpenSSL",
                    "pid": os.getpid(),
                    "clock": clock(),
                }
            else:
                answer = end.handle(asked)
            answer = {"ok": True} | answer
        except Exception as error:
            answer = {"ok": False, "kind": kind_of(error), "reason": (str(error) or type(error).__name__)[:LONGEST]}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
