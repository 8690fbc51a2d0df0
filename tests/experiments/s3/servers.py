"""A real server for tests, and what stands between it and its clients."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sectax.experiments.s3.levels import MINIO, SEAWEEDFS
from sectax.experiments.s3.local_server import LocalServer
from sectax.experiments.s3.servers import SERVERS
from tests.needs import needs

needs_server = needs("SeaweedFS")
each_server = pytest.mark.parametrize(
    "name", [pytest.param(SEAWEEDFS, marks=needs_server), pytest.param(MINIO, marks=needs("MinIO"))]
)


@contextlib.contextmanager
def running(base: Path, name: str = SEAWEEDFS, *, tls: bool = False) -> Iterator[LocalServer]:
    server = SERVERS[name](base, tls=tls)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def between(server: LocalServer, change: Callable[[bytes, int], bytes | None]) -> Iterator[str]:
    """An address whose answers are the server's, changed: *change* is given a piece and the bytes of the answer before
    it; None ends the connection there. The signature holds, since the client's Host header goes through as it is."""
    host, _, port = server.access.endpoint.removeprefix("http://").partition(":")
    listener = socket.create_server(("127.0.0.1", 0))
    ends: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def start(work: Callable[..., None], *words: object) -> None:
        threads.append(threading.Thread(target=work, args=words, daemon=True))
        threads[-1].start()

    def shut(*some: socket.socket) -> None:
        for end in some:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def carry(source: socket.socket, target: socket.socket, answers: bool) -> None:
        passed = 0
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                changed = change(piece, passed) if answers else piece
                if changed is None:
                    break
                passed += len(piece)
                target.sendall(changed)
        shut(source, target)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                ends.append(near)
                far = socket.create_connection((host, int(port)))
                ends.append(far)
                start(carry, near, far, False)
                start(carry, far, near, True)

    start(serve)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        # Closing alone wakes nobody who waits there.
        shut(listener)
        threads[0].join()
        shut(*ends)
        for thread in threads:
            thread.join()
        for end in (listener, *ends):
            end.close()
