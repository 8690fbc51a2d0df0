"""A request, the way to answer it, and what a client may demand of a server."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus

import msgspec

Headers = Iterable[tuple[str, str]]
Bytes = bytes | bytearray

_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus}


@dataclass(frozen=True)
class HttpLimits:
    """What one client may demand.

    Attributes:
        header_bytes: of the request line and all headers together.
        body_bytes: a longer body is read and thrown away, up to twice as much, so that the client can read the refusal;
            *patient*: however long it is.
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
    patient: bool = False


@dataclass(slots=True)
class HttpRequest:
    """One request.

    Attributes:
        path: as sent, still percent-encoded. query: what stands behind the '?'.
        headers: names in lower case; of a repeated one the last counts.
        body: empty as long as only the headers have come.
        too_large: the body was longer than the limit and is not here.
        received_ns: `time.monotonic_ns()` just after the read that ended it.
    """

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: Bytes = b""
    too_large: bool = False
    received_ns: int = 0


class Exchange:
    """A request and the one answer that it is to get, now or later.

    Attributes:
        gone: the client has hung up, or the answer was sent.
        held: bytes of the request that the server counts as its memory.
    """

    __slots__ = ("_release", "_send", "gone", "held", "keep_alive", "request")

    def __init__(
        self,
        request: HttpRequest,
        send: Callable[[Exchange, bytes], None],
        keep_alive: bool = False,
        release: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.request = request
        self.keep_alive = keep_alive
        self.gone = False
        self.held = 0
        self._send = send
        self._release = release

    def __del__(self) -> None:
        # Where the client has hung up nobody need ever answer; a handler may keep the request for as long as it likes.
        if self.held:
            self._release(self.held)

    def answer(self, status: int, body: Bytes = b"", headers: Headers = ()) -> None:
        """Send the answer; nothing happens where the client has hung up or was answered before."""
        answer = response(status, body, headers, keep_alive=self.keep_alive)
        # Who asks for the headers alone would take the body for the beginning of the next answer.
        self.send(answer.removesuffix(body) if self.request.method == "HEAD" else answer)

    def send(self, answer: bytes) -> None:
        if not self.gone:
            self.gone = True
            self._send(self, answer)

    def answer_json(self, status: int, document: object, headers: Headers = ()) -> None:
        self.answer(status, msgspec.json.encode(document), [("Content-Type", "application/json"), *headers])


def response(status: int, body: Bytes, headers: Headers, *, keep_alive: bool) -> bytes:
    """The bytes of an answer. Header values are the caller's own: they must hold no line break."""
    head = _LINES[status]
    for name, value in headers:
        head += f"{name}: {value}\r\n"
    if not keep_alive:
        head += "Connection: close\r\n"
    # 204 has no body and may not say how long it is (RFC 9110, 8.6).
    length = b"\r\n" if status == 204 else b"Content-Length: %d\r\n\r\n" % len(body)
    return head.encode("latin-1", "replace") + length + body
