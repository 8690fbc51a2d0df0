"""Freezes and thaws the processes of a control group, in cgroup v1 and v2.

Linux: Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst, and cgroup-v2.rst, "cgroup.freeze".
"""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

# File -> the text to freeze, and the text to thaw.
_FILES = {"freezer.state": (b"FROZEN", b"THAWED"), "cgroup.freeze": (b"1", b"0")}


class Freezer:
    """The freezer of one group. Methods never raise, even if the group has none or is gone.

    Attributes:
        thawing: the text that thaws the processes when written to `handle`.
    """

    def __init__(self, folder: Path) -> None:
        self.thawing = self._freezing = b""
        self._fd = -1
        self._lock = threading.Lock()  # a closed descriptor may be reused
        for file, texts in _FILES.items():
            with contextlib.suppress(OSError):
                self._fd = os.open(folder / file, os.O_WRONLY | os.O_CLOEXEC)
                self._freezing, self.thawing = texts

    def freeze(self) -> None:
        """Start freezing all processes, as Lambda does between events; returns before they are frozen."""
        self._write(self._freezing)

    def thaw(self) -> None:
        self._write(self.thawing)

    def handle(self) -> int | None:
        """Return a descriptor for another process, which the caller closes; None without a freezer."""
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
    """Thaw the group at *folder*; in v1 frozen processes cannot die."""
    with contextlib.closing(Freezer(folder)) as freezer:
        freezer.thaw()


def keep_frozen(folder: Path) -> None:
    """Create and freeze an empty v1 group, which makes other freezes cheaper. Raises `OSError`.

    When the first group of a machine freezes, and when the last one thaws, the kernel patches its code on all
    processors (`freezer_active` in kernel/cgroup/legacy_freezer.c is a static branch). This takes the writer 50 µs of
    CPU time, twice per event; with another frozen group it takes 7 µs.
    """
    folder.mkdir(exist_ok=True)
    with contextlib.closing(Freezer(folder)) as freezer:
        freezer.freeze()
