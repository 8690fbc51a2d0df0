"""A service behind its filter as one treatment asks it: an arm of the experiment http, with what the filter says."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any

from sectax.experiments.client_server.server import ServerFailed, cpu_time_s
from sectax.experiments.client_server.started import StartedServer
from sectax.experiments.http.subject import HttpSpec, HttpSubject
from sectax.model.subject import Observation, Visit, Witnesses

_WITHIN_S = 30.0
_STATUS = "/-/filter"


@dataclass(frozen=True)
class FilteredSpec(HttpSpec):
    """One treatment: a server of the run's own, and what is asked of it."""

    def subject(self) -> FilteredSubject:
        return FilteredSubject(self)


class FilteredSubject(HttpSubject):
    """Observes beside the client's figures `server_cpu`, of the whole server: the filter and the page."""

    def __init__(self, spec: FilteredSpec) -> None:
        super().__init__(spec)
        assert spec.server is not None, "its server is the run's own"
        self._server = spec.server
        self._before: dict[str, Any] = {}

    def open(self) -> Witnesses:
        """As `HttpSubject.open`, and mode, paranoia and libraries, as the server itself says them."""
        self._before = filter_status(self._server)
        witnesses = super().open()
        settings = {name: self._before[name] for name in ("mode", "paranoia", "libraries")}
        return (
            witnesses | {"rules_matched": filter_status(self._server)["matched"] > self._before["matched"]} | settings
        )

    def _measured(self, count: int) -> Visit:
        spent_s = cpu_time_s(self._server.pid)
        visit = super()._measured(count)
        spent_after_s = cpu_time_s(self._server.pid)
        if spent_s is None or spent_after_s is None:
            return visit
        cpu = Observation("server_cpu", spent_after_s - spent_s, "s", "process CPU time", count)
        return Visit((*visit.observations, cpu), visit.telemetry)

    def close(self) -> Witnesses:
        """As `HttpSubject.close`, and whether every request of the client came to the server."""
        closed = super().close()
        return closed | {
            "served": filter_status(self._server)["requests"] - self._before["requests"] >= closed["requests"]
        }


def filter_status(server: StartedServer) -> dict[str, Any]:
    """What the server says of its filter. Raises `ServerFailed`."""
    server.check()
    try:
        with contextlib.closing(HTTPConnection("127.0.0.1", server.port, timeout=_WITHIN_S)) as connection:
            connection.request("GET", _STATUS)
            answer: dict[str, Any] = json.loads(connection.getresponse().read())
    except (OSError, HTTPException, ValueError) as error:
        server.check(1.0)
        raise ServerFailed(f"the server does not say what its filter is: {error}", "report it") from error
    return answer
