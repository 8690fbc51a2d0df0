"""Stops every process of a control group and lets them go on, under cgroup v1 and v2.

Linux: Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst, and cgroup-v2.rst, "cgroup.freeze".
"""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

# By the name of the file: the text that stops them, and the one that lets them go on.
_FILES = {"freezer.state": (b"FROZEN", b"THAWED"), "cgroup.freeze": (b"1", b"0")}


class Freezer:
    """The freezer of one group. Its methods never raise, also where the group has none, or is gone.

    Attributes:
        thawing: what lets the processes go on when it is written to `handle`.
    """

    def __init__(self, folder: Path) -> None:
        self.thawing = self._freezing = b""
        self._fd = -1
        self._lock = threading.Lock()  # a closed descriptor may be another file
        for file, texts in _FILES.items():
            with contextlib.suppress(OSError):
                self._fd = os.open(folder / file, os.O_WRONLY | os.O_CLOEXEC)
                self._freezing, self.thawing = texts

    def freeze(self) -> None:
        """Stop every process until `thaw`, as Lambda does between events; the kernel does so while this returns."""
        self._write(self._freezing)

    def thaw(self) -> None:
        self._write(self.thawing)

    def handle(self) -> int | None:
        """A descriptor for another process; None where there is no freezer. The caller closes it."""
        return os.dup(self._fd) if self._fd >= 0 else None

    def close(self) -> None:
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

    def _write(self, text: bytes) -> None:
        with self._lock, contextlib.suppress(OSError):
            if self._fd >= 0:
                os.pwrite(self._fd, text, 0)


def thaw(folder: Path) -> None:
    """Let the processes of the group at *folder* go on. In v1 a frozen process does not even die."""
    with contextlib.closing(Freezer(folder)) as freezer:
        freezer.thaw()


def keep_frozen(folder: Path) -> None:
    """Make a group of v1 without processes, and freeze it.

    When the first group of a machine freezes, and when the last one thaws, the kernel rewrites its own code on every
    processor (`freezer_active` in kernel/cgroup/legacy_freezer.c is a static branch): 50 µs of the writer's CPU time,
    twice for every event. While a group stays frozen each takes 7 µs.

    Raises:
        OSError: the kernel refuses.
    """
    folder.mkdir(exist_ok=True)
    with contextlib.closing(Freezer(folder)) as freezer:
        freezer.freeze()
