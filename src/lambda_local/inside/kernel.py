"""Linux system calls that the standard library lacks; errors are OSErrors."""

from __future__ import annotations

import ctypes
import errno
import os
import struct

# <linux/sched.h>
CLONE_NEWNS = 0x0002_0000
CLONE_NEWCGROUP = 0x0200_0000
CLONE_NEWUTS = 0x0400_0000
CLONE_NEWIPC = 0x0800_0000
CLONE_NEWUSER = 0x1000_0000
CLONE_NEWPID = 0x2000_0000
CLONE_NEWNET = 0x4000_0000

# <linux/mount.h>
MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x2, 0x4, 0x8
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV = 0x1, 0x2, 0x4

_MNT_DETACH = 2
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
# <linux/prctl.h>
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
# The same on all architectures, as all system calls since 5.0.
_SYS_MOUNT_SETATTR = 442
_SYS_MOVE_MOUNT, _SYS_FSOPEN, _SYS_FSCONFIG, _SYS_FSMOUNT = 429, 430, 431, 432
_MOVE_MOUNT_F_EMPTY_PATH = 4
_CLOEXEC = 1  # of fsopen and of fsmount
_FSCONFIG_SET_STRING, _FSCONFIG_CMD_CREATE = 1, 6
_SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_SYS_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SYS_KEYCTL = {"x86_64": 250, "aarch64": 219}
_KEYCTL_JOIN_SESSION_KEYRING = 1
_SECCOMP_SET_MODE_FILTER = 1
# Otherwise kernels before 5.16 disable speculation for filtered programs, which slows them down.
_SECCOMP_FILTER_FLAG_SPEC_ALLOW = 4

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Enter new namespaces of these kinds."""
    _checked(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str | None = None, flags: int = 0, data: str | None = None) -> None:
    status = _libc.mount(_text(source), _text(target), _text(kind), ctypes.c_ulong(flags), _text(data))
    _checked(status, "mount", target)


def protect(target: str, attributes: int, *, recursive: bool) -> None:
    """Add attributes (MOUNT_ATTR_…) to a mount, and to all below it if *recursive*. Linux 5.12 or later."""
    # struct mount_attr: attr_set, attr_clr, propagation, userns_fd
    attr = struct.pack("=QQQQ", attributes, 0, 0, 0)
    flags = _AT_RECURSIVE if recursive else 0
    _call(_SYS_MOUNT_SETATTR, _AT_FDCWD, _text(target), flags, attr, len(attr), name="mount_setattr", about=target)


def open_mount(kind: str, source: str, attributes: int) -> int:
    """Create a detached mount for `attach`; attributes: MOUNT_ATTR_…. Linux 5.2 or later."""
    context = _call(_SYS_FSOPEN, _text(kind), _CLOEXEC, name="fsopen", about=kind)
    try:
        for command, key, value in (
            (_FSCONFIG_SET_STRING, b"source", _text(source)),
            (_FSCONFIG_CMD_CREATE, None, None),
        ):
            _call(_SYS_FSCONFIG, context, command, key, value, 0, name="fsconfig", about=source)
        return _call(_SYS_FSMOUNT, context, _CLOEXEC, attributes, name="fsmount", about=source)
    finally:
        os.close(context)


def attach(mount_fd: int, target: str) -> None:
    flags = _MOVE_MOUNT_F_EMPTY_PATH
    _call(_SYS_MOVE_MOUNT, mount_fd, b"", _AT_FDCWD, _text(target), flags, name="move_mount", about=target)


def change_root() -> None:
    """Make the current folder, a mount point, the root, and unmount the old one."""
    # The old root is stacked on the new one and then unmounted: pivot_root(2), "pivot_root(".", ".")".
    _call(_SYS_PIVOT_ROOT[machine()], b".", b".", name="pivot_root")
    _checked(_libc.umount2(b".", _MNT_DETACH), "umount2", "the old root")
    os.chdir("/")


def die_with_parent() -> None:
    """Kill this process when the thread that forked it ends."""
    _prctl(_PR_SET_PDEATHSIG, 9)


def hide_from_debuggers() -> None:
    """Prevent processes without capabilities from tracing this one or reading its memory."""
    _prctl(_PR_SET_DUMPABLE, 0)


def name_command_line(words: bytes) -> None:
    """Replace /proc/PID/cmdline of this process, which would show folders of the machine."""
    with open("/proc/self/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    start, end = int(fields[45]), int(fields[46])  # arg_start and arg_end: 48 and 49 of proc_pid_stat(5)
    if 0 < start < end:
        ctypes.memset(start, 0, end - start)
        ctypes.memmove(start, words, min(len(words), end - start))


def drop_privileges_for_good() -> None:
    """Drop all capabilities for good with the next exec as an ordinary user."""
    with open("/proc/sys/kernel/cap_last_cap") as file:
        last = int(file.read())
    for capability in range(last + 1):
        _prctl(_PR_CAPBSET_DROP, capability)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def install_filter(instructions: bytes) -> None:
    """Install a seccomp filter (struct sock_filter[]) for this process and its children, for good."""
    program = ctypes.create_string_buffer(instructions, len(instructions))
    # struct sock_fprog: unsigned short len, padding, struct sock_filter *filter
    fprog = struct.pack("@HP", len(instructions) // 8, ctypes.addressof(program))
    flags = _SECCOMP_FILTER_FLAG_SPEC_ALLOW
    _call(_SYS_SECCOMP[machine()], _SECCOMP_SET_MODE_FILTER, flags, fprog, name="seccomp")


def forget_keys() -> None:
    """Replace the inherited session keyring with a new, empty one."""
    try:
        _call(_SYS_KEYCTL[machine()], _KEYCTL_JOIN_SESSION_KEYRING, None, name="keyctl")
    except OSError as error:
        # A kernel without keyrings, or a container that blocks these calls for all its programs.
        if error.errno not in (errno.ENOSYS, errno.EPERM):
            raise


def machine() -> str:
    """Return the kernel's name of the architecture: x86_64, aarch64 …"""
    return os.uname().machine


def _prctl(option: int, value: int) -> None:
    zero = ctypes.c_ulong(0)
    _checked(_libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero), "prctl")


def _call(number: int, *arguments: int | bytes | None, name: str, about: str = "") -> int:
    """Make a system call that not all C libraries have a function for."""
    return _checked(_libc.syscall(ctypes.c_long(number), *arguments), name, about)


def _checked(status: int, name: str, about: str = "") -> int:
    if status < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}", about or None)
    return status


def _text(text: str | None) -> bytes | None:
    return None if text is None else os.fsencode(text)
