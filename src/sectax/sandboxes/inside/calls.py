"""The filter on system calls that keeps an instance in its network namespace."""

from __future__ import annotations

import errno
import struct

# Families that end at the namespace's border: local, IPv4, IPv6, netlink. AF_VSOCK is not among them: it knows no
# namespaces and reaches the hypervisor and, on some machines, other programs of this one.
_FAMILIES = (1, 2, 10, 16)

# AUDIT_ARCH_…, and the numbers of socket and io_uring_setup. io_uring is closed, as in every container engine,
# because it opens sockets without this filter's being asked.
_ARCHITECTURES = {"x86_64": (0xC000_003E, 41, 425), "aarch64": (0xC000_00B7, 198, 425)}
_X32 = 0x4000_0000  # the second, unused set of calls of x86_64

# <linux/bpf_common.h>, <linux/seccomp.h>; struct seccomp_data: nr at 0, arch at 4, the low half of args[0] at 16
_LOAD, _EQUAL, _NOT_LESS, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _ERROR = 0x7FFF_0000, 0x0005_0000


def call_filter(machine: str) -> bytes | None:
    """The filter as struct sock_filter[]; None for an architecture that is not in the table."""
    if machine not in _ARCHITECTURES:
        return None
    architecture, socket, io_uring_setup = _ARCHITECTURES[machine]
    # Each line: code, jump if true, jump if false, value. Jumps count the lines that are left out.
    unknown, refused, allowed = 8 + len(_FAMILIES), 9 + len(_FAMILIES), 10 + len(_FAMILIES)
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 0, unknown - 2, architecture),
        (_LOAD, 0, 0, _NUMBER),
        (_NOT_LESS, unknown - 4, 0, _X32),
        (_EQUAL, unknown - 5, 0, io_uring_setup),
        (_EQUAL, 0, allowed - 6, socket),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        *((_EQUAL, allowed - 8 - index, 0, family) for index, family in enumerate(_FAMILIES)),
        (_EQUAL, refused - 8 - len(_FAMILIES), refused - 8 - len(_FAMILIES), 0),
        (_RETURN, 0, 0, _ERROR | errno.ENOSYS),
        (_RETURN, 0, 0, _ERROR | errno.EAFNOSUPPORT),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
