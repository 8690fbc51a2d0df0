"""A connection of an untrusted client: parses complete requests, one at a time."""

from __future__ import annotations

import asyncio
import math
import socket
import time
from typing import TYPE_CHECKING, cast

import httptools

from lambda_local.http.messages import Exchange, HttpRequest, response

if TYPE_CHECKING:
    from lambda_local.http.server import HttpServer

_HEADERS = 200  # a short header needs much more memory as Python objects


class Connection(asyncio.BufferedProtocol):
    """Reads a request, passes it to the server's handler, and reads the next one after the answer.

    A client that sends more before the answer is disconnected; AWS's clients never do. Nothing is read from a client
    that does not read its answer. After a refusal, further input is read and dropped for a while, since an immediate
    close could lose the answer.

    Attributes:
        deadline: time of the loop's clock at which the server disconnects the client.
        held: bytes of the unfinished request in memory.
        received_ns: `time.monotonic_ns()` of the last read.
        refused: the request was refused; the connection is about to be closed.
    """

    def __init__(self, server: HttpServer) -> None:
        self.deadline = math.inf
        self.held = 0
        self.received_ns = time.monotonic_ns()
        self.refused = False
        self._server = server
        self._limits = server.limits
        self._loop = asyncio.get_running_loop()
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport | None = None
        self._receiving: Exchange | None = None  # its headers are complete
        self._complete: Exchange | None = None
        self._answering: Exchange | None = None
        self._choked = False  # the client does not read its answer
        self._refusal = 400
        self._last_words: bytes | None = None
        self._wasted = 0  # bytes after the refusal
        self._begin()
        self._begun = False

    @property
    def idle(self) -> bool:
        """Whether no answer is due."""
        return self._answering is None

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def refuse(self, status: int) -> None:
        """Refuse an unfinished request with *status*, or with the handler's answer, and close."""
        self._drop()
        self._complete = None
        self.refused = True
        self.deadline = self._loop.time() + self._limits.header_s
        if self._transport is not None:
            self._transport.write(self._last_words or response(status, b"", (), keep_alive=False))
            self._transport.write_eof()

    # asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        # Otherwise an answer in two segments waits 40 ms for the client's delayed acknowledgement.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.deadline = self._loop.time() + self._limits.header_s
        if not self._server.admit(self):
            self.abort()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._server.buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.received_ns = time.monotonic_ns()
        if self.refused:
            self._wasted += nbytes
            if self._wasted > 2 * (self._limits.header_bytes + self._limits.body_bytes):
                self.abort()
        elif self._answering is not None:
            self.abort()
        else:
            self._feed(bytes(self._server.buffer[:nbytes]))

    def pause_writing(self) -> None:
        self._choked = True
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        self._choked = False
        if self._transport is not None:
            self._transport.resume_reading()
        self._set_deadline()

    def connection_lost(self, error: Exception | None) -> None:
        self._server.forget(self)
        for exchange in (self._receiving, self._answering):
            if exchange is not None:
                exchange.gone = True
        self._drop()
        self._transport = None
        # Break the reference cycle with the parser, so that memory is freed at once.
        self._receiving = self._answering = self._last_words = None
        self._begin()
        del self._parser

    # the parser's side

    def on_message_begin(self) -> None:
        if self._complete is not None:
            self._fail(400)
        self._begin()

    def on_url(self, part: bytes) -> None:
        self._target += part
        self._count(len(part))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")
        self._count(len(name) + len(value))

    def on_headers_complete(self) -> None:
        self._in_headers = False
        headers = self._headers
        path, _, query = self._target.decode("latin-1").partition("?")
        method = self._parser.get_method().decode("latin-1")
        self._receiving = exchange = Exchange(
            HttpRequest(method, path, query, headers), self._send, release=self._server.release
        )
        judge = self._server.judge
        self._most = self._limits.body_bytes if judge is None else judge(exchange)
        length = headers.get("content-length", "")
        too_long = length.isdecimal() and int(length) > 2 * self._most and not self._limits.patient
        if exchange.gone or too_long:
            self._fail(413)
        if headers.get("expect", "").lower() == "100-continue" and self._transport is not None:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, part: bytes) -> None:
        self._buffered = 0
        self._length += len(part)
        if self._length <= self._most:
            self._body += part
            return
        self._drop()
        if self._length > 2 * self._most and not self._limits.patient:
            self._fail(413)

    def on_message_complete(self) -> None:
        self._complete, self._receiving = self._receiving, None
        self._begun = False
        assert self._complete is not None
        self._complete.keep_alive = self._parser.should_keep_alive()  # not available later

    def _begin(self) -> None:
        self._begun = self._in_headers = True
        self._header_bytes = 0
        self._buffered = 0  # bytes in the parser since its last callback
        self._target = b""
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._length = 0
        self._most = 0

    def _feed(self, data: bytes) -> None:
        before = self._begun, self._in_headers
        self._refusal = 400
        self._buffered += len(data)
        self._hold(len(data))
        try:
            self._parser.feed_data(data)
            # An endless header or trailer causes no callback.
            if self._buffered > self._limits.header_bytes + len(self._server.buffer):
                self._fail(431)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade, ValueError):
            self.refuse(self._refusal)
            return
        if self._complete is not None:
            self._hand_over(self._complete)
            return
        self._server.make_room()
        if not self.refused and before != (self._begun, self._in_headers):
            self._set_deadline()

    def _hand_over(self, exchange: Exchange) -> None:
        request = exchange.request
        request.too_large = self._length > self._most
        request.body = self._body
        request.received_ns = self.received_ns
        exchange.held, self.held = self.held, 0
        self._body = bytearray()
        self._complete, self._answering = None, exchange
        self.deadline = math.inf
        self._server.take(exchange)

    def _count(self, size: int) -> None:
        self._buffered = 0
        self._header_bytes += size
        if self._header_bytes > self._limits.header_bytes or len(self._headers) > _HEADERS:
            self._fail(431)

    def _fail(self, status: int) -> None:
        """Stop parsing; `_feed` answers with *status*."""
        self._refusal = status
        raise ValueError(status)

    def _hold(self, size: int) -> None:
        self.held += size
        self._server.hold(size)

    def _drop(self) -> None:
        self._server.release(self.held)
        self.held = 0
        self._body = bytearray()

    def _send(self, exchange: Exchange, answer: bytes) -> None:
        if self._transport is None:
            return
        if exchange is self._receiving:  # refused because of its headers
            self._last_words = answer
            return
        self._transport.write(answer)
        self._answering = None
        self._set_deadline()
        if not exchange.keep_alive:
            self._transport.close()

    def _set_deadline(self) -> None:
        """Update the deadline after each change of state."""
        if self._answering is not None or self.refused:
            return
        limits = self._limits
        seconds: float | None = limits.idle_s
        if self._choked or (self._begun and not self._in_headers):
            seconds = limits.request_s
        elif self._begun:
            seconds = limits.header_s
        self.deadline = math.inf if seconds is None else self._loop.time() + seconds
