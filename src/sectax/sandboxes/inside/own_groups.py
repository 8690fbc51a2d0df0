"""The instance's own control groups at /sys/fs/cgroup, where runtimes such as Java's look for the memory they have."""

from __future__ import annotations

import os

from sectax.sandboxes.inside import kernel

_TOP = "sys/fs/cgroup"
# Java looks for all of them in v1.
_SHOWN = {"cpu", "cpuacct", "cpuset", "memory"}
_ATTRIBUTES = kernel.MOUNT_ATTR_RDONLY | kernel.MOUNT_ATTR_NOSUID | kernel.MOUNT_ATTR_NODEV


def make_places(own: str = "/proc/self/cgroup") -> list[tuple[str, str, str | None]]:
    """Make the folders in the current one, the later root: (target, kind of file system, options) of each.

    Args:
        own: where the kernel says which groups this process is in; another file in tests.
    """
    os.makedirs(_TOP)
    with open(own) as file:
        # 4:cpu,cpuacct:/docker/… in v1, 0::/user.slice/… in v2
        sets = [line.split(":")[1] for line in file]
    old = [names for names in sets if _SHOWN & set(names.split(","))]
    for names in old:
        os.mkdir(f"{_TOP}/{names}")
    return [(f"/{_TOP}/{names}", "cgroup", names) for names in old] or [(f"/{_TOP}", "cgroup2", None)]


def mount_own(places: list[tuple[str, str, str | None]], groups: list[int]) -> None:
    """Mount them read-only. What is mounted begins at the group of who mounts: a child of init's does, in the groups.

    Where the kernel refuses, programs see none, as without this.
    """
    child = os.fork()
    if child == 0:
        try:
            for fd in groups:
                os.write(fd, b"0")  # this process
            kernel.unshare(kernel.CLONE_NEWCGROUP)
            for target, kind, options in places:
                kernel.mount(kind, target, kind, kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC, options)
                kernel.protect(target, _ATTRIBUTES, recursive=False)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
