"""A bare HTTP server for tests, and clients that send what they like."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator

from lambda_local.http import Exchange, HttpLimits, HttpServer
from lambda_local.http.server import listen_on_loopback
from tests.lambda_local.serving import loop_in_thread

LIMITS = HttpLimits(header_bytes=4096, body_bytes=1000, connections=8, header_s=0.2, request_s=0.4, idle_s=0.6)


@contextlib.contextmanager
def echoing(
    handle: Callable[[Exchange], None], limits: HttpLimits = LIMITS, judge: Callable[[Exchange], int] | None = None
) -> Iterator[int]:
    """A bare server in a thread of its own; yields its port."""
    listener = listen_on_loopback(0)

    async def start() -> HttpServer:
        server = HttpServer(handle, limits, judge)
        await server.listen(listener)
        return server

    async def end(server: HttpServer) -> None:
        server.close()

    with loop_in_thread() as run:
        server = run(start())
        try:
            yield listener.getsockname()[1]
        finally:
            run(end(server))


def echo(exchange: Exchange) -> None:
    request = exchange.request
    exchange.answer(200, f"{request.method} {request.path} {len(request.body)} {request.too_large}".encode())


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def talk(port: int, *parts: bytes) -> bytes:
    """Send the parts, and read until the server closes or has nothing more to say."""
    with connect(port) as client_:
        with contextlib.suppress(OSError):
            for part in parts:
                client_.sendall(part)
        return rest(client_)


def rest(client_: socket.socket) -> bytes:
    received = b""
    with contextlib.suppress(OSError):
        while chunk := client_.recv(65536):
            received += chunk
    return received


def closing(request: bytes) -> bytes:
    return request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)
