"""Tells whether the kernel has killed for want of memory."""

from __future__ import annotations

import re
from pathlib import Path

from sectax.sandboxes.process.cgroups import cgroup_folders

_COUNT = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)


class MemoryKills:
    """The kernel's counters of such kills at one moment: of the whole machine, which holds those in control groups, or,
    where that is not told, of a process's control groups.

    No counter names its victims. Together with a child that died by SIGKILL, which sectax did not send, a count
    that grew during the child's life is taken as the cause.
    """

    def __init__(self, pid: int, root: Path = Path("/")) -> None:
        self._files = [root / "proc/vmstat"]
        self._before = self._counts()
        if not self._before:
            for folder in cgroup_folders(pid, "memory", root):
                self._files += [folder / "memory.events", folder / "memory.oom_control"]  # v2, v1
            self._before = self._counts()

    def have_grown(self) -> bool:
        """Whether any counter is higher than when this object was made."""
        return any(count > self._before.get(path, 0) for path, count in self._counts().items())

    def _counts(self) -> dict[Path, int]:
        counts: dict[Path, int] = {}
        for path in self._files:
            try:
                text = path.read_text(errors="replace")
            except OSError:
                continue
            if found := _COUNT.search(text):
                counts[path] = int(found[1])
        return counts
