"""One connection of a client, whatever it sends: requests come out whole and in order, or the connection is closed."""

from __future__ import annotations

import asyncio
import math
import socket
import time
from collections import deque
from typing import TYPE_CHECKING, cast

import httptools

from sectax.stack.lambda_service.http.messages import Exchange, Request, response

if TYPE_CHECKING:
    from sectax.stack.lambda_service.http.server import HttpServer

# Requests that may wait behind the one that is being answered; clients that pipeline more are not met in practice.
_PIPELINED = 16


class Connection(asyncio.Protocol):
    """Reads requests and hands them to the server's handler, one at a time.

    `deadline` is the instant of the loop's clock at which the server gives the client up.
    """

    def __init__(self, server: HttpServer) -> None:
        self.deadline = math.inf
        self._server = server
        self._limits = server.limits
        self._loop = asyncio.get_running_loop()
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport | None = None
        self._answering: Exchange | None = None
        self._waiting: deque[Exchange] = deque()
        self._proceeding = False
        self._refusal = 400
        self._received_ns = 0
        self._begin()

    def abort(self) -> None:
        """Close at once, whatever is under way."""
        if self._transport is not None:
            self._transport.abort()

    # asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        # Without it an answer in two segments waits 40 ms for the client's delayed acknowledgement.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.deadline = self._loop.time() + self._limits.header_s
        if not self._server.admit(self):
            self.abort()

    def data_received(self, data: bytes) -> None:
        self._received_ns = time.monotonic_ns()
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
            self._refuse()
            return
        self._proceed()

    def connection_lost(self, error: Exception | None) -> None:
        self._server.forget(self)
        for exchange in (self._answering, *self._waiting):
            if exchange is not None:
                exchange.gone = True
        self._waiting.clear()
        self._transport = None

    # the parser's side

    def on_message_begin(self) -> None:
        self._begin()
        self.deadline = self._loop.time() + self._limits.header_s

    def on_url(self, part: bytes) -> None:
        self._target += part
        self._count_header(len(part))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")
        self._count_header(len(name) + len(value))

    def on_headers_complete(self) -> None:
        self._in_headers = False
        self.deadline = self._loop.time() + self._limits.request_s
        length = self._headers.get("content-length", "")
        if length.isdecimal() and int(length) > 2 * self._limits.body_bytes:
            self._fail(413)
        if self._headers.get("expect", "").lower() == "100-continue" and self._transport is not None:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, part: bytes) -> None:
        self._length += len(part)
        if self._length <= self._limits.body_bytes:
            self._body.append(part)
            return
        self._body.clear()
        if self._length > 2 * self._limits.body_bytes:
            self._fail(413)

    def on_message_complete(self) -> None:
        if len(self._waiting) >= _PIPELINED:
            self._fail(400)
        path, _, query = self._target.decode("latin-1").partition("?")
        too_large = self._length > self._limits.body_bytes
        body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        method = self._parser.get_method().decode("latin-1")
        request = Request(method, path, query, self._headers, body, too_large, self._received_ns)
        self._waiting.append(Exchange(request, self._send, self._parser.should_keep_alive()))
        self._begin()
        self.deadline = math.inf

    # our own

    def _begin(self) -> None:
        self._in_headers = True
        self._header_fed = 0
        self._header_bytes = 0
        self._target = b""
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._length = 0

    def _count_header(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > self._limits.header_bytes:
            self._fail(431)

    def _fail(self, status: int) -> None:
        """End the parsing; `data_received` answers with *status*."""
        self._refusal = status
        raise ValueError(status)

    def _refuse(self) -> None:
        if self._transport is None:
            return
        if self._answering is None and not self._waiting:
            self._transport.write(response(self._refusal, b"", (), keep_alive=False))
        self._transport.close()

    def _proceed(self) -> None:
        """Hand over what waits, until the handler keeps one to answer it later."""
        if self._proceeding:
            return
        self._proceeding = True
        while self._answering is None and self._waiting:
            exchange = self._waiting.popleft()
            self._answering = exchange
            self._server.take(exchange)
        self._proceeding = False

    def _send(self, exchange: Exchange, answer: bytes) -> None:
        if self._transport is None:
            return
        self._transport.write(answer)
        self._answering = None
        if not exchange.keep_alive:
            self._transport.close()
            return
        if self._in_headers and not self._header_fed:
            idle_s = self._limits.idle_s
            self.deadline = math.inf if idle_s is None else self._loop.time() + idle_s
        self._proceed()
