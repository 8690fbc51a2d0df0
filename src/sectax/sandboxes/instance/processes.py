"""A program that runs in an instance, as its owner sees it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import weakref

_KILLED_WITH_THE_INSTANCE = -signal.SIGKILL


class InstanceProcess:
    """A program in an instance. Its methods may be called from any thread, also after the instance's end."""

    def __init__(self, pidfd: int, status: int) -> None:
        """Take over a pidfd and the pipe on which init will write the exit status."""
        self.pid = _pid_of(pidfd)  # as the machine sees it
        self._pidfd = pidfd
        self._status = status
        os.set_blocking(status, False)
        self._exit: int | None = None
        self._lock = threading.Lock()
        # Not closed by `Instance.destroy`: another thread may be waiting on them.
        weakref.finalize(self, _close, pidfd, status)

    def fileno(self) -> int:
        """A descriptor that becomes readable when the program has ended: for select, poll and asyncio."""
        return self._status

    def poll(self) -> int | None:
        """The exit status, negative for the signal that ended it; None while it runs. Never blocks.

        A program that ended with its instance was killed: -9.
        """
        with self._lock:
            if self._exit is None:
                with contextlib.suppress(BlockingIOError):
                    text = os.read(self._status, 16)
                    self._exit = int(text) if text else _KILLED_WITH_THE_INSTANCE
            return self._exit

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait up to *timeout* seconds (None: as long as it takes) for the end; the status as `poll` says it."""
        if self._exit is None:
            waiting = select.poll()
            waiting.register(self._status, select.POLLIN)
            waiting.poll(None if timeout is None else max(0.0, timeout) * 1000)
        return self.poll()

    def kill(self, signum: int = signal.SIGKILL) -> None:
        """Send a signal to this one program; one that has ended already is no error."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signum)


def _pid_of(pidfd: int) -> int:
    with open(f"/proc/self/fdinfo/{pidfd}") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name == "Pid":
                return int(value)
    raise OSError("the kernel does not say which process a pidfd is of")


def _close(*descriptors: int) -> None:
    for fd in descriptors:
        os.close(fd)
