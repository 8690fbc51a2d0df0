"""Counters of the kernel: opened once and read again and again; some are shared by many processes."""

from __future__ import annotations

import math
import os
import time
import weakref
from pathlib import Path
from typing import ClassVar

# Bytes: longer than any such file here, or than the part of it that is needed.
ENOUGH = 16 * 1024
_JUST_NOW_S = 0.001


def open_counter(path: Path) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def number_after(text: bytes, label: bytes) -> int | None:
    place = text.find(label)
    if place < 0:
        return None
    word = text[place + len(label) : place + len(label) + 32].split(None, 1)
    return int(word[0]) if word and word[0].isdigit() else None


class SharedCounters:
    """What processes share: steal of the machine, and throttling of one cpu group and all its ancestors."""

    _known: ClassVar[weakref.WeakValueDictionary[tuple[Path, tuple[Path, ...]], SharedCounters]] = (
        weakref.WeakValueDictionary()
    )

    @classmethod
    def of(cls, root: Path, groups: tuple[Path, ...]) -> SharedCounters:
        """The counters of the machine that begins at *root* and of these groups; the same ones for all who ask."""
        known = cls._known.get((root, groups))
        if known is None:
            known = cls._known[root, groups] = cls(root, groups)
        return known

    def __init__(self, root: Path, groups: tuple[Path, ...]) -> None:
        self._stat = open_counter(root / "proc/stat")
        self._cpu_stats = [fd for group in groups if (fd := open_counter(group / "cpu.stat")) is not None]
        self._read_at = -math.inf
        self._last: tuple[int | None, int | None, int | None] = (None, None, None)

    def __del__(self) -> None:
        for fd in (self._stat, *self._cpu_stats):
            if fd is not None:
                os.close(fd)

    def read(self, just_now: bool = False) -> tuple[int | None, int | None, int | None]:
        """Ticks of steal, nanoseconds and periods of throttling; *just_now*: as they were within a millisecond."""
        now = time.monotonic()
        if not just_now or now - self._read_at > _JUST_NOW_S:
            self._last = (self._read_steal(), *self._read_throttling())
            self._read_at = now
        return self._last

    def _read_steal(self) -> int | None:
        if self._stat is None:
            return None
        try:
            # cpu user nice system idle iowait irq softirq steal …, in ticks
            return int(os.pread(self._stat, ENOUGH, 0).split(b"\n", 1)[0].split()[8])
        except (OSError, ValueError, IndexError):
            return None

    def _read_throttling(self) -> tuple[int | None, int | None]:
        """Throttled time and periods, the sum over the process's cpu group and all its ancestors."""
        time_ns: int | None = None
        periods: int | None = None
        for fd in self._cpu_stats:
            try:
                text = b"\n" + os.pread(fd, ENOUGH, 0)
            except OSError:
                continue
            nanoseconds = number_after(text, b"\nthrottled_time ")  # v1
            if nanoseconds is None and (microseconds := number_after(text, b"\nthrottled_usec ")) is not None:
                nanoseconds = microseconds * 1000  # v2
            if nanoseconds is not None:
                time_ns = (time_ns or 0) + nanoseconds
            number = number_after(text, b"\nnr_throttled ")
            if number is not None:
                periods = (periods or 0) + number
        return time_ns, periods
