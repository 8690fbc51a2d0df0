"""Requests to a service behind a filter: off, detecting or blocking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sectax.experiments.advice import cost_rows
from sectax.experiments.client_server.metrics import LATENCY, SERVER_CPU
from sectax.experiments.http.parts import CLIENT
from sectax.experiments.interface import Bench, Design, Experiment, Machine, Rules, RunRequest
from sectax.experiments.levels import choose
from sectax.experiments.waf import levels as waf
from sectax.experiments.waf.parts import SERVER
from sectax.model.advice import AdviceRow, UserWorkload
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList
from sectax.model.plan import OTHERS, Plan
from sectax.model.subject import Witness
from sectax.model.treatment import Factor

Levels = Mapping[str, str]

_ROUNDS = {"quick": (2, 32), "default": (2, 32)}
_TURN_S = 0.008
_TRANSFERS = (
    "The added time applies to Coraza with this rule set, these requests and this processor, for any page. The ratio "
    "does not: the page behind the filter does nothing, and yours takes longer."
)


class WafExperiment(Experiment):
    """Coraza with the OWASP Core Rule Set: detection and blocking."""

    name = "waf"
    title = "What does a web application firewall add to a request?"
    presets = ("default", "quick")
    factors: tuple[Factor, ...] = waf.FACTORS

    def design(self, request: RunRequest, machine: Machine) -> Design:
        return Design(
            factors=choose(waf.FACTORS, waf.PRESETS[request.preset], request.levels),
            control=waf.CONTROL,
            baseline=waf.OFF,
            metrics=waf.METRICS,
            rules=Rules(
                family=lambda levels: "all",
                lacks=lambda levels: (machine.lacks(CLIENT), machine.lacks(SERVER)),
                declares=_declares,
                primary={"body": (waf.NO_BODY,)},
                extra_operations=False,
            ),
            transfers=_TRANSFERS,
            batch_s=_TURN_S,
            rounds_range=_ROUNDS[request.preset],
            one_processor=True,
            services_on=OTHERS,
            options={"folder": (machine.folder,)},
            answered_by=(
                "the answer is the time added to a request, under 'difference': the page behind the filter does "
                "nothing, so the ratio says little about yours; CPU time of the server is shown next to it"
            ),
            beside=(SERVER_CPU.name,),
            words=waf.WORDS,
        )

    def bench(self, plan: Plan) -> Bench:
        from sectax.experiments.waf.bench import WafBench

        return WafBench(plan)

    def advice_rules(self, plan: Plan) -> AdviceRules:
        choice = Choice(
            what="requests", picks=False, in_time=True, month_by_default=False, changes="rule set, request or processor"
        )
        return AdviceRules(LATENCY.name, choice)

    def advice_rows(self, analysed: Analysed, prices: PriceList, asked: UserWorkload) -> Iterator[AdviceRow]:
        return cost_rows(analysed, {LATENCY.name: "latency", SERVER_CPU.name: "CPU time of the server"})

    def requirements(self) -> tuple[str, ...]:
        return (CLIENT, SERVER)


def _declares(levels: Levels) -> dict[str, Witness]:
    """Only a blocking filter rejects attacks, and no filter rejects clean requests."""
    mode = levels[waf.CONTROL]
    blocked = mode == waf.BLOCKING and levels["request"] == waf.ATTACK
    declared: dict[str, Witness] = {"status": waf.FORBIDDEN if blocked else waf.OK, "mode": mode, "served": True}
    declared["rules_matched"] = mode != waf.OFF and levels["request"] == waf.ATTACK
    if mode != waf.OFF:
        declared["paranoia"] = int(levels["paranoia"])
    return declared


EXPERIMENT = WafExperiment()
