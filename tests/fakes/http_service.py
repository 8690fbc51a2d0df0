"""An HTTP server of raw bytes: what each path answers is the test's, however wrong."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

Answer = bytes | Callable[[], Iterable[bytes]]


def said(body: bytes = b"hello", status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def without_end(piece: bytes, pause_s: float = 0.0) -> Callable[[], Iterator[bytes]]:
    def pieces() -> Iterator[bytes]:
        while True:
            yield piece
            time.sleep(pause_s)

    return pieces


@dataclass
class HttpService:
    """Answers on loopback, or on another address, while it is open; a path that is not known gets 404.

    Attributes:
        heard: the head of every request, as it came.
        closing: paths after whose answer the connection is closed.
        abrupt: whether TLS is then cut, without its close_notify.
    """

    answers: dict[str, Answer]
    closing: frozenset[str] = frozenset()
    secured: ssl.SSLContext | None = None
    heard: list[str] = field(default_factory=list)
    host: str = "127.0.0.1"
    abrupt: bool = False

    def __enter__(self) -> HttpService:
        self._listener = socket.create_server((self.host, 0), backlog=300)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        # Closing alone would leave the thread in accept, and with it the port.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def url(self, path: str = "/") -> str:
        return f"{'https' if self.secured else 'http'}://{self.host}:{self.port}{path}"

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                one, _ = self._listener.accept()
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._serve, args=(one,), daemon=True).start()

    def _serve(self, one: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), contextlib.closing(one):
            if self.secured is not None:
                one = self.secured.wrap_socket(one, server_side=True)
            with contextlib.closing(one), one.makefile("rb") as lines:
                while head := "".join(iter(lambda: lines.readline().decode("latin-1").rstrip("\r\n") + "\n", "\n")):
                    self.heard.append(head)
                    path = head.split(" ", 2)[1]
                    length = next((line for line in head.splitlines() if line.startswith("Content-Length:")), ":0")
                    lines.read(int(length.partition(":")[2]))
                    answer = self.answers.get(path.partition("?")[0], said(b"", "404 Not Found"))
                    for piece in (answer,) if isinstance(answer, bytes) else answer():
                        one.sendall(piece)
                    if path in self.closing or "Connection: close" in head:
                        if isinstance(one, ssl.SSLSocket) and not self.abrupt:
                            one.unwrap()
                        return


def secured_by(certificate: str, key: str, folder: Path, clients: str = "") -> ssl.SSLContext:
    """How a service answers over TLS; with *clients* it wants a certificate that those have signed."""
    (folder / "server.pem").write_text(certificate)
    (folder / "server.key").write_text(key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    if clients:
        context.load_verify_locations(cadata=clients)
        context.verify_mode = ssl.CERT_REQUIRED
    return context
