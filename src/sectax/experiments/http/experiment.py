"""Any number of URLs against a baseline: sequential, concurrent or on a schedule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sectax.experiments.client_server import load
from sectax.experiments.client_server.connections import connection_rows, connection_times
from sectax.experiments.client_server.metrics import CLIENT_CPU, LATENCY
from sectax.experiments.client_server.round_trips import observed_steps, round_trip_rows
from sectax.experiments.http import levels as http
from sectax.experiments.http import services
from sectax.experiments.http.parts import CLIENT
from sectax.experiments.interface import Bench, Design, Experiment, Machine, Rules, RunRequest
from sectax.experiments.levels import choose
from sectax.experiments.named import BASELINE, FOLDER
from sectax.model.advice import AdviceRow, UserWorkload
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList
from sectax.model.plan import OTHERS, Contents, Plan
from sectax.model.treatment import Factor

Levels = Mapping[str, str]

_ROUNDS = {"quick": (2, 48), "default": (2, 64)}
# Long enough that the first requests do not count: a service that was idle for a round is slower, by a third for
# requests of half a millisecond.
_TURN_S = 0.008
# Nagle's algorithm delays a second small write until the first is acknowledged; a client with nothing to send delays
# that by 40 ms, except on a new connection.
_KEPT_WAITS = "let the server write each answer at once, or set TCP_NODELAY: the rest waits 40 ms for a delayed ACK"
_RETRY = "one more after a HelloRetryRequest, which this client does not report"
_TRANSFERS = (
    "It applies to these services, requests, client and network. A client and a service on the same machine share its "
    "processors."
)


class HttpExperiment(Experiment):
    """Requests to any URLs: latency, rate, the client's CPU time, bytes."""

    name = "http"
    title = "How much slower is one service than another?"
    presets = ("default", "quick")
    factors = http.FACTORS
    options = services.OPTIONS
    instead = services.INSTEAD
    word = "URL"

    add_arguments = staticmethod(services.with_urls)
    hidden = staticmethod(services.hidden)

    def design(self, request: RunRequest, machine: Machine) -> Design:
        options = dict(request.options) | {FOLDER: (machine.folder,)}
        named = tuple(services.read_services(options))
        services.timeout_s(options)
        levels = dict(request.levels)
        if rate := http.rate_level(options, levels):
            levels["load"] = rate
        levels.setdefault("load", http.PRESET["load"])
        if any(map(load.target_rate, load.load_levels(levels["load"]))):
            levels.setdefault("concurrency", (load.OPEN_CONCURRENCY,))
        levels.setdefault("concurrency", http.PRESET["concurrency"])
        own = {
            "concurrency": load.concurrency_levels(levels["concurrency"]),
            "load": load.load_levels(levels["load"]),
            http.CONTROL: named,
        }
        known = tuple(Factor(factor.name, own.get(factor.name, factor.levels)) for factor in http.FACTORS)
        factors = choose(
            known, http.PRESET | own, {name: levels[name] for name in levels if name not in own or name == http.CONTROL}
        )
        clients = load.client_count(options)
        load.check_shares(clients, own["concurrency"], own["load"])
        one_by_one = own["concurrency"] == ("1",) and own["load"] == (load.CLOSED,)
        return Design(
            factors=factors,
            control=http.CONTROL,
            baseline=BASELINE,
            metrics=http.METRICS,
            rules=Rules(
                family=_family,
                # A delay added to requests that wait for each other shows several times, or never.
                positive=lambda levels: load.in_flight(levels) == 1,
                lacks=lambda levels: (machine.lacks(CLIENT),),
                extra_operations=False,
            ),
            transfers=_TRANSFERS + load.clients_note(clients),
            batch_s=_TURN_S if one_by_one else load.OVERLAPPING_S,
            rounds_range=_ROUNDS[request.preset],
            one_processor=one_by_one,
            services_on=OTHERS,
            options=options,
            answered_by=(
                "the answer is latency, to the last byte of the body, which is what a caller waits for; CPU time of "
                "the client is shown next to it"
            ),
            beside=(CLIENT_CPU.name,),
            contents=Contents(
                parts={http.NEW: (http.KEPT,)}, operation_factor="connection", waits={http.KEPT: _KEPT_WAITS}
            ),
            equal_witnesses=("protocol", *(() if options.get("bodies-differ") else ("body",))),
            words=http.WORDS,
        )

    def bench(self, plan: Plan) -> Bench:
        from sectax.experiments.http.bench import HttpBench

        return HttpBench(plan)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        choice = Choice(
            what="requests",
            picks=False,  # a proxy or filter has a purpose: never recommend to drop it
            explained=((CLIENT_CPU.name, "CPU time of the client"), ("first_byte", "the wait for the first byte")),
            month_by_default=False,
            changes="service, request or network",
        )
        return AdviceRules(LATENCY.name, choice)

    def advice_rows(self, analysed: Analysed, prices: PriceList, asked: UserWorkload) -> Iterator[AdviceRow]:
        measured = analysed.measured
        yield from connection_rows(measured, connection_times(measured, LATENCY.name, http.NEW, http.KEPT), "requests")
        fresh = (treatment for treatment in measured.plan.treatments if treatment.levels.get("connection") == http.NEW)
        yield from round_trip_rows(measured, observed_steps(measured, fresh, "tls"), _RETRY)

    def requirements(self) -> tuple[str, ...]:
        return (CLIENT,)


def _family(levels: Levels) -> str:
    at_once = "" if levels["load"] == load.CLOSED and levels["concurrency"] == "1" else ", several at once"
    return f"{levels['protocol']}, {levels['connection']}{at_once}"


EXPERIMENT = HttpExperiment()
