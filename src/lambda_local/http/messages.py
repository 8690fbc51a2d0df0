"""Requests, their answers, and the limits of clients."""

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
    """Limits of requests and connections.

    Attributes:
        header_bytes: maximum of the request line and all headers.
        body_bytes: maximum of the body; a longer one is read and dropped, up to twice as much, so that the client can
            read the refusal; with *patient* without limit.
        connections: maximum number; a new one replaces the one that was idle longest, or is closed if all wait for an
            answer.
        held_bytes: maximum of all unanswered requests; above it the largest unfinished one is refused.
        header_s: seconds from the first byte of a request to the end of its headers.
        request_s: seconds from there to the end of the body.
        idle_s: seconds between an answer and the next request; None for no limit.
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
        path: percent-encoded, as sent. query: the part after '?'.
        headers: names in lower case; the last one of repeated names.
        body: empty until it is complete.
        too_large: whether the body was over the limit and dropped.
        received_ns: `time.monotonic_ns()` after its last read.
    """

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: Bytes = b""
    too_large: bool = False
    received_ns: int = 0


class Exchange:
    """A request and its one answer.

    Attributes:
        gone: the client disconnected, or the answer was sent.
        held: bytes of the request in the server's count.
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
        # Not at the answer: there may be none if the client disconnected, and handlers may keep the request.
        if self.held:
            self._release(self.held)

    def answer(self, status: int, body: Bytes = b"", headers: Headers = ()) -> None:
        """Send the answer, unless the client disconnected or was already answered."""
        answer = response(status, body, headers, keep_alive=self.keep_alive)
        # After HEAD, a body would be read as the next answer.
        self.send(answer.removesuffix(body) if self.request.method == "HEAD" else answer)

    def send(self, answer: bytes) -> None:
        if not self.gone:
            self.gone = True
            self._send(self, answer)

    def answer_json(self, status: int, document: object, headers: Headers = ()) -> None:
        self.answer(status, msgspec.json.encode(document), [("Content-Type", "application/json"), *headers])


def response(status: int, body: Bytes, headers: Headers, *, keep_alive: bool) -> bytes:
    """Encode an answer. Header values must not contain line breaks."""
    head = _LINES[status]
    for name, value in headers:
        head += f"{name}: {value}\r\n"
    if not keep_alive:
        head += "Connection: close\r\n"
    # 204 must not have Content-Length (RFC 9110, 8.6).
    length = b"\r\n" if status == 204 else b"Content-Length: %d\r\n\r\n" % len(body)
    return head.encode("latin-1", "replace") + length + body
