"""The log of an instance: the end of what its programs write, between the platform's own lines."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import math
import os
import sys
import termios

from lambda_local.function import LATEST
from lambda_local.instances.invocation import InvocationMetrics

TAIL_BYTES = 4096  # as much as Invoke gives back with LogType=Tail

_PIPE = 1024 * 1024  # what is in it counts as the writer's memory
_NOTHING = bytes(4)  # as the kernel writes that no byte waits


class InstanceLog:
    """A pipe that runtime and extensions write to, of which the last part is kept.

    It is read when the platform says something, and as often as `drain` is called: who fills the pipe before, waits.
    What comes before the last 4 KiB is thrown away unread, so that a flood costs the server nothing.
    """

    def __init__(self) -> None:
        self._reading, self.writing = os.pipe()
        os.set_blocking(self._reading, False)
        with contextlib.suppress(OSError):  # this user has too many
            fcntl.fcntl(self._reading, fcntl.F_SETPIPE_SZ, _PIPE)
        self._tail = bytearray()

    def say(self, lines: str) -> None:
        """Write lines of the platform's, behind what has been written up to now."""
        self.drain()
        if self._tail and not self._tail.endswith(b"\n"):
            self._tail += b"\n"
        self._tail += lines.encode()

    def drain(self) -> None:
        if self._reading < 0:
            return
        # To read what is empty is an exception, and takes longer.
        waiting = fcntl.ioctl(self._reading, termios.FIONREAD, _NOTHING)
        if waiting == _NOTHING:
            return
        ahead = int.from_bytes(waiting, sys.byteorder) - TAIL_BYTES
        with contextlib.suppress(BlockingIOError):  # a program of this user has read it
            if ahead > 0:
                os.splice(self._reading, _nowhere(), ahead)
            # awslambdaric parts the lines of a stack with \r, so that CloudWatch keeps them as one message.
            self._tail += os.read(self._reading, TAIL_BYTES).replace(b"\r", b"\n")
        del self._tail[:-TAIL_BYTES]

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
        self.close_writing()
        if self._reading >= 0:
            os.close(self._reading)
            self._reading = -1


@functools.cache
def _nowhere() -> int:
    return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)


def start_line(request_id: str) -> str:
    return f"START RequestId: {request_id} Version: {LATEST}\n"


def end_line(request_id: str) -> str:
    return f"END RequestId: {request_id}\n"


def report_line(measured: InvocationMetrics, memory_mb: int, status: str = "") -> str:
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
