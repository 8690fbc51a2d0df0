"""The log of an instance: what its programs write, between the platform's own lines."""

from __future__ import annotations

import asyncio
import contextlib
import os

from sectax.stack.lambda_service.instances.log_output import InstanceLines

TAIL_BYTES = 4096  # as much as Invoke gives back with LogType=Tail

_CHUNK = 64 * 1024
# Read at the end of an invocation at most: a pipe holds 64 KiB, and a program that writes on must not hold us up.
_DRAIN_CHUNKS = 16


class InstanceLog:
    """A pipe that runtime and extensions write to, of which the last part is kept."""

    def __init__(self, lines: InstanceLines | None) -> None:
        """Args: *lines* gets everything that is written, too."""
        self._lines = lines
        self._reading, self.writing = os.pipe()
        os.set_blocking(self._reading, False)
        self._tail = bytearray()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._reading, self._read)

    def say(self, line: str) -> None:
        """Write a line of the platform's, on a line of its own."""
        if self._tail and not self._tail.endswith(b"\n"):
            self._tail += b"\n"
        self._tail += line.encode()
        if self._lines is not None:
            self._lines.end_line()
            self._lines.put(line.encode())

    def keep(self, tail: bytes) -> None:
        """Begin with what the log of another instance ended with; it has gone out from there."""
        self._tail += tail

    def drain(self) -> None:
        """Take in what has been written up to now: a program writes its log before it sends its answer."""
        for _ in range(_DRAIN_CHUNKS):
            if not self._read():
                return

    def take(self) -> bytes:
        """The last 4 KiB since the last call; what comes later belongs to the next invocation."""
        tail = bytes(self._tail[-TAIL_BYTES:])
        self._tail.clear()
        return tail

    def close_writing(self) -> None:
        """Let the programs alone hold the pipe's other end."""
        if self.writing >= 0:
            os.close(self.writing)
            self.writing = -1

    def close(self) -> None:
        """Stop listening."""
        self.close_writing()
        if self._reading >= 0:
            self._loop.remove_reader(self._reading)
            os.close(self._reading)
            self._reading = -1

    def _read(self) -> bool:
        """Take one chunk; whether there was any."""
        if self._reading < 0:
            return False
        with contextlib.suppress(BlockingIOError):
            chunk = os.read(self._reading, _CHUNK)
            if not chunk:  # nobody is left to write; a readable end of file would wake the loop for ever
                self._loop.remove_reader(self._reading)
                return False
            # awslambdaric parts the lines of a stack with \r, so that CloudWatch keeps them as one message.
            chunk = chunk.replace(b"\r", b"\n")
            if self._lines is not None:
                self._lines.put(chunk)
            self._tail += chunk
            del self._tail[:-TAIL_BYTES]
            return True
        return False
