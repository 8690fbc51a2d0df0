"""Control groups of a process (v1, v2 or both) and counters of the machine."""

from __future__ import annotations

import functools
import math
import os
import re
import time
import weakref
from pathlib import Path, PurePosixPath
from typing import ClassVar


def cgroup_folders(pid: int, controller: str, root: Path = Path("/")) -> list[Path]:
    """Folders of a process's groups for *controller*, its own first.

    Empty without control groups, or if the process has ended.
    """
    try:
        memberships = (root / f"proc/{pid}/cgroup").read_text(errors="replace")
        mountinfo = (root / "proc/self/mountinfo").read_text(errors="replace")
    except OSError:
        return []
    return list(_folders(memberships, mountinfo, controller, root))


# The same for every process of a run.
@functools.lru_cache(maxsize=16)
def _folders(memberships: str, mountinfo: str, controller: str, root: Path) -> list[Path]:
    own: dict[str, str] = {}  # by controller; empty for v2
    for line in memberships.splitlines():
        # 4:cpu,cpuacct:/docker/… in v1, 0::/user.slice/… in v2
        names, _, path = line.partition(":")[2].partition(":")
        own |= dict.fromkeys(names.split(","), path)
    kind = "cgroup" if controller in own else "cgroup2"
    group = PurePosixPath(own.get(controller, own.get("", "/..")))
    for line in mountinfo.splitlines():
        # 33 32 0:28 ROOT POINT options [tags …] - TYPE source SUPER_OPTIONS      (proc_pid_mountinfo(5))
        before, _, after = line.partition(" - ")
        fields, kind_fields = before.split(" "), after.split(" ")
        if len(fields) < 5 or kind_fields[0] != kind:
            continue
        if kind == "cgroup" and controller not in kind_fields[-1].split(","):
            continue
        top, point = (_unescaped(field) for field in fields[3:5])
        # A path such as /../other is outside of this namespace.
        if ".." not in group.parts and group.is_relative_to(top):
            folder = root / point.lstrip("/")
            below = group.relative_to(top)
            return [folder / below, *(folder / parent for parent in below.parents)]
    return []


def _unescaped(text: str) -> str:
    """Decode octal escapes in mountinfo."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


_COUNT = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)


class MemoryKills:
    """The kernel's counts of out-of-memory kills, of the machine or a cgroup.

    Counters do not name processes. An increase is taken as the cause if a child was killed by SIGKILL, not by sectax.
    """

    def __init__(self, pid: int, root: Path = Path("/")) -> None:
        self._files = [root / "proc/vmstat"]
        self._before = self._counts()
        if not self._before:
            for folder in cgroup_folders(pid, "memory", root):
                self._files += [folder / "memory.events", folder / "memory.oom_control"]  # v2, v1
            self._before = self._counts()

    def have_grown(self) -> bool:
        return any(count > self._before.get(path, 0) for path, count in self._counts().items())

    def _counts(self) -> dict[Path, int]:
        counts: dict[Path, int] = {}
        for path in self._files:
            try:
                text = path.read_text(errors="replace")
            except OSError:
                continue
            if match := _COUNT.search(text):
                counts[path] = int(match[1])
        return counts


# Bytes: more than the needed part of any file here.
ENOUGH = 16 * 1024
_JUST_NOW_S = 0.001


def open_counter(path: Path) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def number_after(text: bytes, label: bytes) -> int | None:
    start = text.find(label) + len(label)
    if start < len(label):
        return None
    word = text[start : start + 32].split(None, 1)
    return int(word[0]) if word and word[0].isdigit() else None


class SharedCounters:
    """Counters shared by processes: steal, and throttling of CPU cgroups."""

    _known: ClassVar[weakref.WeakValueDictionary[tuple[Path, tuple[Path, ...]], SharedCounters]] = (
        weakref.WeakValueDictionary()
    )

    @classmethod
    def of(cls, root: Path, groups: tuple[Path, ...]) -> SharedCounters:
        """Shared counters of a machine and these groups."""
        counters = cls._known.get((root, groups))
        if counters is None:
            counters = cls._known[root, groups] = cls(root, groups)
        return counters

    def __init__(self, root: Path, groups: tuple[Path, ...]) -> None:
        self._stat = open_counter(root / "proc/stat")
        self._cpu_stats = [fd for group in groups if (fd := open_counter(group / "cpu.stat")) is not None]
        self._read_at = -math.inf
        self._last: tuple[int | None, int | None, int | None] = (None, None, None)

    def __del__(self) -> None:
        for fd in (self._stat, *self._cpu_stats):
            if fd is not None:
                os.close(fd)

    def read(self, allow_cached: bool = False) -> tuple[int | None, int | None, int | None]:
        """Ticks of steal, nanoseconds and periods of throttling; with *allow_cached*, at most a millisecond old."""
        now = time.monotonic()
        if not allow_cached or now - self._read_at > _JUST_NOW_S:
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
