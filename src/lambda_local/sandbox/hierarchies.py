"""Finds where this process may create control groups, in cgroup v1, v2 or both."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from lambda_local.sandbox.limits import SandboxMissing
from lambda_local.settings import NAME


class Lineage(NamedTuple):
    """The topmost visible group, and this process's own group."""

    top: Path
    own: Path


def lineage(controller: str, root: Path = Path("/")) -> Lineage | None:
    """Return this process's groups for *controller* (`cpu`, `memory`); None if there are none.

    Args:
        root: root of the file system; another one in tests.
    """
    try:
        memberships = (root / f"proc/{os.getpid()}/cgroup").read_text(errors="replace")
        mountinfo = (root / "proc/self/mountinfo").read_text(errors="replace")
    except OSError:
        return None
    own: dict[str, str] = {}  # by controller; v2 has an empty name
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
        visible, point = (_unescaped(word) for word in before.split(" ")[3:5])
        # A path like /../other is outside this namespace.
        if ".." not in path.parts and path.is_relative_to(visible):
            top = root / point.lstrip("/")
            return Lineage(top, top / path.relative_to(visible))
    return None


def _unescaped(text: str) -> str:
    """Decode octal escapes of mountinfo."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


# Controllers of an instance. In v2 CPU time and the freezer need none.
FREEZER = "freezer"
# cpuset, since in v1 Java reads its memory limit only if that exists.
CONTROLLERS = ("cpu", "cpuacct", "memory", "pids", FREEZER, "cpuset")
_V2_CONTROLLERS = ("cpu", "memory", "pids")

_FOLDER = NAME  # the parent of all instances' groups
_OWN = f"{NAME}-owner"  # an owner in a delegated group moves itself here
DELEGATE = (
    "run as root, or have systemd delegate a group: systemd-run --user --scope -p Delegate=yes …"
    " (for the cpu controller, user@.service needs Delegate=cpu memory pids)"
)


@dataclass(frozen=True)
class Hierarchy:
    """The place for the groups of instances.

    Attributes:
        version: 1 or 2.
        parent: the folder of all instances; may not exist yet.
        above: in v2 the folder that must delegate its controllers to *parent*.
        move: in v2 the folder that this process must move to first, since a group with processes cannot delegate
            controllers; None if not necessary.
    """

    version: int
    parent: Path
    above: Path
    move: Path | None = None


def hierarchy(controller: str, root: Path = Path("/")) -> Hierarchy:
    """Return where groups for *controller* can be created: for root the topmost visible group, as container engines.

    Raises:
        SandboxMissing: the controller does not exist, or this user may not create groups.
    """
    groups = lineage(controller, root)
    if groups is None or not groups.top.is_dir():
        raise SandboxMissing(
            f"the kernel has no control groups for {controller} here",
            "mount the kernel's control groups (usually at /sys/fs/cgroup)",
        )
    top = groups.top
    if not (top / "cgroup.controllers").exists():
        if not os.access(top, os.W_OK):
            raise SandboxMissing(f"this user may not write to {top}", "run as root")
        return Hierarchy(1, top / _FOLDER, top)
    return _unified(controller, groups)


def _unified(controller: str, groups: Lineage) -> Hierarchy:
    top, own = groups
    # Only the machine's root group may have processes and delegate controllers; it has no type.
    if os.access(top, os.W_OK) and not (top / "cgroup.type").exists():
        place = Hierarchy(2, top / _FOLDER, top)
    else:
        group = own.parent if own.name == _OWN else own
        if not os.access(group / "cgroup.procs", os.W_OK) or not os.access(group, os.W_OK):
            raise SandboxMissing(f"the control group {group} does not belong to this user", DELEGATE)
        place = Hierarchy(2, group / _FOLDER, group, group / _OWN)
    if controller != FREEZER and controller not in _words(place.above / "cgroup.controllers"):
        raise SandboxMissing(f"the control group {place.above} has no {controller} controller", DELEGATE)
    return place


def prepare(place: Hierarchy) -> None:
    """Create the folder of all instances with its controllers.

    Raises:
        OSError: it is read-only, or the group has other processes (EBUSY).
    """
    place.parent.mkdir(exist_ok=True)
    if place.version == 1:
        inherit_cpuset(place.parent)
        return
    for folder in (place.above, place.parent):
        offered, active = _words(folder / "cgroup.controllers"), _words(folder / "cgroup.subtree_control")
        missing = [name for name in _V2_CONTROLLERS if name in offered and name not in active]
        if missing:
            if folder == place.above and place.move is not None:
                place.move.mkdir(exist_ok=True)
                write(place.move / "cgroup.procs", str(os.getpid()))
            write(folder / "cgroup.subtree_control", " ".join(f"+{name}" for name in missing))


def inherit_cpuset(folder: Path) -> None:
    """Copy the parent's cpuset to a new v1 group; no process can join before."""
    for name in ("cpuset.cpus", "cpuset.mems"):
        if not (read(folder / name) or "").strip() and (parent := read(folder.parent / name)):
            write(folder / name, parent.strip())


def write(path: Path, text: str) -> None:
    """Write to a file of the kernel, unbuffered, so that errors are raised here."""
    fd = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def read(path: Path) -> str | None:
    """Read a file of the kernel; None if it does not exist."""
    with contextlib.suppress(OSError):
        return path.read_text(errors="replace")
    return None


def _words(path: Path) -> list[str]:
    return (read(path) or "").split()
