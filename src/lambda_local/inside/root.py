"""The root file system of an instance: the machine's programs read-only, its own /tmp, and little else.

Its control groups are at /sys/fs/cgroup, where runtimes such as Java's read their memory limit.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from lambda_local.inside import kernel

_TOP = "sys/fs/cgroup"
# Java reads all of them in v1.
_SHOWN = {"cpu", "cpuacct", "cpuset", "memory"}
_READ_ONLY = kernel.MOUNT_ATTR_RDONLY | kernel.MOUNT_ATTR_NOSUID | kernel.MOUNT_ATTR_NODEV


def make_places(own: str = "/proc/self/cgroup") -> list[tuple[str, str, str | None]]:
    """Create mount points for the control groups in the current folder, the later root.

    Args:
        own: the file with this process's groups; another one in tests.
    Returns:
        Target, file system and options of each mount.
    """
    os.makedirs(_TOP)
    with open(own) as file:
        # 4:cpu,cpuacct:/docker/… in v1, 0::/user.slice/… in v2
        sets = [line.split(":")[1] for line in file]
    old = [names for names in sets if _SHOWN & set(names.split(","))]
    for names in old:
        os.mkdir(f"{_TOP}/{names}")
    return [(f"/{_TOP}/{names}", "cgroup", names) for names in old] or [(f"/{_TOP}", "cgroup2", None)]


def mount_own(places: list[tuple[str, str, str | None]]) -> None:
    """Mount the control groups of the caller's group namespace read-only, if the kernel allows it."""
    try:
        for target, kind, options in places:
            kernel.mount(kind, target, kind, kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC, options)
            kernel.protect(target, _READ_ONLY, recursive=False)
    except OSError:
        return


# Those that exist; links (as in a merged /usr) stay links.
_SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32")

# Files that programs and libraries need: the dynamic linker's cache, certificates, Debian's links to the selected Java,
# settings of OpenSSL, Java and PHP, the time zone. Nothing about the machine's users.
_ETC = """
    alternatives ca-certificates crypto-policies java-11-openjdk java-17-openjdk java-21-openjdk ld.so.cache ld.so.conf
    ld.so.conf.d localtime mime.types php pki protocols services ssl timezone
"""
_DEVICES = ("null", "zero", "full", "random", "urandom")
_NO_MEMORY = ("Buffers", "Cached", "SwapCached", "Active", "Inactive", "SwapTotal", "SwapFree", "Shmem", "SReclaimable")
_SHM_MB = 64  # as in a container; its content counts as memory

_EMPTY = "dev/mqueue"  # as in a container
_COPY_BYTES = 1024 * 1024  # of a file of /etc


def enter_root(
    staging: str,
    mounts: Iterable[tuple[str, str]],
    tmp: int | None,
    tmp_mb: int,
    memory_mb: int,
    user: tuple[str, int, int],
) -> list[tuple[str, str, str | None]]:
    """Build the root on the empty folder *staging* and enter it. The caller has its own mount and pid namespaces.

    Args:
        mounts: (source, target) of further read-only folders.
        tmp: descriptor of a mount for /tmp; None for a tmpfs.
        tmp_mb: size of /tmp in MiB.
        memory_mb: memory for /proc/meminfo.
        user: name, uid and gid of the only user.
    Returns:
        The mounts for `mount_own`.
    """
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)  # keep these mounts inside
    _tmpfs(staging, "mode=755,size=4m")
    os.chdir(staging)
    os.makedirs(_EMPTY)
    for name in _SYSTEM:
        if os.path.islink(f"/{name}"):
            os.symlink(os.readlink(f"/{name}"), name)
        elif os.path.isdir(f"/{name}"):
            _show(f"/{name}", name)
    _fill_etc(user)
    _fill_dev()
    groups = make_places()
    os.mkdir("proc")
    os.mkdir("tmp")
    kernel.mount("proc", "proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    _show_memory(memory_mb)
    if tmp is None:
        _tmpfs("tmp", f"mode=1777,size={tmp_mb}m")
    else:
        kernel.attach(tmp, "tmp")
    # Outer folders first, since they would hide inner ones.
    for source, target in sorted(mounts, key=lambda pair: pair[1]):
        _show(source, os.path.normpath(target).lstrip("/"))
    kernel.change_root()
    kernel.protect("/", _READ_ONLY, recursive=False)
    return groups


def _show_memory(memory_mb: int) -> None:
    """Show the instance's memory, all free, in /proc/meminfo, by which programs size themselves."""
    amounts = dict.fromkeys(("MemTotal", "MemFree", "MemAvailable"), memory_mb * 1024)
    amounts |= dict.fromkeys(_NO_MEMORY, 0)
    _write("meminfo", "".join(f"{name + ':':16}{amount:8} kB\n" for name, amount in amounts.items()))
    kernel.mount("meminfo", "proc/meminfo", flags=kernel.MS_BIND)
    kernel.protect("proc/meminfo", _READ_ONLY, recursive=False)
    os.unlink("meminfo")  # the mount keeps it


def _fill_etc(user: tuple[str, int, int]) -> None:
    os.mkdir("etc")
    for name in _ETC.split():
        if os.path.isdir(f"/etc/{name}"):
            _show(f"/etc/{name}", f"etc/{name}")
        elif os.path.exists(f"/etc/{name}"):
            with open(f"/etc/{name}", "rb") as file:
                _write(f"etc/{name}", file.read(_COPY_BYTES))
    name, uid, gid = user
    _write("etc/passwd", f"root:x:0:0:root:/:/sbin/nologin\n{name}:x:{uid}:{gid}::/tmp:/sbin/nologin\n")
    _write("etc/group", f"root:x:0:\n{name}:x:{gid}:\n")
    _write("etc/hosts", "127.0.0.1 localhost sandbox.localdomain sandbox\n::1 localhost\n")
    _write("etc/resolv.conf", "")  # no name server
    _write("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")
    os.symlink("../usr/lib/os-release", "etc/os-release")
    os.symlink("/proc/self/mounts", "etc/mtab")


def _fill_dev() -> None:
    os.makedirs("dev/shm")
    for name in _DEVICES:
        _write(f"dev/{name}", "")
        kernel.mount(f"/dev/{name}", f"dev/{name}", flags=kernel.MS_BIND)
    _tmpfs("dev/shm", f"mode=1777,size={_SHM_MB}m")
    os.symlink("/proc/self/fd", "dev/fd")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"dev/{name}")


def _show(source: str, target: str) -> None:
    """Show a folder at a second path, read-only and isolated from the machine's files by an overlay.

    An overlay has its own inodes, so inotify and file locks do not reach the machine's files. /proc/self/mountinfo
    shows paths of the machine for bind mounts; for an overlay only its arguments, here a link and an empty folder (it
    needs two). Mounts below the folder are not shown.
    """
    os.makedirs(target, exist_ok=True)
    os.symlink(source, "lower")
    try:
        kernel.mount("overlay", target, "overlay", kernel.MS_NOSUID | kernel.MS_NODEV, f"lowerdir=lower:{_EMPTY}")
    except OSError:  # no overlays, or too many levels, as in nested containers
        kernel.mount(source, target, flags=kernel.MS_BIND | kernel.MS_REC)
        kernel.protect(target, _READ_ONLY, recursive=True)
    else:
        kernel.protect(target, _READ_ONLY, recursive=False)
    finally:
        os.unlink("lower")


def _tmpfs(target: str, options: str) -> None:
    kernel.mount("tmpfs", target, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)


def _write(path: str, content: str | bytes) -> None:
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
