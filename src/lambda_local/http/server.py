"""A listening socket, its connections, and their deadlines."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from lambda_local.errors import WrongUse
from lambda_local.http.connection import Connection
from lambda_local.http.messages import Exchange, HttpLimits

# One timer for all connections instead of one per request.
_CHECK_EVERY_S = 1.0
_READ_BYTES = 64 * 1024
_BACKLOG = 512
LOOPBACK = "127.0.0.1"


class HttpServer:
    """Serves one listening socket in the running event loop.

    The handler is called with each complete request; it may answer later. Exceptions are answered with 500.
    """

    def __init__(
        self, handle: Callable[[Exchange], None], limits: HttpLimits, judge: Callable[[Exchange], int] | None = None
    ) -> None:
        """Args: *judge* is called with complete headers. It returns the maximum size of the body, or answers: then the
        body is not read, and the connection is closed.
        """
        self.limits = limits
        self.judge = judge
        # Shared: asyncio would allocate 256 KiB per read, which can take the kernel 15 µs.
        self.buffer = memoryview(bytearray(_READ_BYTES))
        self._handle = handle
        self._loop = asyncio.get_running_loop()
        self._connections: set[Connection] = set()
        self._held = 0
        self._server: asyncio.Server | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def listen(self, listener: socket.socket) -> None:
        """Serve this socket until `close`, which closes it."""
        self._server = await self._loop.create_server(lambda: Connection(self), sock=listener)
        self._check_deadlines()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._server is not None:
            self._server.close()
        for connection in list(self._connections):
            connection.abort()

    def admit(self, connection: Connection) -> bool:
        """Add a connection, replacing the one that was idle longest if necessary; False if none is idle."""
        if len(self._connections) >= self.limits.connections:
            idle = [connection for connection in self._connections if connection.idle]
            if not idle:
                return False
            oldest = min(idle, key=lambda connection: (not connection.refused, connection.received_ns))
            self._connections.discard(oldest)
            oldest.abort()
        self._connections.add(connection)
        return True

    def hold(self, size: int) -> None:
        self._held += size

    def release(self, size: int) -> None:
        self._held -= size

    def make_room(self) -> None:
        """Refuse the largest unfinished requests until the others fit the limit."""
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
        except Exception as error:  # a bug must not stop the server
            exchange.answer_json(500, {"Type": "Service", "message": f"internal error of the local Lambda: {error!r}"})

    def _check_deadlines(self) -> None:
        now = self._loop.time()
        for connection in [connection for connection in self._connections if connection.deadline < now]:
            connection.abort()
        self._timer = self._loop.call_later(_CHECK_EVERY_S, self._check_deadlines)


def listen_on_loopback(port: int) -> socket.socket:
    """Listen on loopback only, since callers can run programs here; port 0 chooses a free one.

    Raises:
        WrongUse: the port is in use or invalid.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) else "not a port"
        raise WrongUse(f"cannot listen on port {port}: {reason}", "use --port 0 for a free one") from error
    return listener
