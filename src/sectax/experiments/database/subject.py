"""Subject of one access method, measured through a shared client process."""

from __future__ import annotations

from dataclasses import dataclass, field

from sectax.experiments.client_server.client import ClientFailure
from sectax.experiments.client_server.server import cpu_time_s
from sectax.experiments.client_server.started_server import DYING_S
from sectax.experiments.client_server.subject import ClientSubject
from sectax.experiments.database.client import PgClient, Transactions
from sectax.experiments.database.levels import QUERIES
from sectax.experiments.database.server import Postgres
from sectax.model.subject import Observation, Visit, Witnesses

# Upper limit for a transaction, even on a very busy machine.
_LONGEST_S = 2.0
_WARMING = {True: 200, False: 2}  # warm-up transactions, by whether the connection stays open


@dataclass(frozen=True)
class DatabaseSpec:
    """One treatment; `kept` is whether its connection stays open."""

    arm: str
    level: str
    query: str
    kept: bool
    client: PgClient = field(repr=False, compare=False)
    server: Postgres = field(repr=False, compare=False)
    added_s: float = 0.0

    def subject(self) -> DatabaseSubject:
        return DatabaseSubject(self)


class DatabaseSubject(ClientSubject):
    """Implements `sectax.model.subject.Subject`."""

    def __init__(self, spec: DatabaseSpec) -> None:
        super().__init__()
        self._spec = spec
        self._backend = 0

    def start(self) -> None:
        with self._readable_errors("start"):
            self._spec.client.join(self._spec.arm)

    def open(self) -> Witnesses:
        """Connect, send a query, and read witnesses.

        Returns:
            ssl, tls and cipher from pg_stat_ssl; authentication from the server's log; rows, server, client, clock.
        """
        self.start()
        spec = self._spec
        with self._readable_errors("open"):
            hello = spec.client.hello()
            connection = spec.server.connection(spec.level)
            opened = spec.client.open(spec.arm, connection, QUERIES[spec.query], kept=spec.kept, added_s=spec.added_s)
            warming = _WARMING[spec.kept]
            spec.client.measure(spec.arm, warming, warming * _LONGEST_S)
        self._backend = opened.backend
        if spec.kept:
            spec.server.keep(opened.backend)
        clock = self._begin_visits(hello.clock, spec.client.telemetry())
        checked: Witnesses = {"authentication": spec.server.authentication_method(opened.backend), "rows": opened.rows}
        return opened.witnesses | checked | {"client": hello.client} | clock

    def _measure(self, count: int) -> Visit:
        """Measure transactions.

        Observations: `latency`, and `connecting` of new connections, one per transaction; `client_cpu`; `server_cpu`,
        of a new connection over the whole life of its process.
        """
        spent_s = self._server_spent_s()
        batch, spanned_s, telemetry = self._watched(lambda: self._batch(count))
        spent_after_s = self._server_spent_s()
        if (complaint := batch.complaint(count, spanned_s)) is not None:
            raise self._failure(f"the client {complaint}", "report it")
        observed = self._times("latency", batch.elapsed_ns) + self._times("connecting", batch.connect_ns)
        observed.append(Observation("client_cpu", batch.cpu_ns * 1e-9, "s", "process CPU time", count))
        if spent_s is not None and spent_after_s is not None:
            observed.append(Observation("server_cpu", spent_after_s - spent_s, "s", "process CPU time", count))
        return Visit(tuple(observed), telemetry)

    def _server_spent_s(self) -> float | None:
        return cpu_time_s(self._backend) if self._spec.kept else self._spec.server.spent_s()

    def close(self) -> Witnesses:
        self._stage = "close"
        with self._readable_errors("close"):
            closed = self._spec.client.close(self._spec.arm)
        self.kill()
        return {"transactions": closed.transactions, "connections": closed.connections}

    def _leave(self) -> None:
        self._spec.client.leave(self._spec.arm)

    def _batch(self, count: int) -> Transactions:
        with self._readable_errors("measure"):
            return self._spec.client.measure(self._spec.arm, count, count * _LONGEST_S)

    def _check_server(self) -> None:
        self._spec.server.server.check(DYING_S)

    def _title(self) -> str:
        return f"database ({self._spec.level}, {self._spec.query})"

    def _explain(self, error: Exception, doing: str) -> tuple[str, str]:
        if isinstance(error, ClientFailure):
            return f"PostgreSQL reported: {error.reason.strip()}", "try again, and see its log"
        return f"the client failed: {error}", "report it"
