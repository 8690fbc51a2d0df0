"""The log of an instance: what its programs write, between the platform's own lines."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import functools
import math
import os
import sys
import termios

from lambda_local.function import LATEST
from lambda_local.instances.invocation import Measured

TAIL_BYTES = 4096  # as much as Invoke gives back with LogType=Tail

_CHUNK = 64 * 1024
_PIPE = 1024 * 1024  # what is in it counts as the writer's memory
_NOTHING = bytes(4)  # as the kernel writes that no byte waits
# A program may write at the server's expense: so many bytes in so many seconds, a read counting for at least the last
# number. Past it the writer waits, and every few milliseconds all but the end of what waits is counted and dropped.
_BUDGET, _WINDOW_S, _LEAST = 1024 * 1024, 0.1, 16 * 1024
_PAUSE_S = 0.01


class InstanceLog:
    """A pipe that runtime and extensions write to, of which the last part is kept."""

    def __init__(self) -> None:
        self._reading, self.writing = os.pipe()
        os.set_blocking(self._reading, False)
        with contextlib.suppress(OSError):  # this user has too many
            fcntl.fcntl(self._reading, fcntl.F_SETPIPE_SZ, _PIPE)
        self._tail = bytearray()
        self._since = 0.0
        self._spent = 0
        self._too_much = False
        self._dropped_lines = self._dropped_bytes = 0
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
        if self._reading < 0:
            return
        # To read what is empty is an exception, and takes longer.
        waiting = fcntl.ioctl(self._reading, termios.FIONREAD, _NOTHING)
        if waiting == _NOTHING:
            return
        ahead = int.from_bytes(waiting, sys.byteorder) - TAIL_BYTES
        if self._too_much:
            self._drop(ahead)
        elif ahead > 0:
            os.splice(self._reading, _nowhere(), ahead)
        self._take_in()

    def dropped(self) -> tuple[int, int]:
        """The lines, and the bytes, that were too many since the last call; said in the log, too."""
        lines, number = self._dropped_lines, self._dropped_bytes
        self._dropped_lines = self._dropped_bytes = 0
        if number:
            self.say(f"{lines} lines ({number} bytes) dropped\n")
        return lines, number

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
        now = self._loop.time()
        if now - self._since > _WINDOW_S:
            self._since, self._spent = now, 0
        self._spent += max(_LEAST, self._take_in())
        if self._spent > _BUDGET and self._reading >= 0:
            self._too_much = True
            self._loop.remove_reader(self._reading)
            self._loop.call_later(_PAUSE_S, self._after_pause)

    def _after_pause(self) -> None:
        if self._reading < 0:
            return
        self.drain()
        if self._loop.time() - self._since > _WINDOW_S:
            self._too_much = False
            self._loop.add_reader(self._reading, self._read)
        else:
            self._loop.call_later(_PAUSE_S, self._after_pause)

    def _drop(self, ahead: int) -> None:
        """Count what is not looked at; the end of a pipe that was full before may be in it."""
        while ahead > 0 and (chunk := os.read(self._reading, min(ahead, _CHUNK))):
            self._dropped_lines += chunk.count(b"\n")
            self._dropped_bytes += len(chunk)
            ahead -= len(chunk)

    def _take_in(self) -> int:
        with contextlib.suppress(BlockingIOError):
            chunk = os.read(self._reading, _CHUNK)
            if not chunk:  # nobody is left to write; a readable end of file would wake the loop for ever
                self._loop.remove_reader(self._reading)
            # awslambdaric parts the lines of a stack with \r, so that CloudWatch keeps them as one message.
            self._tail += chunk[-TAIL_BYTES:].replace(b"\r", b"\n")
            del self._tail[:-TAIL_BYTES]
            return len(chunk)
        return 0


@functools.cache
def _nowhere() -> int:
    return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)


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
