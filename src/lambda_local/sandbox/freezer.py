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
    """The freezer of one group. Made by `open_freezer`; its methods never raise, also when the group is gone."""

    def __init__(self, fd: int, freezing: bytes, thawing: bytes) -> None:
        self.thawing = thawing
        self._freezing = freezing
        self._fd = fd
        self._lock = threading.Lock()  # a closed descriptor may be another file

    def freeze(self) -> None:
        """Stop them; the kernel does so while this returns."""
        self._write(self._freezing)

    def thaw(self) -> None:
        self._write(self.thawing)

    def handle(self) -> int:
        """A descriptor for another process: writing `thawing` to it thaws. The caller closes it."""
        return os.dup(self._fd)

    def close(self) -> None:
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

    def _write(self, text: bytes) -> None:
        with self._lock, contextlib.suppress(OSError):
            if self._fd >= 0:
                os.pwrite(self._fd, text, 0)


def open_freezer(folder: Path) -> Freezer | None:
    for file, texts in _FILES.items():
        with contextlib.suppress(OSError):
            return Freezer(os.open(folder / file, os.O_WRONLY | os.O_CLOEXEC), *texts)
    return None


def thaw(folder: Path) -> None:
    """Let the processes of the group at *folder* go on. In v1 a frozen process does not even die."""
    freezer = open_freezer(folder)
    if freezer is not None:
        freezer.thaw()
        freezer.close()


def keep_frozen(folder: Path) -> None:
    """Make a group of v1 without processes, and freeze it.

    When the first group of a machine freezes, and when the last one thaws, the kernel rewrites its own code on every
    processor (`freezer_active` in kernel/cgroup/legacy_freezer.c is a static branch): 50 µs of the writer's CPU time,
    twice for every event. While a group stays frozen each takes 7 µs.

    Raises:
        OSError: the kernel refuses.
    """
    folder.mkdir(exist_ok=True)
    freezer = open_freezer(folder)
    if freezer is not None:
        freezer.freeze()
        freezer.close()
