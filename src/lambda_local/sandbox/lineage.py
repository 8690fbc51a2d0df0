"""The control groups that a process lives in, in cgroup v1, v2 or both."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True)
class _Mount:
    """One mounted cgroup hierarchy: which part of it is visible, and where."""

    root: PurePosixPath
    point: Path
    controllers: frozenset[str]  # empty for v2


def cgroup_folders(pid: int, controller: str, root: Path = Path("/")) -> list[Path]:
    """The folders of the groups that *controller* (`cpu`, `memory`) puts this process in, its own first, then upwards.

    Ancestors outside a container's view are not visible and not in the list. It is empty where there are no control
    groups, or the process is gone.

    Args:
        root: where the file system begins; another one in tests.
    """
    try:
        memberships = (root / f"proc/{pid}/cgroup").read_text(errors="replace")
        mountinfo = (root / "proc/self/mountinfo").read_text(errors="replace")
    except OSError:
        return []
    return list(_folders(memberships, mountinfo, controller, root))


# Asked once for every controller.
@functools.lru_cache(maxsize=16)
def _folders(memberships: str, mountinfo: str, controller: str, root: Path) -> list[Path]:
    mounts = _mounts(mountinfo, root)
    unified: str | None = None
    for line in memberships.splitlines():
        # 4:cpu,cpuacct:/docker/… in v1, 0::/user.slice/… in v2
        number, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if controller in names.split(","):
            return _lineage(path, [mount for mount in mounts if controller in mount.controllers])
        if number == "0" and not names:
            unified = path
    if unified is None:
        return []
    return _lineage(unified, [mount for mount in mounts if not mount.controllers])


def _mounts(mountinfo: str, root: Path) -> list[_Mount]:
    mounts: list[_Mount] = []
    for line in mountinfo.splitlines():
        # 33 32 0:28 ROOT POINT options [tags …] - TYPE source SUPER_OPTIONS      (proc_pid_mountinfo(5))
        before, _, after = line.partition(" - ")
        fields, kind_fields = before.split(" "), after.split(" ")
        if len(fields) < 5 or not kind_fields[0].startswith("cgroup"):
            continue
        version_2 = kind_fields[0] == "cgroup2"
        controllers = frozenset() if version_2 else frozenset(kind_fields[-1].split(","))
        point = root / _unescaped(fields[4]).lstrip("/")
        mounts.append(_Mount(PurePosixPath(_unescaped(fields[3])), point, controllers))
    return mounts


def _lineage(path: str, mounts: list[_Mount]) -> list[Path]:
    for mount in mounts:
        # A path like /../other lies outside this namespace.
        if ".." in PurePosixPath(path).parts or not PurePosixPath(path).is_relative_to(mount.root):
            continue
        folder = mount.point / PurePosixPath(path).relative_to(mount.root)
        lineage = [folder]
        while folder != mount.point:
            folder = folder.parent
            lineage.append(folder)
        return lineage
    return []


def _unescaped(text: str) -> str:
    """Spaces and the like stand in mountinfo as three octal digits."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)
