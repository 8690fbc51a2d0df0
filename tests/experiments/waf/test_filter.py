"""The service with Coraza in front: what is refused, and what the filter says of itself."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sectax.experiments.client_server.server import ServerFailed
from sectax.experiments.client_server.started_server import StartedServer
from sectax.experiments.waf import parts
from sectax.experiments.waf.filtered import filter_status
from sectax.experiments.waf.levels import ATTACK, BODIES, CLEAN, build_request
from tests.needs import needs

pytestmark = needs("the service with Coraza")


@contextmanager
def service(mode: str, paranoia: int) -> Iterator[StartedServer]:
    argv = (str(parts.server().path), "-port", "$PORT", "-mode", mode, "-paranoia", str(paranoia))
    one = StartedServer("it", argv, os.getcwd())
    try:
        one.start()
        one.wait()
        yield one
    finally:
        one.stop()


def status(of: StartedServer, request: str, body: str) -> int:
    sent = build_request(request, body)
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", of.port, timeout=60)) as connection:
        connection.request(sent.method, sent.path, sent.body, dict(sent.headers) | {"Accept": "*/*"})
        return connection.getresponse().status


@pytest.mark.parametrize("paranoia", [1, 4])
@pytest.mark.parametrize(("mode", "attacked"), [("off", 200), ("detection", 200), ("blocking", 403)])
def test_an_attack_is_refused_where_it_is_blocked_and_nothing_else_ever(
    mode: str, attacked: int, paranoia: int
) -> None:
    with service(mode, paranoia) as one:
        clean = [status(one, CLEAN, body) for body in BODIES]
        matched_clean = filter_status(one)["matched"]
        seen = [status(one, ATTACK, body) for body in BODIES]
        said = filter_status(one)

    assert clean == [200] * len(BODIES)
    assert seen == [attacked] * len(BODIES)
    # No rule at all matches the clean ones; those that match an attack are counted.
    assert matched_clean == 0
    assert (said["matched"] > 0) is (mode != "off")
    assert (said["mode"], said["paranoia"], said["requests"]) == (mode, paranoia, 2 * len(BODIES))
    assert "coraza/v3" in said["libraries"]


def test_a_server_that_has_ended_says_so() -> None:
    with service("off", 1) as one:
        os.kill(one.pid, signal.SIGKILL)
        with pytest.raises(ServerFailed, match="ended with exit status -9"):
            one.check(10.0)
