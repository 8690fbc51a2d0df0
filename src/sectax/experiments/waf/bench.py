"""A server for every filter mode and paranoia level, and a client for every cell."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping

from sectax.experiments.client_server import started_server as started
from sectax.experiments.client_server.started_server import PORT, StartedServer
from sectax.experiments.client_server.work_folder import sweep
from sectax.experiments.http import parts as http_parts
from sectax.experiments.http.client import SharedClient
from sectax.experiments.http.services import HttpService
from sectax.experiments.http.subject import FirstBody
from sectax.experiments.interface import Bench
from sectax.experiments.waf import parts
from sectax.experiments.waf.filtered import FilteredSpec
from sectax.experiments.waf.levels import CONTROL, FORBIDDEN, OFF, OK, build_request
from sectax.model.plan import Calibrated, Plan
from sectax.model.treatment import Treatment

_MARK = "body_mark"
_TIMEOUT_S = 30.0


class WafBench(Bench):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._clients: dict[str, SharedClient] = {}
        self._servers: dict[tuple[str, str], StartedServer] = {}

    def identity(self) -> dict[str, str]:
        built = {"http.client": http_parts.client(), "waf.server": parts.server()}
        return {name: program.path.parent.name for name, program in built.items()}

    def inputs(self) -> dict[str, str]:
        return {_MARK: base64.b64encode(secrets.token_bytes(32)).decode()}

    def start(self, inputs: Mapping[str, str]) -> None:
        sweep(started.WORK_FOLDERS)
        for treatment in self.plan.treatments:
            mode, paranoia = key = _server_key(treatment)
            if key not in self._servers:
                argv = (str(parts.server().path), "-port", PORT, "-mode", mode, "-paranoia", paranoia)
                server = StartedServer(f"{mode}, paranoia {paranoia}", argv, self.plan.options["folder"][0])
                self.callback(server.stop)
                server.start()
                self._servers[key] = server
        for server in self._servers.values():
            server.wait()

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> FilteredSpec:
        levels = treatment.levels
        wanted = build_request(levels["request"], levels["body"])
        server = self._servers[_server_key(treatment)]
        service = HttpService(
            name=levels[CONTROL],
            url=f"http://127.0.0.1:{PORT}{wanted.path}",
            method=wanted.method,
            headers=wanted.headers,
            # The audit checks that it is the one declared for its level.
            statuses=(OK, FORBIDDEN),
        )
        return FilteredSpec(
            arm=treatment.id,
            service=service,
            headers=wanted.headers,
            body=wanted.body,
            client=self._clients.setdefault(treatment.cell, SharedClient(str(http_parts.client().path))),
            kept=True,
            http2=False,
            concurrency=1,
            rate=0.0,
            timeout_s=_TIMEOUT_S,
            mark=inputs[_MARK],
            bodies_differ=False,
            # Blocked requests have a different answer: bodies must be equal within an arm only.
            first_body=FirstBody(),
            added_s=self.plan.added_s(treatment, calibrated),
            server=server,
            folder="",
        )


def _server_key(treatment: Treatment) -> tuple[str, str]:
    """Mode and paranoia level of a treatment's server."""
    mode = treatment.levels[CONTROL]
    return mode, "1" if mode == OFF else treatment.levels["paranoia"]
