"""Servers that a run starts: on a port of its own, waited for, and ended with all that they started."""

from __future__ import annotations

import os
import socket
import sys

import pytest

from sectax.experiments.client_server import started_server as started
from sectax.experiments.client_server.server import ServerFailed
from sectax.experiments.client_server.started_server import StartedServer
from tests.hosts.processes import eventually

SERVE = (sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "$PORT")
SLEEP = (sys.executable, "-c", "import time; time.sleep(100)")


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(started, "_START_S", 20.0)


def server(*argv: str) -> StartedServer:
    return StartedServer("new", argv, os.getcwd())


def failure(one: StartedServer) -> str:
    """How waiting for it fails."""
    one.start()
    with pytest.raises(ServerFailed) as failed:
        one.wait()
    return failed.value.message


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 10).close()
    except ConnectionError:
        return False
    return True


def test_it_listens_on_a_port_of_its_own_until_it_is_stopped() -> None:
    one, other = server(*SERVE), server(*SERVE)
    try:
        one.start()
        other.start()
        one.wait()
        other.wait()
        assert one.port != other.port
    finally:
        one.stop()
        other.stop()

    assert eventually(lambda: not listens(one.port))


def test_what_it_started_itself_is_its_own_and_ends_with_it() -> None:
    code = f"import subprocess, sys; subprocess.run({list(SERVE[:-1])!r} + [sys.argv[1]])"
    own_server = server(sys.executable, "-c", code, "$PORT")
    own_server.start()
    own_server.wait()
    own_server.stop()

    assert eventually(lambda: not listens(own_server.port))


def test_another_programs_listener_is_never_talked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        monkeypatch.setattr(started, "free_port", lambda: port)

        assert str(port) in failure(server(*SLEEP))


def test_a_server_that_has_ended_is_not_asked_again() -> None:
    own_server = server(*SERVE)
    own_server.start()
    own_server.wait()
    own_server.stop()
    with socket.create_server(("127.0.0.1", own_server.port)), pytest.raises(ServerFailed):
        own_server.check()
