"""The network of an instance: its loopback, and the listening sockets that its owner asks for."""

from __future__ import annotations

import fcntl
import socket
import struct

_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1
_BACKLOG = 128


def bring_loopback_up() -> None:
    """Bring up `lo`, the one interface of a new network namespace; the kernel gives it its addresses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        # struct ifreq: name, flags
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", _IFF_UP))


def listener(host: str, port: int) -> int:
    """The descriptor of a listening TCP socket at a numeric address; 0 takes a free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
        return listening.detach()
