"""The experiment: any number of URLs against a baseline, one request at a time, many at once, or on schedule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sectax.experiments.client_server import load
from sectax.experiments.client_server.connections import connection_rows, new_and_kept
from sectax.experiments.client_server.metrics import CLIENT_CPU, LATENCY
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
# One request at a time: a service that was asked last a round ago answers later than one that was just asked, by a
# third where it takes half a millisecond. The controls ask the baseline, so the first requests of a turn do not count.
_TURN_S = 0.008
# Nagle's algorithm holds a second small write back until the first is acknowledged, and a client that is not about to
# send waits for 40 ms with that; on a new connection it acknowledges at once.
_KEPT_WAITS = "let the server write each answer at once, or set TCP_NODELAY: the rest waits 40 ms for a delayed ACK"
_TRANSFERS = (
    "It holds for these services with these requests, as they answered this client over this network. The client and "
    "a service on the same machine share its processors."
)


class HttpExperiment(Experiment):
    """Requests to any URLs: latency, requests per second, CPU time of the client, bytes each way."""

    name = "http"
    title = "How much slower does one service answer than the other?"
    presets = ("default", "quick")
    factors = http.FACTORS
    options = services.OPTIONS
    instead = services.INSTEAD
    word = "URL"

    with_words = staticmethod(services.with_urls)
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
        many = load.client_count(options)
        load.check_shares(many, own["concurrency"], own["load"])
        one_by_one = own["concurrency"] == ("1",) and own["load"] == (load.CLOSED,)
        return Design(
            factors=factors,
            control=http.CONTROL,
            baseline=BASELINE,
            metrics=http.METRICS,
            rules=Rules(
                family=_family,
                # What is added to requests that wait for each other shows many times over, or not at all.
                positive=lambda levels: load.in_flight(levels) == 1,
                lacks=lambda levels: (machine.lacks(CLIENT),),
                extra_operations=False,
            ),
            transfers=_TRANSFERS + load.of_clients(many),
            batch_s=_TURN_S if one_by_one else load.OVERLAPPING_S,
            rounds_range=_ROUNDS[request.preset],
            # The client sends one request at a time, from its processor; a server that the run starts has the others.
            one_processor=one_by_one,
            services_on=OTHERS,
            options=options,
            answered_by=(
                "the answer is latency, to the last byte of the body: it is what a caller waits for; CPU time of the "
                "client stands beside it"
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
            picks=False,  # what was put in front of a service is there for a reason
            explained=((CLIENT_CPU.name, "CPU time of the client"), ("first_byte", "the wait for the first byte")),
            month_by_default=False,
            changes="service, request or network",
        )
        return AdviceRules(LATENCY.name, choice)

    def advice_rows(self, analysed: Analysed, prices: PriceList, asked: UserWorkload) -> Iterator[AdviceRow]:
        measured = analysed.measured
        return connection_rows(measured, new_and_kept(measured, LATENCY.name, http.NEW, http.KEPT), "requests")

    def requirements(self) -> tuple[str, ...]:
        return (CLIENT,)


def _family(levels: Levels) -> str:
    """Cells of one kind of client share its controls."""
    at_once = "" if levels["load"] == load.CLOSED and levels["concurrency"] == "1" else ", several at once"
    return f"{levels['protocol']}, {levels['connection']}{at_once}"


EXPERIMENT = HttpExperiment()
