"""The filter on system calls: a list of those that are allowed, as container engines have it, and rules for some."""

from __future__ import annotations

import errno
import struct

from sectax.sandboxes.inside.allowed_calls import ALLOWED

# AUDIT_ARCH_…, and the column of ALLOWED.
_ARCHITECTURES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}

# Families that end at the namespace's border: local, IPv4, IPv6, netlink. AF_VSOCK is not among them: it knows no
# namespaces and reaches the hypervisor and, on some machines, other programs of this one.
_FAMILIES = (1, 2, 10, 16)
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NAMESPACES = 0x7E02_0000
# What personality(2) may set: Linux, Linux on 32 bits, both with the kernel's version called 2.6, and asking. None of
# them makes addresses predictable.
_PERSONALITIES = (0, 0x8, 0x2_0000, 0x2_0008, 0xFFFF_FFFF)
# TIOCSTI and TIOCLINUX type for the person at the terminal.
_TERMINAL = (0x5412, 0x541C)

# Calls that are allowed with some arguments only, and where it is decided. clone3 has its flags in memory, where no
# filter can look: without it programs take clone.
_RULES = {
    "socket": "socket",
    "socketpair": "socket",
    "clone": "clone",
    "clone3": "unknown",
    "personality": "personality",
    "ioctl": "ioctl",
}

# <linux/bpf_common.h>, <linux/seccomp.h>; struct seccomp_data: nr at 0, arch at 4, the low halves of the arguments
_LOAD, _EQUAL, _GREATER, _NOT_LESS, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
_ALLOW, _ERROR = 0x7FFF_0000, 0x0005_0000

_NEXT = ""  # the label of the line that follows


def call_filter(machine: str) -> bytes:
    """The filter as struct sock_filter[].

    What is not in the list gets EPERM. Calls with higher numbers than any in it, those of the x32 ABI among them, and
    calls of another architecture get ENOSYS: programs then do without, as on an older kernel.

    Raises:
        OSError: there is no list for this architecture.
    """
    if machine not in _ARCHITECTURES:
        raise OSError(errno.ENOSYS, "there is no list of its system calls", machine)
    architecture, column = _ARCHITECTURES[machine]
    numbers = {name: each[column] for name, each in ALLOWED.items()}
    program = _Program()
    program.add(_LOAD, _ARCHITECTURE)
    program.add(_EQUAL, architecture, no="unknown")
    program.add(_LOAD, _NUMBER)
    for name, label in _RULES.items():
        program.add(_EQUAL, numbers.pop(name) or 0, yes=label)
    for first, last in _ranges([number for number in numbers.values() if number is not None]):
        program.add(_NOT_LESS, first, no="refused")
        program.add(_GREATER, last, no="allowed")
    program.add(_RETURN, _ERROR | errno.ENOSYS)
    program.label("socket").add(_LOAD, _FIRST)
    for family in _FAMILIES:
        program.add(_EQUAL, family, yes="allowed")
    program.add(_RETURN, _ERROR | errno.EAFNOSUPPORT)
    program.label("clone").add(_LOAD, _FIRST)
    program.add(_ANY_BIT, _NAMESPACES, yes="refused", no="allowed")
    program.label("personality").add(_LOAD, _FIRST)
    for personality in _PERSONALITIES:
        program.add(_EQUAL, personality, yes="allowed")
    program.add(_RETURN, _ERROR | errno.EPERM)
    program.label("ioctl").add(_LOAD, _SECOND)
    for request in _TERMINAL:
        program.add(_EQUAL, request, yes="refused")
    program.label("allowed").add(_RETURN, _ALLOW)
    program.label("refused").add(_RETURN, _ERROR | errno.EPERM)
    program.label("unknown").add(_RETURN, _ERROR | errno.ENOSYS)
    return program.assembled()


class _Program:
    """Lines of BPF that jump to labels further down."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, str, str, int]] = []
        self._labels: dict[str, int] = {}

    def label(self, name: str) -> _Program:
        """The next line is called so."""
        self._labels[name] = len(self._lines)
        return self

    def add(self, code: int, value: int, yes: str = _NEXT, no: str = _NEXT) -> None:
        self._lines.append((code, yes, no, value))

    def assembled(self) -> bytes:
        """Jumps count the lines that are left out; one over more than 255 lines does not fit and is an error."""

        def jump(label: str, line: int) -> int:
            return 0 if label == _NEXT else self._labels[label] - line - 1

        return b"".join(
            struct.pack("=HBBI", code, jump(yes, line), jump(no, line), value)
            for line, (code, yes, no, value) in enumerate(self._lines)
        )


def _ranges(numbers: list[int]) -> list[tuple[int, int]]:
    """First and last of each run of adjacent numbers, in their order."""
    runs: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs
