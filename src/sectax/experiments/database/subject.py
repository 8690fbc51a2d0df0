"""An arm as a subject: transactions by one way into the database, through a client that it shares with other arms."""

from __future__ import annotations

from dataclasses import dataclass, field

from sectax.experiments.client_server.client import Answered
from sectax.experiments.client_server.server import cpu_time_s
from sectax.experiments.client_server.started import DYING_S
from sectax.experiments.client_server.subject import ClientSubject
from sectax.experiments.database.client import PgClient, Transactions
from sectax.experiments.database.levels import QUERIES
from sectax.experiments.database.server import Postgres
from sectax.model.subject import Observation, Visit, Witnesses

# Longer than any transaction of these takes, on a machine that is very busy.
_LONGEST_S = 2.0
_WARMING = {True: 200, False: 2}  # transactions before any that counts: kept, new


@dataclass(frozen=True)
class DatabaseSpec:
    """One treatment. `arm` is its name in the client; `kept` is whether its connection stays open."""

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
        with self._asking("start"):
            self._spec.client.join(self._spec.arm)

    def open(self) -> Witnesses:
        """Connect, ask once, and see who says what of the connection.

        Returns:
            ssl, and where it is true tls and cipher, as pg_stat_ssl has them; authentication, as the server's log has
            it; rows of the answer; server, client and the clock's figures.
        """
        self.start()
        spec = self._spec
        with self._asking("open"):
            hello = spec.client.hello()
            connection = spec.server.connection(spec.level)
            opened = spec.client.open(spec.arm, connection, QUERIES[spec.query], kept=spec.kept, added_s=spec.added_s)
            warming = _WARMING[spec.kept]
            spec.client.measure(spec.arm, warming, warming * _LONGEST_S)
        self._backend = opened.backend
        if spec.kept:
            spec.server.keep(opened.backend)
        clock = self._begin_visits(hello.clock, spec.client.telemetry())
        shown: Witnesses = {"authentication": spec.server.authentication_method(opened.backend), "rows": opened.rows}
        return opened.witnesses | shown | {"client": hello.client} | clock

    def _measured(self, count: int) -> Visit:
        """Have transactions made.

        Observations, by the client's own clock: `latency` in seconds, one per transaction, and `connecting` of those
        with a connection of their own; `client_cpu`; `server_cpu`, of a new connection from its process's beginning to
        its end.
        """
        spent_s = self._server_spent_s()
        batch, spanned_s, ridden = self._watched(lambda: self._batch(count))
        spent_after_s = self._server_spent_s()
        if (complaint := batch.complaint(count, spanned_s)) is not None:
            raise self._failure(f"the client {complaint}", "report it")
        observed = self._times("latency", batch.elapsed_ns) + self._times("connecting", batch.connect_ns)
        observed.append(Observation("client_cpu", batch.cpu_ns * 1e-9, "s", "process CPU time", count))
        if spent_s is not None and spent_after_s is not None:
            observed.append(Observation("server_cpu", spent_after_s - spent_s, "s", "process CPU time", count))
        return Visit(tuple(observed), ridden)

    def _server_spent_s(self) -> float | None:
        return cpu_time_s(self._backend) if self._spec.kept else self._spec.server.spent_s()

    def close(self) -> Witnesses:
        """Let the arm go. Returns `transactions` and `connections` since it was opened."""
        self._stage = "close"
        with self._asking("close"):
            closed = self._spec.client.close(self._spec.arm)
        self.kill()
        return {"transactions": closed.transactions, "connections": closed.connections}

    def _leave(self) -> None:
        self._spec.client.leave(self._spec.arm)

    def _batch(self, count: int) -> Transactions:
        with self._asking("measure"):
            return self._spec.client.measure(self._spec.arm, count, count * _LONGEST_S)

    def _check_server(self) -> None:
        self._spec.server.server.check(DYING_S)

    def _title(self) -> str:
        return f"database ({self._spec.level}, {self._spec.query})"

    def _story(self, error: Exception, doing: str) -> tuple[str, str]:
        if isinstance(error, Answered):
            return f"PostgreSQL answers: {error.reason.strip()}", "try it again; its log may say more"
        return f"the client failed: {error}", "report it"
