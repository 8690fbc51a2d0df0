"""The port of the service: on loopback and nowhere else, since whoever reaches it may run programs here."""

from __future__ import annotations

import ipaddress
import socket

from sectax.model.errors import WrongUse

_BACKLOG = 512


def listen(host: str, port: int) -> socket.socket:
    """A listening socket on a loopback address.

    Args:
        port: 0 takes a free one.
    Raises:
        WrongUse: the address is another one, or the port is taken.
    """
    address = _loopback(host)
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((str(address), port))
        listener.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) else "there is no such port"
        raise WrongUse(f"cannot listen on {host}, port {port}: {reason}", "leave --port out for a free one") from error
    return listener


def _loopback(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise WrongUse(
            f"{host} is no loopback address", "the service runs what callers send it, so it listens on 127.0.0.1 or ::1"
        )
    return address
