"""A listening socket, its connections, and the clock that gives slow clients up."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from lambda_local.errors import WrongUse
from lambda_local.http.connection import Connection
from lambda_local.http.messages import Exchange, HttpLimits

# How often deadlines are looked at: one timer for all connections instead of one for each request.
_LOOK_EVERY_S = 1.0
_READ_BYTES = 64 * 1024
_BACKLOG = 512
LOOPBACK = "127.0.0.1"


class HttpServer:
    """Serves one listening socket in the running event loop.

    The handler is called with every request that has come whole; it answers at once or keeps the exchange for later.
    What it raises is answered with 500.
    """

    def __init__(
        self, handle: Callable[[Exchange], None], limits: HttpLimits, judge: Callable[[Exchange], int] | None = None
    ) -> None:
        """Args: *judge* is called as soon as the headers of a request have come. It returns how many bytes the body may
        have, or answers: then the body is not read, and the connection ends.
        """
        self.limits = limits
        self.judge = judge
        # One for all connections: asyncio would have 256 KiB allocated for every read, which takes the kernel 15 µs
        # wherever the heap has no such room.
        self.buffer = memoryview(bytearray(_READ_BYTES))
        self._handle = handle
        self._loop = asyncio.get_running_loop()
        self._connections: set[Connection] = set()
        self._held = 0
        self._server: asyncio.Server | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def listen(self, listener: socket.socket) -> None:
        """Serve this socket from now on; it is closed by `close`."""
        self._server = await self._loop.create_server(lambda: Connection(self), sock=listener)
        self._look()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._server is not None:
            self._server.close()
        for connection in list(self._connections):
            connection.abort()

    def admit(self, connection: Connection) -> bool:
        """Take a connection in, if need be for the one that was silent longest; False where all others wait for us."""
        if len(self._connections) >= self.limits.connections:
            idle = [connection for connection in self._connections if connection.idle]
            if not idle:
                return False
            oldest = min(idle, key=lambda connection: (not connection.parted, connection.heard_ns))
            self._connections.discard(oldest)
            oldest.abort()
        self._connections.add(connection)
        return True

    def hold(self, size: int) -> None:
        self._held += size

    def release(self, size: int) -> None:
        self._held -= size

    def make_room(self) -> None:
        """Refuse the largest unfinished requests until the rest may stay."""
        while self._held > self.limits.held_bytes:
            largest = max(self._connections, key=lambda connection: connection.held, default=None)
            if largest is None or not largest.held:
                return
            largest.refuse(503)

    def forget(self, connection: Connection) -> None:
        self._connections.discard(connection)

    def take(self, exchange: Exchange) -> None:
        try:
            self._handle(exchange)
        except Exception as error:  # a fault of ours must not end the server, and the client must hear of it
            exchange.answer_json(500, {"Type": "Service", "message": f"a fault of the local Lambda: {error!r}"})

    def _look(self) -> None:
        now = self._loop.time()
        for connection in [connection for connection in self._connections if connection.deadline < now]:
            connection.abort()
        self._timer = self._loop.call_later(_LOOK_EVERY_S, self._look)


def listen_on_loopback(port: int) -> socket.socket:
    """A listening socket on this machine's loopback and nowhere else: a caller of the service may run programs here.

    Args:
        port: 0 takes a free one.
    Raises:
        WrongUse: the port is taken.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) else "there is no such port"
        raise WrongUse(f"cannot listen on port {port}: {reason}", "--port 0 takes a free one") from error
    return listener
