"""One PostgreSQL for the session, and a client for every cell."""

from __future__ import annotations

from collections.abc import Mapping

from sectax.experiments.client_server import started_server as started
from sectax.experiments.client_server.work_folder import sweep
from sectax.experiments.database import parts
from sectax.experiments.database.client import PgClient
from sectax.experiments.database.levels import ACCESS, CONTROL, KEPT
from sectax.experiments.database.server import WORK_FOLDERS, Postgres, new_passwords
from sectax.experiments.database.subject import DatabaseSpec
from sectax.experiments.interface import Bench
from sectax.model.plan import Calibrated, Plan
from sectax.model.treatment import Treatment


class DatabaseBench(Bench):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._clients: dict[str, PgClient] = {}

    def identity(self) -> dict[str, str]:
        program, folder = parts.client(), parts.programs()
        return {"database.client": program.name if program else "", "database.server": str(folder)}

    def inputs(self) -> dict[str, str]:
        return new_passwords()

    def start(self, inputs: Mapping[str, str]) -> None:
        sweep(WORK_FOLDERS)
        sweep(started.WORK_FOLDERS)
        levels = {treatment.levels[CONTROL] for treatment in self.plan.treatments}
        methods = dict.fromkeys(access.method for level, access in ACCESS.items() if level in levels)
        self._server = self.enter_context(Postgres(inputs, tuple(methods)))

    def spec(self, treatment: Treatment, inputs: Mapping[str, str], calibrated: Calibrated | None) -> DatabaseSpec:
        levels = treatment.levels
        return DatabaseSpec(
            arm=treatment.id,
            level=levels[CONTROL],
            query=levels["query"],
            kept=levels["connection"] == KEPT,
            client=self._clients.setdefault(treatment.cell, PgClient(str(parts.client()))),
            server=self._server,
            added_s=self.plan.added_s(treatment, calibrated),
        )
