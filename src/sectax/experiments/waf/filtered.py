"""Subject of a service behind a filter, with the filter's witnesses."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any

from sectax.experiments.client_server.server import ServerFailed, cpu_time_s
from sectax.experiments.client_server.started_server import StartedServer
from sectax.experiments.http.subject import HttpSpec, HttpSubject
from sectax.model.subject import Observation, Visit, Witnesses

_TIMEOUT_S = 30.0
_STATUS = "/-/filter"


@dataclass(frozen=True)
class FilteredSpec(HttpSpec):
    def subject(self) -> FilteredSubject:
        return FilteredSubject(self)


class FilteredSubject(HttpSubject):
    """Also observes `server_cpu`, of filter and page together."""

    def __init__(self, spec: FilteredSpec) -> None:
        super().__init__(spec)
        assert spec.server is not None, "started by the bench"
        self._server = spec.server
        self._before: dict[str, Any] = {}

    def open(self) -> Witnesses:
        """As `HttpSubject.open`, with the filter's witnesses."""
        self._before = filter_status(self._server)
        witnesses = super().open()
        settings = {name: self._before[name] for name in ("mode", "paranoia", "libraries")}
        matched = filter_status(self._server)["matched"] > self._before["matched"]
        return witnesses | {"rules_matched": matched} | settings

    def _measure(self, count: int) -> Visit:
        spent_s = cpu_time_s(self._server.pid)
        visit = super()._measure(count)
        spent_after_s = cpu_time_s(self._server.pid)
        if spent_s is None or spent_after_s is None:
            return visit
        cpu = Observation("server_cpu", spent_after_s - spent_s, "s", "process CPU time", count)
        return Visit((*visit.observations, cpu), visit.telemetry)

    def close(self) -> Witnesses:
        """As `HttpSubject.close`, and whether every request reached the server."""
        closed = super().close()
        served = filter_status(self._server)["requests"] - self._before["requests"]
        return closed | {"served": served >= closed["requests"]}


def filter_status(server: StartedServer) -> dict[str, Any]:
    """Status reported by the filter. Raises `ServerFailed`."""
    server.check()
    try:
        with contextlib.closing(HTTPConnection("127.0.0.1", server.port, timeout=_TIMEOUT_S)) as connection:
            connection.request("GET", _STATUS)
            answer: dict[str, Any] = json.loads(connection.getresponse().read())
    except (OSError, HTTPException, ValueError) as error:
        server.check(1.0)
        raise ServerFailed(f"the server did not report its filter: {error}", "report it") from error
    return answer
