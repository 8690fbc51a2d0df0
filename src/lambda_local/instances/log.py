"""The log of an instance: what its programs write, between the platform's own lines."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import math
import os
import termios

from lambda_local.function import LATEST
from lambda_local.instances.invocation import Measured

TAIL_BYTES = 4096  # as much as Invoke gives back with LogType=Tail

_CHUNK = 64 * 1024
# Read at the end of an invocation at most: a pipe holds 64 KiB, and a program that writes on must not hold us up.
_DRAIN_CHUNKS = 16
_NOTHING = bytes(4)  # as the kernel writes that no byte waits


class InstanceLog:
    """A pipe that runtime and extensions write to, of which the last part is kept."""

    def __init__(self) -> None:
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

    def keep(self, tail: bytes) -> None:
        """Begin with what the log of another instance ended with."""
        self._tail += tail

    def drain(self) -> None:
        """Take in what has been written up to now: a program writes its log before it sends its answer."""
        for _ in range(_DRAIN_CHUNKS):
            # To read what is empty is an exception, and takes longer.
            if self._reading < 0 or fcntl.ioctl(self._reading, termios.FIONREAD, _NOTHING) == _NOTHING:
                return
            self._read()

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

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            chunk = os.read(self._reading, _CHUNK)
            if not chunk:  # nobody is left to write; a readable end of file would wake the loop for ever
                self._loop.remove_reader(self._reading)
                return
            # awslambdaric parts the lines of a stack with \r, so that CloudWatch keeps them as one message.
            chunk = chunk.replace(b"\r", b"\n")
            self._tail += chunk
            del self._tail[:-TAIL_BYTES]


def start_line(request_id: str) -> str:
    """The line before the function's own."""
    return f"START RequestId: {request_id} Version: {LATEST}\n"


def init_timeout_line(init_s: float) -> str:
    """The line of an init phase that did not end in its time."""
    return f"INIT_REPORT Init Duration: {init_s * 1e3:.2f} ms\tPhase: init\tStatus: timeout\n"


def end_line(request_id: str) -> str:
    """The line after the function's own."""
    return f"END RequestId: {request_id}\n"


def report_line(measured: Measured, memory_mb: int, status: str = "") -> str:
    """The line that bills are made of.

    Args:
        memory_mb: the function's memory.
        status: empty, "timeout", or the type of the error that ended the instance.
    """
    init_s = measured.init_s or 0.0
    fields = [
        f"REPORT RequestId: {measured.request_id}",
        f"Duration: {measured.duration_s * 1e3:.2f} ms",
        f"Billed Duration: {measured.billed_ms} ms",
        f"Memory Size: {memory_mb} MB",
    ]
    if measured.max_memory_bytes is not None:
        fields.append(f"Max Memory Used: {min(memory_mb, math.ceil(measured.max_memory_bytes / 2**20))} MB")
    if measured.init_s is not None:
        fields.append(f"Init Duration: {init_s * 1e3:.2f} ms")
    if status == "timeout":
        fields.append("Status: timeout")
    elif status:
        fields += ["Status: error", f"Error Type: {status}"]
    return "\t".join(fields) + "\t\n"
