"""All the questions that a run can answer, asked of one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sectax.advice.anatomy import anatomies, own_anatomies, placed, starving
from sectax.advice.decide import decide
from sectax.advice.growth import growths
from sectax.advice.limit import limit as limit_of
from sectax.advice.limit import smallest
from sectax.advice.longer import worths
from sectax.advice.price import priced, rented, requested
from sectax.advice.profile import mixes, pooled, profiles
from sectax.advice.rates import NOT_ASKED, AskedRate, rate_advice
from sectax.advice.results import event_sizes, results, throttled
from sectax.model import advice as model
from sectax.model.advice_rules import AdviceRules
from sectax.model.analysed import Analysed
from sectax.model.errors import WrongUse
from sectax.model.measured import Measured
from sectax.model.price_list import PriceList


@dataclass(frozen=True)
class Asked:
    """What somebody asks besides.

    Attributes:
        under_s: for the smallest level that keeps a statistic below it; statistic: which one, the experiment's usual
            one where nobody says.
        mix: kind of work -> its share: what every treatment makes of such work.
        machines: level of the control -> what an hour of its machine is in the price list; needs a mix.
        rate: the rate of calls that they have.
        counts: operation -> how many of it there are for another; rate_s: operations a second.
    """

    under_s: float | None = None
    statistic: str | None = None
    mix: Mapping[str, float] = field(default_factory=dict)
    machines: Mapping[str, str] = field(default_factory=dict)
    rate: AskedRate = NOT_ASKED
    counts: Mapping[str, float] = field(default_factory=dict)
    rate_s: float | None = None


NOTHING = Asked()


def advice(analysed: Analysed, rules: AdviceRules, prices: PriceList, asked: Asked = NOTHING) -> model.Advice:
    """The same of a run that was read and judged already."""
    measured, price, mix = analysed.measured, rules.price, asked.mix
    if asked.rate != NOT_ASKED and rules.by_rate is None:
        raise WrongUse(f"runs of {measured.plan.experiment} keep nothing between calls", "leave --calls and --ttl out")
    if (asked.rate_s or asked.counts) and (rules.choice is None or rules.choice.uses is None):
        raise WrongUse(f"runs of {measured.plan.experiment} have no price for an operation", "leave --rate out")
    if asked.counts and not (rules.choice and asked.counts.keys() <= rules.choice.usual.keys()):
        raise WrongUse(f"runs of {measured.plan.experiment} do not sign or verify", "leave --sign and --verify out")
    if asked.counts and rules.choice:
        there = {cell.levels.get(rules.choice.mixed) for cell in measured.plan.cells}
        for operation, count in asked.counts.items():
            if count and operation not in there:
                raise WrongUse(f"this run did not measure {operation!r}", f"leave --{operation} out, or measure it too")
    limit = None if asked.under_s is None else limit_of(measured.plan, rules.smallest, asked.under_s, asked.statistic)
    wanted = [] if price is None else [price.billed]
    profile = rules.profile
    if profile is None and (mix or asked.machines):
        raise WrongUse(f"runs of {measured.plan.experiment} have no kinds of work to mix", "leave --mix and --vm out")
    mixed = mixes(analysed, profile, rules.metric, mix) if profile and mix else ()
    if limit is not None and rules.smallest is not None:
        wanted.append(rules.smallest.statistics[limit.statistic])
    decision = decide(analysed, rules, prices, asked.counts, asked.rate_s)
    if decision is not None and rules.by_rate and (asked.rate_s or asked.rate != NOT_ASKED):
        decision = replace(decision, outlays=())  # what is asked by calls and TTL is answered by them
    return model.Advice(
        run_id=measured.run_id,
        plan=measured.plan,
        rules=rules,
        anatomies=tuple(all_anatomies(measured, rules)),
        growths=tuple(growths(measured, rules)) if rules.growth else (),
        event_sizes=tuple(event_sizes(analysed)),
        throttled=tuple(throttled(measured)),
        priced=tuple(priced(analysed, rules, price, prices)) if price else (),
        unpriced=price is not None
        and any(result.estimates[price.billed].high is None for result in results(analysed, price.billed)),
        limit=limit,
        smallest=tuple(smallest(analysed, rules.smallest, limit)) if limit and rules.smallest else (),
        lacking=tuple(metric for metric in wanted if not any(results(analysed, metric))),
        profiles=profiles(analysed, profile, rules.metric) if profile else (),
        mix=dict(mix),
        mixes=mixed,
        pooled=tuple(pooled(analysed, profile, rules.metric)) if profile else (),
        rents=tuple(rented(measured.plan, mixed, asked.machines, prices)),
        starving=tuple(starving(analysed, rules.metric, rules.starved)) if rules.starved else (),
        rates=rate_advice(
            analysed, rules.metric, rules.by_rate, prices, replace(asked.rate, per_s=asked.rate_s or asked.rate.per_s)
        )
        if rules.by_rate
        else model.RateAdvice(),
        placed=tuple(placed(analysed, rules.places)) if rules.places else (),
        worths=tuple(worths(measured, rules.metric, rules.longer)) if rules.longer else (),
        requested=tuple(requested(analysed, rules.metric, rules.requests, prices, asked.rate_s))
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


def breakdown(measured: Measured, rules: AdviceRules) -> model.Breakdown:
    """Where the time of a run goes, and how it grows."""
    return model.Breakdown(rules.metric, tuple(all_anatomies(measured, rules)), tuple(growths(measured, rules)))
