"""From a run to advice: where the time goes, how it grows with the size, and what a million requests cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sectax.analysis.anatomy import anatomies, own_anatomies, placed, starving
from sectax.analysis.growth import growths
from sectax.analysis.profile import mixes, pooled, profiles
from sectax.experiments import registry
from sectax.experiments.interface import SupportsAdvice
from sectax.model import advice as model
from sectax.model.advice_rules import AdviceRules, Price, Requests, SmallestUnder
from sectax.model.analysed import Analysed
from sectax.model.bill import Usage
from sectax.model.errors import SectaxError, WrongUse
from sectax.model.finding import TreatmentResult, alike, is_decided
from sectax.model.measured import Measured
from sectax.model.near import did_you_mean
from sectax.model.plan import Plan
from sectax.model.treatment import MEASURED, Role
from sectax.prices import PriceList, bill, load
from sectax.workflow.advise_rates import NOT_ASKED, AskedRate, rate_advice
from sectax.workflow.analyse import analyse_file


@dataclass(frozen=True)
class Asked:
    """What somebody asks besides.

    Attributes:
        under_s: for the smallest level that keeps a statistic below it; statistic: which one, the experiment's usual
            one where nobody says.
        mix: kind of work -> its share: what every treatment makes of such work.
        machines: level of the control -> what an hour of its machine is in the price list; needs a mix.
        rate: the rate of calls that they have.
    """

    under_s: float | None = None
    statistic: str | None = None
    mix: Mapping[str, float] = field(default_factory=dict)
    machines: Mapping[str, str] = field(default_factory=dict)
    rate: AskedRate = NOT_ASKED


_NOTHING = Asked()


def advise(run_file: Path, asked: Asked = _NOTHING, prices: Path | None = None) -> model.Advice:
    """What a run says to whoever must decide.

    Args:
        prices: the user's own price list; None for the built-in one.
    Raises:
        WrongUse: the experiment has no advice to give, knows no such statistic or no rates, or a price is missing.
    """
    price_list = load(prices)
    analysed = analyse_file(run_file)
    plan = analysed.measured.plan
    experiment = registry.load(plan.experiment)
    if not isinstance(experiment, SupportsAdvice):
        raise WrongUse(f"there is no advice for runs of {plan.experiment} yet", "sectax show prints what it found")
    rules = experiment.advice_rules(plan)
    return advice(analysed, rules, price_list, asked)


def advice(analysed: Analysed, rules: AdviceRules, prices: PriceList, asked: Asked = _NOTHING) -> model.Advice:
    """The same of a run that was read and judged already."""
    measured, price, mix = analysed.measured, rules.price, asked.mix
    if asked.rate != NOT_ASKED and rules.by_rate is None:
        raise WrongUse(f"advice for runs of {measured.plan.experiment} knows no rate of calls", "leave it out")
    limit = None if asked.under_s is None else _limit(measured.plan, rules.smallest, asked.under_s, asked.statistic)
    wanted = [] if price is None else [price.billed]
    profile = rules.profile
    if profile is None and (mix or asked.machines):
        raise WrongUse(f"runs of {measured.plan.experiment} have no kinds of work to mix", "leave --mix and --vm out")
    mixed = mixes(analysed, profile, rules.metric, mix) if profile and mix else ()
    if limit is not None and rules.smallest is not None:
        wanted.append(rules.smallest.statistics[limit.statistic])
    return model.Advice(
        run_id=measured.run_id,
        plan=measured.plan,
        rules=rules,
        anatomies=tuple(_anatomies(measured, rules)),
        growths=tuple(growths(measured, rules)) if rules.growth else (),
        event_sizes=tuple(_event_sizes(analysed)),
        throttled=tuple(_throttled(measured)),
        priced=tuple(_priced(analysed, rules, price, prices)) if price else (),
        unpriced=price is not None
        and any(each.estimates[price.billed].high is None for each in _results(analysed, price.billed)),
        limit=limit,
        smallest=tuple(_smallest(analysed, rules.smallest, limit)) if limit and rules.smallest else (),
        lacking=tuple(metric for metric in wanted if not any(_results(analysed, metric))),
        profiles=profiles(analysed, profile, rules.metric) if profile else (),
        mix=dict(mix),
        mixes=mixed,
        pooled=tuple(pooled(analysed, profile, rules.metric)) if profile else (),
        rents=tuple(_rented(measured.plan, mixed, asked.machines, prices)),
        starving=tuple(starving(analysed, rules.metric, rules.starved)) if rules.starved else (),
        rates=rate_advice(analysed, rules.metric, rules.by_rate, prices, asked.rate)
        if rules.by_rate
        else model.RateAdvice(),
        placed=tuple(placed(analysed, rules.places)) if rules.places else (),
        requested=tuple(_requested(analysed, rules.metric, rules.requests, prices)) if rules.requests else (),
    )


def _rented(
    plan: Plan, mixed: tuple[model.Mixed, ...], machines: Mapping[str, str], prices: PriceList
) -> Iterator[model.Rented]:
    """What an hour of work on the baseline's machine costs on the others.

    Raises:
        WrongUse: there is no mix, a machine of a level that there is none of, or none of the baseline.
    """
    if not machines:
        return
    if not mixed:
        raise WrongUse("--vm needs to know the work", "add its mix, as in --mix cpu=60,memory=20,syscalls=20")
    levels = next(factor.levels for factor in plan.factors if factor.name == plan.control)
    baseline = plan.treatment(plan.cells[0].baseline).levels[plan.control]
    for name in machines:
        if name not in levels:
            raise WrongUse(f"--vm {name}: the run has no {plan.control} of this name", did_you_mean(name, levels))
    if baseline not in machines:
        raise WrongUse(f"--vm says nothing of {baseline}, the baseline", f"add --vm {baseline}=ITEM")
    here = bill([Usage(machines[baseline], 1.0)], prices)
    for each in mixed:
        machine = machines.get(each.levels[plan.control])
        if machine is None or each.ratio is None or each.ratio.low is None or each.ratio.high is None:
            continue
        total, least, most = (
            bill([Usage(machine, hours)], prices) for hours in (each.ratio.point, each.ratio.low, each.ratio.high)
        )
        yield model.Rented(each.levels, here, total, least.total, most.total)


def breakdown(analysed: Analysed) -> model.Breakdown | None:
    """Where the time of any run goes, by the rules of its experiment; None where its first metric is no time.

    An experiment that gives no advice has at most sizes, which its plan knows.
    """
    measured, plan = analysed.measured, analysed.measured.plan
    rules = AdviceRules(plan.metrics[0].name)
    try:
        experiment: object = registry.load(plan.experiment)
    except SectaxError:  # the run is from elsewhere, and its experiment is not here
        experiment = None
    if isinstance(experiment, SupportsAdvice):
        rules = experiment.advice_rules(plan)
    elif plan.metrics[0].unit != "s":
        return None
    return model.Breakdown(rules.metric, tuple(_anatomies(measured, rules)), tuple(growths(measured, rules)))


def _anatomies(measured: Measured, rules: AdviceRules) -> Iterator[model.Anatomy]:
    if rules.stages is not None:
        yield from anatomies(measured, rules.metric, rules.stages)
    if rules.parts is not None:
        yield from own_anatomies(measured, rules.metric, rules.parts)


def _results(analysed: Analysed, metric: str) -> Iterator[TreatmentResult]:
    return (each for each in analysed.treatments if each.role in MEASURED and metric in each.estimates)


def _priced(analysed: Analysed, rules: AdviceRules, price: Price, prices: PriceList) -> Iterator[model.Priced]:
    undecided = {
        finding.comparison.treatment
        for finding in analysed.findings
        if finding.comparison.metric == rules.metric and not is_decided(finding)
    }
    for result in _results(analysed, price.billed):
        # A stage is there to be subtracted; nobody deploys it, unless it is the baseline.
        if result.role != Role.BASELINE.value and rules.is_stage(result.levels):
            continue
        billed = result.estimates[price.billed]
        if billed.low is None or billed.high is None:
            continue
        total, least, most = (
            bill(price.uses(model.MILLION, seconds, result), prices)
            for seconds in (billed.point, billed.low, billed.high)
        )
        memory_mb = int(result.levels[price.memory])
        cell = analysed.measured.plan.treatment(result.treatment).cell
        yield model.Priced(
            cell,
            result.treatment,
            memory_mb,
            billed.point,
            total,
            least.total,
            most.total,
            result.treatment not in undecided,
        )


def _requested(analysed: Analysed, metric: str, rule: Requests, prices: PriceList) -> Iterator[model.Requested]:
    for result in _results(analysed, metric):
        cell, rate = analysed.measured.plan.treatment(result.treatment).cell, rule.rate(result)
        for way, usages in rule.uses(model.MILLION, result.levels).items():
            limited = sum(each.amount for each in usages if each.item == rule.limited) / model.MILLION
            yield model.Requested(
                cell,
                result.treatment,
                way,
                bill(usages, prices),
                limited_s=limited * rate if rate and limited else None,
                quota_s=prices.quotas[rule.limited].per_s if limited and rule.limited in prices.quotas else None,
            )


def _event_sizes(analysed: Analysed) -> Iterator[model.EventSize]:
    """The event of every size; where treatments are sent unlike ones, the largest."""
    contents = analysed.measured.plan.contents
    if contents is None:
        return
    largest: dict[str, int] = {}
    for result in analysed.treatments:
        sent, level = result.witnesses.get("event_bytes"), result.levels.get(contents.size_factor, "")
        if isinstance(sent, int) and level in contents.sizes:
            largest[level] = max(sent, largest.get(level, 0))
    for level, sent in largest.items():
        yield model.EventSize(level, sent, sent / contents.sizes[level])


def _throttled(measured: Measured) -> Iterator[model.Throttled]:
    for treatment in measured.plan.treatments:
        counted = measured.telemetry.get(treatment.id, {})
        periods, throttled = counted.get("periods"), counted.get("throttled_periods")
        if treatment.role in MEASURED and periods and throttled is not None:
            yield model.Throttled(treatment.cell, treatment.id, round(throttled), round(periods))


def _limit(plan: Plan, rule: SmallestUnder | None, under_s: float, statistic: str | None) -> model.Limit:
    if rule is None:
        raise WrongUse(f"runs of {plan.experiment} have nothing to keep under a limit", "leave --under out")
    if statistic is not None and statistic not in rule.statistics:
        known = ", ".join(rule.statistics)
        raise WrongUse(f"there is no statistic {statistic!r} to put a limit on", f"there are {known}")
    return model.Limit(statistic or rule.usual, under_s)


def _smallest(analysed: Analysed, rule: SmallestUnder, limit: model.Limit) -> Iterator[model.Smallest]:
    """The whole interval must lie on one side of the limit; where it does not, nothing is promised."""
    metric = rule.statistics[limit.statistic]
    # The blocks that are left of a treatment that failed may be those in which it was quick.
    failed = Counter(failure.treatment for failure in analysed.measured.failures if failure.block > 0)
    for others, results in alike(_results(analysed, metric), rule.factor).items():
        by_memory = {
            int(level): model.Unknown(each.estimates[metric], failed[each.treatment]) for level, each in results.items()
        }
        keep = (
            memory
            for memory, each in by_memory.items()
            if not each.failed_blocks and each.estimate.high is not None and each.estimate.high < limit.under_s
        )
        smallest = min(keep, default=None)
        unknown = {
            memory: each
            for memory, each in sorted(by_memory.items())
            if (smallest is None or memory < smallest)
            and (each.estimate.low is None or each.estimate.low < limit.under_s)
        }
        yield model.Smallest(dict(others), smallest, unknown)
