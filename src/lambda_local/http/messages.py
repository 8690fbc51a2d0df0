"""A request, the way to answer it, and what a client may demand of a server."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol

import msgspec

Headers = Iterable[tuple[str, str]]

_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus}


@dataclass(frozen=True)
class HttpLimits:
    """What one client may demand.

    Attributes:
        header_bytes: of the request line and all headers together.
        body_bytes: a longer body is read and thrown away, up to twice as much, so that the client can read the refusal.
        connections: open at once; one more takes the place of the one that was silent longest, or is closed where every
            one waits for an answer.
        held_bytes: of all requests that are not answered yet; past it the largest unfinished one is refused.
        header_s: seconds from the first byte of a request to the end of its headers.
        request_s: seconds from there to the end of the body.
        idle_s: seconds between an answer and the next request; None for ever.
    """

    header_bytes: int
    body_bytes: int
    connections: int
    held_bytes: int = 256 * 1024 * 1024
    header_s: float = 10.0
    request_s: float = 60.0
    idle_s: float | None = 75.0


@dataclass(slots=True)
class Request:
    """One request.

    Attributes:
        path: as sent, still percent-encoded. query: what stands behind the '?'.
        headers: names in lower case; of a repeated one the last counts.
        parts: the body, as it came: putting a large one together takes longer than an event loop should. Empty as long
            as only the headers have come.
        too_large: the body was longer than the limit and is not here.
        received_ns: `time.monotonic_ns()` just after the read that ended it.
        chunks: the client knows answers whose length is not told beforehand (HTTP/1.1).
    """

    method: str
    path: str
    query: str
    headers: dict[str, str]
    parts: list[bytes] = field(default_factory=list)
    too_large: bool = False
    received_ns: int = 0
    chunks: bool = True

    @property
    def body(self) -> bytes:
        """The body in one piece."""
        if len(self.parts) != 1:
            self.parts = [b"".join(self.parts)]
        return self.parts[0]


class Outlet(Protocol):
    """Takes the body of a request as it comes, so that no part of it stays in memory."""

    def put(self, part: bytes) -> None:
        """The next part."""

    def ready(self, then: Callable[[], None]) -> bool:
        """Whether more may come now; where not, *then* is called once it may."""

    def cut(self) -> None:
        """The client has gone, or was refused: the rest will not come."""


class Exchange:
    """A request and the one answer that it is to get, now or later, whole (`answer`) or in parts (`begin` to `end`).

    Attributes:
        gone: the client has hung up, or the answer was sent.
        held: bytes of the request that the server counts as its memory.
        outlet: where its body goes; whoever judges the headers may set it.
        choked: the client does not read what it was sent.
    """

    __slots__ = (
        "_release",
        "_send",
        "_then",
        "_write",
        "choked",
        "gone",
        "held",
        "keep_alive",
        "outlet",
        "request",
    )

    def __init__(
        self,
        request: Request,
        send: Callable[[Exchange, bytes], None],
        keep_alive: bool = False,
        release: Callable[[int], None] = lambda _: None,
        write: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        """Args: *send* takes the last bytes of the answer, *write* those before."""
        self.request = request
        self.keep_alive = keep_alive
        self.gone = False
        self.held = 0
        self.outlet: Outlet | None = None
        self.choked = False
        self._send = send
        self._release = release
        self._write = write
        self._then: Callable[[], None] | None = None

    def __del__(self) -> None:
        # Where the client has hung up nobody need ever answer; a handler may keep the request for as long as it likes.
        if self.held:
            self._release(self.held)

    def answer(self, status: int, body: bytes = b"", headers: Headers = ()) -> None:
        """Send the answer; nothing happens where the client has hung up or was answered before."""
        self.send(response(status, body, headers, keep_alive=self.keep_alive))

    def send(self, answer: bytes) -> None:
        """Send an answer, or its end, as it goes over the wire."""
        if not self.gone:
            self.gone = True
            self._send(self, answer)

    def begin(self, status: int, headers: Headers = ()) -> None:
        """Send the head of an answer whose parts follow."""
        if not self.gone:
            chunks = self.request.chunks  # without them the end of the connection is the end of the answer
            self.keep_alive = self.keep_alive and chunks
            framing = [("Transfer-Encoding", "chunked")] if chunks else []
            self._write(_head(status, [*headers, *framing], keep_alive=self.keep_alive) + b"\r\n")

    def part(self, content: bytes) -> None:
        """Send a part; nothing happens where the client has hung up."""
        if content and not self.gone:
            self._write(b"%x\r\n%b\r\n" % (len(content), content) if self.request.chunks else content)

    def end(self) -> None:
        """The answer is whole."""
        self.send(b"0\r\n\r\n" if self.request.chunks else b"")

    def break_off(self) -> None:
        """There is no rest: the client sees that from a connection that ends in the middle of the answer."""
        if not self.gone:
            self.keep_alive = False
            self.send(b"")

    def ready(self, then: Callable[[], None]) -> bool:
        """Whether the client reads what it is sent; where not, *then* is called once it does or has hung up."""
        if self.gone or not self.choked:
            return True
        self._then = then
        return False

    def set_choked(self, choked: bool) -> None:
        """The connection's: the client stopped reading, or reads again."""
        self.choked = choked
        then, self._then = self._then, None
        if then is not None:
            then()

    def answer_json(self, status: int, document: object, headers: Headers = ()) -> None:
        """Send *document* as JSON."""
        self.answer(status, msgspec.json.encode(document), [("Content-Type", "application/json"), *headers])


def response(status: int, body: bytes, headers: Headers, *, keep_alive: bool) -> bytes:
    """The bytes of an answer. Header values are the caller's own: they must hold no line break."""
    # 204 has no body and may not say how long it is (RFC 9110, 8.6).
    length = b"\r\n" if status == 204 else b"Content-Length: %d\r\n\r\n" % len(body)
    return _head(status, headers, keep_alive=keep_alive) + length + body


def _head(status: int, headers: Headers, *, keep_alive: bool) -> bytes:
    head = _LINES[status]
    for name, value in headers:
        head += f"{name}: {value}\r\n"
    if not keep_alive:
        head += "Connection: close\r\n"
    return head.encode("latin-1", "replace")
