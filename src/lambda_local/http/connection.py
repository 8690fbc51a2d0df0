"""One connection of a client, whatever it sends: requests come out whole and in order, or the connection is closed."""

from __future__ import annotations

import asyncio
import math
import socket
import time
from collections import deque
from typing import TYPE_CHECKING, cast

import httptools

from lambda_local.http.messages import Exchange, Request, response

if TYPE_CHECKING:
    from lambda_local.http.server import HttpServer

# Requests of one segment that may wait behind the one that is being answered; later ones wait in the client's memory.
_PIPELINED = 16
_HEADERS = 200  # a tiny one takes many times its size as objects of Python's
_SMALL_BYTES = 512
_SMALL_PARTS = 1024


class Connection(asyncio.BufferedProtocol):
    """Reads requests and hands them to the server's handler, one at a time.

    While an answer is outstanding, or the client does not read the last one, nothing more is read than the segment that
    tells of it. A client that is refused hears why, and what it still sends is read and thrown away for a while: if the
    connection were closed at once, the refusal could be lost.

    Attributes:
        deadline: the instant of the loop's clock at which the server gives the client up.
        held: bytes of its unfinished request that are kept in memory.
        heard_ns: `time.monotonic_ns()` when it last sent something.
        parted: it was refused and is about to be closed.
    """

    def __init__(self, server: HttpServer) -> None:
        self.deadline = math.inf
        self.held = 0
        self.heard_ns = time.monotonic_ns()
        self.parted = False
        self._server = server
        self._limits = server.limits
        self._loop = asyncio.get_running_loop()
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport | None = None
        self._receiving: Exchange | None = None
        self._waiting: deque[Exchange] = deque()
        self._answering: Exchange | None = None
        self._later = b""  # what came while an answer was outstanding
        self._choked = False  # the client does not read its answers
        self._last_words: bytes | None = None
        self._wasted = 0  # bytes that came after it was refused
        self._proceeding = False
        self._refusal = 400
        self._body: list[bytes] = []
        self._length = self._small = self._most = 0
        self._begin()

    @property
    def idle(self) -> bool:
        """Whether the server owes it no answer."""
        return self._answering is None and not self._waiting

    def abort(self) -> None:
        """Close at once, whatever is under way."""
        if self._transport is not None:
            self._transport.abort()

    def refuse(self, status: int) -> None:
        """Read no more; answer with *status* after the answers that are outstanding, and close."""
        self._part(response(status, b"", (), keep_alive=False))

    # asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        # Without it an answer in two segments waits 40 ms for the client's delayed acknowledgement.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.deadline = self._loop.time() + self._limits.header_s
        if not self._server.admit(self):
            self.abort()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._server.buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.heard_ns = time.monotonic_ns()
        data = bytes(self._server.buffer[:nbytes])
        if self._last_words is not None:
            self._wasted += len(data)
            if self._wasted > 2 * (self._limits.header_bytes + self._limits.body_bytes):
                self.abort()
            return
        if self._answering is not None or self._choked:
            self._later += data
            self._hold(len(data))
            self._server.make_room()
            if self._transport is not None:
                self._transport.pause_reading()
            return
        self._feed(data)
        self._proceed()

    def pause_writing(self) -> None:
        self._choked = True

    def resume_writing(self) -> None:
        self._choked = False
        self._set_deadline()
        self._proceed()

    def connection_lost(self, error: Exception | None) -> None:
        self._server.forget(self)
        for exchange in (self._receiving, self._answering, *self._waiting):
            if exchange is not None:
                exchange.gone = True
        self._waiting.clear()
        self._drop()
        self._transport = None
        # The parser knows this connection: without an end of that everything of it waits for Python's collector.
        self._receiving = self._answering = self._last_words = None
        self._begin()
        del self._parser

    # the parser's side

    def on_message_begin(self) -> None:
        self._begin()
        self._begun = True

    def on_url(self, part: bytes) -> None:
        self._target += part
        self._header_bytes += len(part)
        if self._header_bytes > self._limits.header_bytes:
            self._fail(431)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")
        self._header_bytes += len(name) + len(value)
        if self._header_bytes > self._limits.header_bytes or len(self._headers) > _HEADERS:
            self._fail(431)

    def on_headers_complete(self) -> None:
        self._in_headers = False
        headers = self._headers
        path, _, query = self._target.decode("latin-1").partition("?")
        method = self._parser.get_method().decode("latin-1")
        request = Request(method, path, query, headers)
        self._receiving = exchange = Exchange(request, self._send, release=self._server.release)
        judge = self._server.judge
        self._most = self._limits.body_bytes if judge is None else judge(exchange)
        length = headers.get("content-length", "")
        too_long = length.isdecimal() and int(length) > 2 * self._most and not self._limits.patient
        if exchange.gone or too_long:
            self._fail(413)
        if headers.get("expect", "").lower() == "100-continue" and self._transport is not None and self.idle:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, part: bytes) -> None:
        self._length += len(part)
        if self._length <= self._most:
            self._body.append(part)
            self._hold(len(part))
            # Tiny chunks would take many times their size as objects of Python's.
            self._small = self._small + 1 if len(part) < _SMALL_BYTES else 0
            if self._small == _SMALL_PARTS:
                self._body[-_SMALL_PARTS:] = [b"".join(self._body[-_SMALL_PARTS:])]
                self._small = 0
            return
        self._drop()
        if self._length > 2 * self._most and not self._limits.patient:
            self._fail(413)

    def on_message_complete(self) -> None:
        if len(self._waiting) >= _PIPELINED:
            self._fail(400)
        exchange, self._receiving = self._receiving, None
        assert exchange is not None
        request = exchange.request
        request.too_large = self._length > self._most
        request.parts = self._body
        request.received_ns = self.heard_ns
        exchange.keep_alive = self._parser.should_keep_alive()
        exchange.held, self.held = self.held, 0
        self._waiting.append(exchange)
        self._begun = False
        self._in_headers = True
        self._header_fed = 0
        self._body = []

    # our own

    def _begin(self) -> None:
        self._begun = False
        self._in_headers = True
        self._header_fed = 0
        self._header_bytes = 0
        self._target = b""
        self._headers: dict[str, str] = {}
        self._body = []
        self._length = 0
        self._small = 0  # parts in a row that are tiny
        self._most = 0

    def _feed(self, data: bytes) -> None:
        was = self._begun, self._in_headers
        if self._in_headers:
            self._header_fed += len(data)
        self._refusal = 400
        try:
            self._parser.feed_data(data)
            # One header that never ends is kept inside the parser and comes to no callback.
            if self._in_headers and self._header_fed > self._limits.header_bytes + len(data):
                self._refusal = 431
                raise httptools.HttpParserError
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self.refuse(self._refusal)
        if self._begun:
            if self._in_headers:
                self._hold(len(data))
            self._server.make_room()
        if self._waiting:
            self.deadline = math.inf
        elif was != (self._begun, self._in_headers):
            self._set_deadline()

    def _fail(self, status: int) -> None:
        """End the parsing; `_feed` answers with *status*."""
        self._refusal = status
        raise ValueError(status)

    def _hold(self, size: int) -> None:
        self.held += size
        self._server.hold(size)

    def _drop(self) -> None:
        """Forget what has come of an unfinished request."""
        self._server.release(self.held)
        self.held = 0
        self._body.clear()
        self._later = b""

    def _part(self, last_words: bytes) -> None:
        if self._last_words is None:  # else the handler has said why
            self._last_words = last_words
        self._drop()
        self._proceed()

    def _proceed(self) -> None:
        """Hand over what waits, until the handler keeps one to answer it later; then read on."""
        if self._proceeding:
            return
        self._proceeding = True
        while self._answering is None and (self._waiting or self._later or self._last_words is not None):
            if self._choked or self.parted or self._transport is None or self._transport.is_closing():
                break
            if self._waiting:
                self._answering = self._waiting.popleft()
                self._server.take(self._answering)
            elif self._last_words is not None:
                self._end(self._transport, self._last_words)
            else:
                data, self._later = self._later, b""
                self._hold(-len(data))
                self._transport.resume_reading()
                self._feed(data)
        self._proceeding = False

    def _end(self, transport: asyncio.Transport, last_words: bytes) -> None:
        self.parted = True
        transport.write(last_words)
        transport.write_eof()
        transport.resume_reading()
        self.deadline = self._loop.time() + self._limits.header_s

    def _send(self, exchange: Exchange, answer: bytes) -> None:
        if self._transport is None:
            return
        if exchange is self._receiving:  # refused by its headers
            self._last_words = answer
            return
        self._transport.write(answer)
        self._answering = None
        if not exchange.keep_alive:
            self._transport.close()
            return
        self._set_deadline()
        if not self._proceeding:
            self._proceed()

    def _set_deadline(self) -> None:
        """After an answer, after the client has read one, and when a request has begun or its headers have come."""
        if self._answering is not None or self._waiting or self.parted:
            return
        limits = self._limits
        seconds: float | None
        if self._begun or self._choked:
            seconds = limits.header_s if self._in_headers and not self._choked else limits.request_s
        else:
            seconds = limits.idle_s
        self.deadline = math.inf if seconds is None else self._loop.time() + seconds
