"""All the questions that a run can answer, asked of one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sectax.advice.anatomy import anatomies, own_anatomies, placed
from sectax.advice.decide import decide
from sectax.advice.growth import growths
from sectax.advice.longer import worths
from sectax.advice.pairs import pooled
from sectax.advice.quota import quota_uses
from sectax.advice.rates import NOT_ASKED, AskedRate, rate_advice
from sectax.advice.throttled import throttled
from sectax.model import advice as model
from sectax.model.advice_rules import AdviceRules
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList
from sectax.model.errors import WrongUse
from sectax.model.measured import Measured


@dataclass(frozen=True)
class Asked:
    """What somebody asks besides.

    Attributes:
        rate: the rate of calls that they have.
        counts: operation -> how many of it there are for another; rate_s: operations a second.
    """

    rate: AskedRate = NOT_ASKED
    counts: Mapping[str, float] = field(default_factory=dict)
    rate_s: float | None = None


NOTHING = Asked()


def advice(analysed: Analysed, rules: AdviceRules, prices: PriceList, asked: Asked = NOTHING) -> model.Advice:
    """The same of a run that was read and judged already."""
    measured = analysed.measured
    if asked.rate != NOT_ASKED and rules.by_rate is None:
        raise WrongUse(f"runs of {measured.plan.experiment} keep nothing between calls", "leave --calls and --ttl out")
    if (asked.rate_s or asked.counts) and (rules.choice is None or rules.choice.uses is None):
        raise WrongUse(f"runs of {measured.plan.experiment} have no price for an operation", "leave --rate out")
    if asked.counts and not (rules.choice and asked.counts.keys() <= rules.choice.usual.keys()):
        raise WrongUse(f"runs of {measured.plan.experiment} do not sign or verify", "leave --sign and --verify out")
    if asked.counts and rules.choice:
        operations = {cell.levels.get(rules.choice.mixed) for cell in measured.plan.cells}
        for operation, count in asked.counts.items():
            if count and operation not in operations:
                raise WrongUse(f"this run did not measure {operation!r}", f"leave --{operation} out, or measure it too")
    decision = decide(analysed, rules, prices, asked.counts, asked.rate_s)
    if decision is not None and rules.by_rate and (asked.rate_s or asked.rate != NOT_ASKED):
        decision = replace(decision, outlays=())  # what is asked by calls and TTL is answered by them
    return model.Advice(
        run_id=measured.run_id,
        plan=measured.plan,
        rules=rules,
        anatomies=tuple(all_anatomies(measured, rules)),
        growths=tuple(growths(measured, rules)) if rules.growth else (),
        throttled=tuple(throttled(measured)),
        pooled=tuple(pooled(analysed, rules.repeats, rules.metric)) if rules.repeats else (),
        rates=rate_advice(
            analysed, rules.metric, rules.by_rate, prices, replace(asked.rate, per_s=asked.rate_s or asked.rate.per_s)
        )
        if rules.by_rate
        else model.RateAdvice(),
        placed=tuple(placed(analysed, rules.places)) if rules.places else (),
        worths=tuple(worths(measured, rules.metric, rules.longer)) if rules.longer else (),
        quotas=tuple(quota_uses(analysed, rules.metric, rules.requests, prices, asked.rate_s))
        if rules.requests
        else (),
        analysed=analysed,
        asked_rate_s=asked.rate_s,
        decision=decision,
    )


def all_anatomies(measured: Measured, rules: AdviceRules) -> Iterator[model.Anatomy]:
    if rules.stages is not None:
        yield from anatomies(measured, rules.metric, rules.stages)
    if rules.parts is not None:
        yield from own_anatomies(measured, rules.metric, rules.parts)
