"""The least that can stand around AWS's runtime client: a Runtime API of one blocking socket, written by hand.

It is what the local Lambda's Duration is measured beside: the same client and the same function, with no sandbox, no
event loop, no parser, and no other connection.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

from lambda_local.runtimes.registry import find

FUNCTION = "def handler(event, context):\n    return None\n"

_NEXT = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nLambda-Runtime-Aws-Request-Id: %d\r\n"
    b"Lambda-Runtime-Deadline-Ms: 9999999999999\r\n"
    b"Lambda-Runtime-Invoked-Function-Arn: arn:aws:lambda:x:0:function:f\r\n"
    b"Lambda-Runtime-Trace-Id: Root=1-00000000-000000000000000000000000;Parent=0000000000000000;Sampled=0\r\n"
    b"Content-Length: 2\r\n\r\n{}"
)
_ACCEPTED = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"


def python() -> str:
    """The runtime of this interpreter, as Lambda names it."""
    return f"python{sys.version_info.major}.{sys.version_info.minor}"


class SocketLoop:
    """A runtime client that waits for events. `start_s` is what it took from its start to its first request."""

    def __init__(self, folder: Path) -> None:
        """Args: *folder*, an empty one for the function."""
        (folder / "f.py").write_text(FUNCTION)
        runtime = find(python())
        listener = socket.create_server(("127.0.0.1", 0))
        environment = {
            "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{listener.getsockname()[1]}",
            "LAMBDA_TASK_ROOT": str(folder),
            "_HANDLER": "f.handler",
        }
        interpreter, client = (runtime.source(place) for place in ("/var/lang", "/var/runtime"))
        program = [str(interpreter / "bin" / python()), "-S", str(client / "bootstrap.py")]
        began = time.monotonic_ns()
        self._process = subprocess.Popen(program, env=environment, cwd=folder, stdin=subprocess.DEVNULL)
        self._socket, _ = listener.accept()
        listener.close()
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._request()
        self.start_s = (time.monotonic_ns() - began) / 1e9
        self._number = 0

    def __enter__(self) -> SocketLoop:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._socket.close()

    def invoke(self) -> float:
        """Seconds from handing an event out to the whole answer."""
        self._number += 1
        event = _NEXT % self._number
        began = time.monotonic_ns()
        self._socket.sendall(event)
        self._request()
        seconds = (time.monotonic_ns() - began) / 1e9
        self._socket.sendall(_ACCEPTED)
        self._request()
        return seconds

    def _request(self) -> None:
        """Read one request to its end."""
        data = b""
        while True:
            data += self._socket.recv(65536)
            head, end, body = data.partition(b"\r\n\r\n")
            if not end:
                continue
            length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
            if len(body) >= int(length or 0):
                return
