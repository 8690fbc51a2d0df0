"""Transactions on the run's own PostgreSQL, over loopback, by access method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sectax.experiments.advice import cost_rows
from sectax.experiments.client_server.connections import connection_rows, connection_times
from sectax.experiments.client_server.metrics import CLIENT_CPU, LATENCY
from sectax.experiments.client_server.round_trips import (
    RoundTrips,
    only_witness,
    round_trip_rows,
    tls_round_trips,
)
from sectax.experiments.database import levels as database
from sectax.experiments.database.parts import CLIENT, SERVER
from sectax.experiments.interface import Bench, Design, Experiment, Machine, Rules, RunRequest
from sectax.experiments.levels import choose
from sectax.model.advice import AdviceRow, UserWorkload
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList
from sectax.model.measured import Measured
from sectax.model.plan import OTHERS, Plan
from sectax.model.subject import Witness
from sectax.model.why_not import WhyNot

Levels = Mapping[str, str]

_ROUNDS = {"quick": (2, 32), "default": (2, 48)}
_TURN_S = 0.008
_TRANSFERS = (
    "It applies to these versions of PostgreSQL and libpq on this machine, over loopback: a network adds its round "
    "trips, and a new TLS 1.3 connection has one more. Longer queries become slower by the same time, not ratio."
)
_WEIGH = "keep connections open, as a pool does: sectax advise says how many transactions a new one costs"
_DIRECT = "libpq 17 does without the one to ask for TLS (sslnegotiation=direct)"
_SAME_KEPT = "it differs only when a connection is opened: measured with connection=new"


class DatabaseExperiment(Experiment):
    """TLS by libpq's sslmode; passwords by SCRAM-SHA-256 or MD5."""

    name = "database"
    title = "What do TLS and passwords cost the clients of PostgreSQL?"
    presets = ("default", "quick")
    factors = database.FACTORS

    def design(self, request: RunRequest, machine: Machine) -> Design:
        return Design(
            factors=choose(database.FACTORS, database.PRESETS[request.preset], request.levels),
            control=database.CONTROL,
            baseline=database.BASELINE,
            metrics=database.METRICS,
            rules=Rules(
                family=lambda levels: levels["connection"],
                lacks=lambda levels: _lacks(machine, levels),
                declares=_declares,
                extra_operations=False,
            ),
            transfers=_TRANSFERS,
            batch_s=_TURN_S,
            rounds_range=_ROUNDS[request.preset],
            one_processor=True,
            services_on=OTHERS,
            answered_by=(
                "the answer is latency: of a query over an open connection, or of connecting, a query and "
                "disconnecting over a new one"
            ),
            beside=(CLIENT_CPU.name,),
            equal_witnesses=("server", "client", "rows"),
            words=database.WORDS,
        )

    def bench(self, plan: Plan) -> Bench:
        from sectax.experiments.database.bench import DatabaseBench

        return DatabaseBench(plan)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        explained = ((CLIENT_CPU.name, "CPU time of the client"), ("connecting", "the time to connect"))
        choice = Choice(
            what="transactions",
            picks=False,
            in_time=True,
            explained=explained,
            month_by_default=False,
            caveats=database.CAVEATS,
            weigh=_WEIGH,
            changes="library or key",
        )
        return AdviceRules(LATENCY.name, choice)

    def advice_rows(self, analysed: Analysed, prices: PriceList, asked: UserWorkload) -> Iterator[AdviceRow]:
        measured = analysed.measured
        yield from cost_rows(analysed, {LATENCY.name: "latency", CLIENT_CPU.name: "CPU time of the client"})
        times = connection_times(measured, LATENCY.name, database.NEW, database.KEPT)
        yield from connection_rows(measured, times, "transactions")
        yield from round_trip_rows(measured, _connecting(measured), _DIRECT)

    def requirements(self) -> tuple[str, ...]:
        return (SERVER, CLIENT)


def _connecting(measured: Measured) -> dict[str, tuple[RoundTrips, ...] | None]:
    """Steps of a new connection by PostgreSQL's protocol, until it is ready for a query."""
    fresh = [treatment for treatment in measured.plan.treatments if treatment.levels.get("connection") == database.NEW]
    steps: dict[str, tuple[RoundTrips, ...] | None] = {}
    for treatment in fresh:
        method = str(only_witness(measured, treatment, "authentication"))
        encrypted = only_witness(measured, treatment, "ssl")
        secured = tls_round_trips(str(only_witness(measured, treatment, "tls")))
        if method not in database.LOGINS or encrypted is None or (encrypted and secured is None):
            continue
        request = (RoundTrips(1, "to ask for TLS"), secured) if encrypted and secured is not None else ()
        steps[treatment.id] = (*request, RoundTrips(database.LOGINS[method], f"to log in ({method})"))
    return steps


def _lacks(machine: Machine, levels: Levels) -> Iterable[WhyNot | None]:
    if levels["connection"] == database.KEPT and levels[database.CONTROL] in ("verify-full", "md5", "trust"):
        yield WhyNot(_SAME_KEPT)
    if levels["connection"] == database.NEW and levels["query"] != database.SELECT:
        yield WhyNot("the size of an answer is measured over open connections only")
    yield machine.lacks(SERVER)
    yield machine.lacks(CLIENT)


def _declares(levels: Levels) -> dict[str, Witness]:
    """As reported by the server: pg_stat_ssl, and authentication in its log."""
    access = database.ACCESS[levels[database.CONTROL]]
    return {"ssl": access.sslmode != database.BASELINE, "authentication": access.method}


EXPERIMENT = DatabaseExperiment()
