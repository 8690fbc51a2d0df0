"""The network of functions: forwards connections to the addresses that the server's owner allows.

Inside an instance an allowed address is 127.0.0.1 with the same port. The server has the listening socket in the
instance's network namespace, and forwards its connections.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Coroutine
from typing import Any, cast

_HIGH_WATER = 256 * 1024
_CONNECTIONS = 128  # per instance and address: each needs two descriptors


class Forwarder:
    """One allowed address, for one instance."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._server: asyncio.Server | None = None
        self._ends: set[_End] = set()

    async def open(self, listener: socket.socket) -> None:
        self._server = await asyncio.get_running_loop().create_server(self._inner, sock=listener)

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for end in list(self._ends):
            end.abort()

    def _inner(self) -> _End:
        inner, outer = _End(self._ends), _End(self._ends)
        inner.other, outer.other = outer, inner
        inner.connect = lambda: asyncio.get_running_loop().create_connection(lambda: outer, self._host, self._port)
        return inner


class _End(asyncio.Protocol):
    """One end of a forwarded connection. The inner one, when connected, connects the outer one."""

    def __init__(self, ends: set[_End]) -> None:
        self.other: _End | None = None
        self.connect: Callable[[], Coroutine[Any, Any, Any]] | None = None
        self._ends = ends
        self._ended = False
        self._transport: asyncio.Transport | None = None
        self._connecting: asyncio.Task[None] | None = None

    def abort(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
        if self._transport is not None:
            self._transport.abort()

    def reset(self) -> None:
        """Close with a reset, so that the peer sees an error."""
        if self._transport is not None:
            linger = struct.pack("ii", 1, 0)
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        if self.connect is not None and len(self._ends) >= 2 * _CONNECTIONS:
            self._transport.abort()
            return
        self._ends.add(self)
        self._transport.set_write_buffer_limits(_HIGH_WATER)
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.connect is not None:
            loop = asyncio.get_running_loop()
            # Pause until the outer end is connected. Deferred, since Python up to 3.11.3 reads after this method even
            # if paused (https://github.com/python/cpython/issues/103607), and the first data would be lost.
            loop.call_soon(self._transport.pause_reading)
            self._connecting = loop.create_task(self._connect())

    def data_received(self, data: bytes) -> None:
        if self.other is not None and self.other._transport is not None:
            self.other._transport.write(data)

    def eof_received(self) -> bool:
        if self.other is not None and self.other._transport is not None and self.other._transport.can_write_eof():
            self.other._transport.write_eof()
        self._ended = True
        return self.other is None or not self.other._ended  # the other direction may stay open

    def pause_writing(self) -> None:
        if self.other is not None and self.other._transport is not None:
            self.other._transport.pause_reading()

    def resume_writing(self) -> None:
        if self.other is not None and self.other._transport is not None:
            self.other._transport.resume_reading()

    def connection_lost(self, error: Exception | None) -> None:
        self._ends.discard(self)
        self._transport = None
        if self.other is not None and self.other._transport is not None:
            if error is not None:
                self.other.reset()  # a truncated answer must not look complete
            else:
                self.other._transport.close()

    async def _connect(self) -> None:
        assert self.connect is not None
        try:
            await self.connect()
        except OSError:  # connection refused
            self.reset()
        else:
            self._connected()

    def _connected(self) -> None:
        if self._transport is not None:
            self._transport.resume_reading()
        elif self.other is not None:  # the function disconnected meanwhile
            self.other.abort()
