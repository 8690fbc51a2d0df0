"""An arm as a subject: transactions by one way into the database, through a client that it shares with other arms."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import msgspec

from sectax.experiments.client_server.client import Answered
from sectax.experiments.client_server.server import ServerFailed, cpu_time_s
from sectax.experiments.client_server.started import DYING_S
from sectax.experiments.database.client import PgClient, Transactions
from sectax.experiments.database.levels import QUERIES
from sectax.experiments.database.server import Postgres
from sectax.hosts.process.errors import ChildError
from sectax.hosts.process.telemetry import NoTelemetry, difference
from sectax.hosts.registry import Telemetry
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Observation, Visit, Witnesses, Work
from sectax.text.printable import printable

_Trouble = (ChildError, Answered, msgspec.DecodeError)
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


class DatabaseSubject:
    """Implements `sectax.model.subject.Subject`."""

    def __init__(self, spec: DatabaseSpec) -> None:
        self.first: tuple[Observation, ...] = ()
        self._spec = spec
        self._telemetry: Telemetry = NoTelemetry()
        self._stage = "open"
        self._backend = 0

    def start(self) -> None:
        try:
            self._spec.client.join(self._spec.arm)
        except ChildError as error:
            raise self._failed(error) from error

    def open(self) -> Witnesses:
        """Connect, ask once, and see who says what of the connection.

        Returns:
            ssl, and where it is true tls and cipher, as pg_stat_ssl has them; authentication, as the server's log has
            it; rows of the answer; server, client and the clock's figures.
        """
        self.start()
        spec = self._spec
        try:
            hello = spec.client.hello()
            connection = spec.server.connection(spec.level)
            opened = spec.client.open(spec.arm, connection, QUERIES[spec.query], kept=spec.kept, added_s=spec.added_s)
            warming = _WARMING[spec.kept]
            spec.client.measure(spec.arm, warming, warming * _LONGEST_S)
        except _Trouble as error:
            raise self._failed(error) from error
        self._backend = opened.backend
        if spec.kept:
            spec.server.keep(opened.backend)
        self._telemetry = spec.client.conversation.telemetry()
        self._stage = "visit"
        return opened.witnesses | {
            "authentication": spec.server.method_of(opened.backend),
            "rows": opened.rows,
            "client": hello.client,
            "clock": str(hello.clock["name"]),
            "clock_granularity_s": int(hello.clock["granularity_ns"]) * 1e-9,
            "clock_read_s": int(hello.clock["read_ns"]) * 1e-9,
        }

    def visit(self, work: Work) -> Visit:
        """Have transactions made: `work.settle` of them thrown away, then `work.count`.

        Observations, by the client's own clock: `latency` in seconds, one per transaction, and `connecting` of those
        with a connection of their own; `client_cpu`; `server_cpu`, of a new connection from its process's beginning to
        its end.
        """
        if work.extra:
            raise ValueError("a transaction's known cost is DatabaseSpec.added_s; others cannot be added to it")
        if work.settle:
            self._batch(work.settle)
        spent_s = self._server_spent_s()
        before, began = self._telemetry.read(), time.monotonic()
        batch = self._batch(work.count)
        spanned_s, after = time.monotonic() - began, self._telemetry.read()
        spent_after_s = self._server_spent_s()
        if (complaint := batch.complaint(work.count, spanned_s)) is not None:
            raise self._failure(f"the client {complaint}", "report it")
        observed = [Observation("latency", elapsed * 1e-9, "s", "monotonic", 1) for elapsed in batch.elapsed_ns]
        observed += [Observation("connecting", took * 1e-9, "s", "monotonic", 1) for took in batch.connect_ns]
        observed.append(Observation("client_cpu", batch.cpu_ns * 1e-9, "s", "process CPU time", work.count))
        if spent_s is not None and spent_after_s is not None:
            observed.append(Observation("server_cpu", spent_after_s - spent_s, "s", "process CPU time", work.count))
        return Visit(tuple(observed), difference(before, after) | {"spanned_s": spanned_s})

    def _server_spent_s(self) -> float | None:
        return cpu_time_s(self._backend) if self._spec.kept else self._spec.server.spent_s()

    def close(self) -> Witnesses:
        """Let the arm go. Returns `transactions` and `connections` since it was opened."""
        self._stage = "close"
        try:
            closed = self._spec.client.close(self._spec.arm)
        except _Trouble as error:
            raise self._failed(error) from error
        self.kill()
        return {"transactions": closed.transactions, "connections": closed.connections}

    def kill(self) -> None:
        """Let the arm go at once; never raises."""
        self._telemetry.close()
        self._spec.client.leave(self._spec.arm)

    def _batch(self, count: int) -> Transactions:
        try:
            return self._spec.client.measure(self._spec.arm, count, count * _LONGEST_S)
        except _Trouble as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> Exception:
        try:
            self._spec.server.server.check(DYING_S)
        except ServerFailed as ended:
            self.kill()
            return ended
        if isinstance(error, Answered):
            return self._failure(f"PostgreSQL answers: {error.reason.strip()}", "try it again; its log may say more")
        return self._failure(f"the client failed: {error}", "report it")

    def _failure(self, message: str, hint: str) -> SubjectFailed:
        self.kill()
        spec = self._spec
        return SubjectFailed(printable(f"database ({spec.level}, {spec.query}): {message}"), hint, self._stage)
