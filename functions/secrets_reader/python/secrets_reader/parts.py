"""Where the time of a call goes, by this process's own clock: the same hooks under boto3 and requests.

Both speak HTTP through the standard library, so that is where the clock is read: six times in a call, which takes about
a microsecond. A part is what nothing inside it accounts for: a connection that is made while a request is sent is no
sending.
"""

from __future__ import annotations

import functools
import http.client
import inspect
import socket
import ssl
import time
from collections.abc import Callable
from typing import Any

PARTS = ("dns", "connect", "handshake", "request", "backend")


class Parts:
    """Nanoseconds and occurrences by part, since the last `take`."""

    def __init__(self) -> None:
        self._spent_ns = dict.fromkeys(PARTS, 0)
        self._inside_ns = 0

    def take(self) -> dict[str, int]:
        """What each part that occurred took, as `PART_ns`; begin again."""
        taken = {f"{part}_ns": spent for part, spent in self._spent_ns.items() if spent}
        self._spent_ns = dict.fromkeys(PARTS, 0)
        return taken

    def timed(self, part: str, call: Callable[..., Any]) -> Callable[..., Any]:
        clock = time.perf_counter_ns

        @functools.wraps(call)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            around_ns, self._inside_ns = self._inside_ns, 0
            began = clock()
            try:
                return call(*args, **kwargs)
            finally:
                took_ns = clock() - began
                self._spent_ns[part] += took_ns - self._inside_ns
                self._inside_ns = around_ns + took_ns

        return wrapper


@functools.cache
def watch() -> Parts:
    """Time every call of this process from now on, once.

    The backend is what passes from the request's last byte to the answer's first line.
    """
    parts = Parts()
    for part, owner, name in (
        ("dns", socket, "getaddrinfo"),
        ("connect", socket.socket, "connect"),
        ("handshake", ssl.SSLContext, "wrap_socket"),
        ("request", http.client.HTTPConnection, "send"),
        ("backend", http.client.HTTPResponse, "_read_status"),
    ):
        setattr(owner, name, parts.timed(part, inspect.unwrap(getattr(owner, name))))
    return parts
