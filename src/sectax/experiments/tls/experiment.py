"""TLS setups compared connection by connection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sectax.experiments.advice import column
from sectax.experiments.client_server.connections import connection_rows
from sectax.experiments.client_server.round_trips import observed_steps, round_trip_rows
from sectax.experiments.interface import Bench, Design, Experiment, Machine, Rules, RunRequest, Wanted
from sectax.experiments.tls import levels as tls
from sectax.experiments.tls.parts import PARTS
from sectax.model.advice import AdviceRow, UserWorkload
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList
from sectax.model.errors import WrongUse
from sectax.model.plan import OTHERS, Plan
from sectax.model.treatment import MEASURED, Factor
from sectax.model.why_not import WhyNot

# Not supported by a library as client or server.
_LACKS = {
    tls.GO: {tls.ML_DSA: "Go's crypto/tls has no ML-DSA certificates"},
    tls.RUSTLS: {"SecP384r1MLKEM1024": "rustls on aws-lc-rs does not have SecP384r1MLKEM1024"},
    tls.OPENSSL: {},
}
_ROUNDS = {"quick": (2, 64), "default": (2, 96)}
_TRANSFERS = (
    "It applies to this library and processor, over loopback, where round trips take no time: --delay adds some. The "
    "chain is a root and a leaf; most public ones have one more certificate."
)
_WEIGH = (
    "a hybrid group (ML-KEM) protects traffic recorded today from future quantum computers, and costs nothing on "
    "an open connection; RSA certificates cost the server most"
)


class TlsExperiment(Experiment):
    """TLS connections: first byte, handshake, requests, CPU time, bytes."""

    name = "tls"
    title = "What does TLS cost a connection?"
    presets = ("default", "quick")
    factors = tls.FACTORS
    options = tls.OPTIONS
    budgets_s: Mapping[str, float] = {"quick": 60.0, "default": 240.0}

    def wants(self, request: RunRequest) -> Wanted:
        libraries, _ = tls.setups(request.preset, request.levels)
        return Wanted(parts=tuple(dict.fromkeys(PARTS[library] for library in (*libraries, *_line(request)))))

    def design(self, request: RunRequest, machine: Machine) -> Design:
        libraries, variants = tls.setups(request.preset, request.levels)
        is_slow = tls.delay_s(request.options) > 0
        base = next(iter(variants))
        control = tls.CONTROL
        if len(variants) == 1:
            if len(libraries) == 1:
                raise WrongUse(
                    f"there is nothing to compare {base} with {libraries[0]} to",
                    "add a level, as in --level group=X25519,X25519MLKEM768, or --level library=go,rustls",
                )
            control = tls.LIBRARY.name
        return Design(
            factors=(Factor(tls.LIBRARY.name, libraries), Factor(tls.CONTROL, tuple(variants))),
            control=control,
            baseline=base if control == tls.CONTROL else libraries[0],
            metrics=tls.METRICS,
            rules=Rules(
                family=lambda levels: levels.get(tls.LIBRARY.name, "all"),
                lacks=lambda levels: _lacks(
                    levels[tls.LIBRARY.name], variants[levels[tls.CONTROL]], machine, _line(request)
                ),
                declares=lambda levels: variants[levels[tls.CONTROL]].declares(levels[tls.LIBRARY.name]),
                extra_operations=False,
            ),
            transfers=_TRANSFERS,
            batch_s=0.0,
            rounds_range=_ROUNDS[request.preset],
            one_processor=True,
            services_on=OTHERS,
            settles=not is_slow,
            equal_counts=True,
            options=dict(request.options) | tls.levels_option(request.levels),
            answered_by=(
                "the answer is the time from the start of the handshake (after the TCP connect) to the first byte of "
                "the first answer: it is what a caller waits for, and includes the check of a client certificate"
            ),
            beside=(tls.HANDSHAKE.name, tls.CLIENT_CPU.name, tls.SERVER_CPU.name),
            words=tls.WORDS,
        )

    def bench(self, plan: Plan) -> Bench:
        from sectax.experiments.tls.bench import TlsBench

        return TlsBench(plan)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        choice = Choice(
            picks=False,
            what="new connections",
            explained=((tls.HANDSHAKE.name, "the handshake"), (tls.REQUEST.name, "a request")),
            month_by_default=False,
            weigh=_WEIGH,
            changes="library or processor",
        )
        return AdviceRules(tls.NEW.name, choice)

    def advice_rows(self, analysed: Analysed, prices: PriceList, asked: UserWorkload) -> Iterator[AdviceRow]:
        measured = analysed.measured
        times = (
            (treatment, column(measured, tls.NEW.name, treatment), column(measured, tls.REQUEST.name, treatment))
            for treatment in measured.plan.treatments
            if treatment.role in MEASURED
        )
        yield from connection_rows(measured, times, "requests")
        yield from round_trip_rows(
            measured, observed_steps(measured, measured.plan.treatments, "protocol", none=tls.NO_TLS)
        )

    def requirements(self) -> tuple[str, ...]:
        return tuple(PARTS.values())

    def level_requirements(self, levels: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        libraries, _ = tls.setups("default", levels)
        return tuple(PARTS[library] for library in libraries)


def _line(request: RunRequest) -> tuple[str, ...]:
    """Library of the delaying relay: always Go."""
    return (tls.GO,) if tls.delay_s(request.options) else ()


def _lacks(library: str, setup: tls.Setup, machine: Machine, line: tuple[str, ...]) -> Iterator[WhyNot | None]:
    for reason in tls.impossible(setup):
        yield WhyNot(reason)
    for level in (setup.group, setup.certificate):
        if setup.protocol != tls.NO_TLS and level in _LACKS[library]:
            yield WhyNot(_LACKS[library][level])
    for part in dict.fromkeys((library, *line)):
        yield machine.lacks(PARTS[part])


EXPERIMENT = TlsExperiment()
