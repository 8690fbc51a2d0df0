"""The server's end."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from typing import Any

from OpenSSL import SSL
from settings import Fault, Settings, is_resumed, patient, read_exactly, seen

# One serves the connection that stays open, the others those that come and go.
THREADS = 3


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
