"""The log of an instance: the end of its programs' output, and the platform's lines."""

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

TAIL_BYTES = 4096  # the limit of Invoke with LogType=Tail

_PIPE = 1024 * 1024  # its content counts as the writer's memory
_NOTHING = bytes(4)  # the ioctl's result for an empty pipe


class InstanceLog:
    """A pipe for runtime and extensions, and the tail of their output.

    It is read before each of the platform's lines and by `drain`; a program that fills the pipe waits. Output before
    the last 4 KiB is dropped unread, so that a flood costs the server nothing.
    """

    def __init__(self) -> None:
        self._reading, self.writing = os.pipe()
        os.set_blocking(self._reading, False)
        with contextlib.suppress(OSError):  # the user's limit of pipe buffers
            fcntl.fcntl(self._reading, fcntl.F_SETPIPE_SZ, _PIPE)
        self._tail = bytearray()

    def say(self, lines: str) -> None:
        """Append lines of the platform."""
        self.drain()
        if self._tail and not self._tail.endswith(b"\n"):
            self._tail += b"\n"
        self._tail += lines.encode()

    def drain(self) -> None:
        if self._reading < 0:
            return
        # Faster than the exception of reading an empty pipe.
        waiting = fcntl.ioctl(self._reading, termios.FIONREAD, _NOTHING)
        if waiting == _NOTHING:
            return
        ahead = int.from_bytes(waiting, sys.byteorder) - TAIL_BYTES
        with contextlib.suppress(BlockingIOError):  # another program of this user read it
            if ahead > 0:
                os.splice(self._reading, _nowhere(), ahead)
            # awslambdaric separates lines of a traceback with \r, so that CloudWatch stores one message.
            self._tail += os.read(self._reading, TAIL_BYTES).replace(b"\r", b"\n")
        del self._tail[:-TAIL_BYTES]

    def take(self) -> bytes:
        """Return and clear the last 4 KiB; later output belongs to the next invocation."""
        tail = bytes(self._tail[-TAIL_BYTES:])
        self._tail.clear()
        return tail

    def close_writing(self) -> None:
        """Close the server's copy of the write end."""
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
    """Return Lambda's REPORT line.

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
