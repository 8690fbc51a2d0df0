"""The control groups that this process lives in, in cgroup v1, v2 or both."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import NamedTuple


class Lineage(NamedTuple):
    """The topmost group of what is visible here, and this process's own in it."""

    top: Path
    own: Path


def lineage(controller: str, root: Path = Path("/")) -> Lineage | None:
    """Where *controller* (`cpu`, `memory`) puts this process; None where there are no control groups for it.

    Args:
        root: where the file system begins; another one in tests.
    """
    try:
        memberships = (root / f"proc/{os.getpid()}/cgroup").read_text(errors="replace")
        mountinfo = (root / "proc/self/mountinfo").read_text(errors="replace")
    except OSError:
        return None
    own: dict[str, str] = {}  # by controller; that of v2 has no name
    for line in memberships.splitlines():
        # 4:cpu,cpuacct:/docker/… in v1, 0::/user.slice/… in v2
        _, names, group = line.split(":", 2)
        own |= dict.fromkeys(names.split(","), group)
    kind = "cgroup" if controller in own else "cgroup2"
    path = PurePosixPath(own.get(controller, own.get("", "/..")))
    for line in mountinfo.splitlines():
        # 33 32 0:28 ROOT POINT options [tags …] - TYPE source SUPER_OPTIONS      (proc_pid_mountinfo(5))
        before, _, after = line.partition(" - ")
        words = after.split(" ")
        if words[0] != kind or (kind == "cgroup" and controller not in words[-1].split(",")):
            continue
        seen, point = (_unescaped(word) for word in before.split(" ")[3:5])
        # A path like /../other lies outside this namespace.
        if ".." not in path.parts and path.is_relative_to(seen):
            top = root / point.lstrip("/")
            return Lineage(top, top / path.relative_to(seen))
    return None


def _unescaped(text: str) -> str:
    """Spaces and the like stand in mountinfo as three octal digits."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)
