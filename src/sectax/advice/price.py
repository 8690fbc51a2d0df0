"""What a million requests cost, and an hour of work on another machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sectax.advice.results import results
from sectax.model import advice as model
from sectax.model.advice_rules import AdviceRules, Price, Requests
from sectax.model.analysed import Analysed
from sectax.model.bill import Usage
from sectax.model.errors import WrongUse
from sectax.model.finding import is_decided
from sectax.model.plan import Plan
from sectax.model.price_list import PriceList
from sectax.model.treatment import Role
from sectax.text.near import did_you_mean


def priced(analysed: Analysed, rules: AdviceRules, price: Price, prices: PriceList) -> Iterator[model.Priced]:
    undecided = {
        finding.comparison.treatment
        for finding in analysed.findings
        if finding.comparison.metric == rules.metric and not is_decided(finding)
    }
    for result in results(analysed, price.billed):
        # A stage is there to be subtracted; nobody deploys it, unless it is the baseline.
        if result.role != Role.BASELINE.value and rules.is_stage(result.levels):
            continue
        billed = result.estimates[price.billed]
        if billed.low is None or billed.high is None:
            continue
        total, least, most = (
            prices.bill(price.uses(model.MILLION, seconds, result))
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


def requested(
    analysed: Analysed, metric: str, rule: Requests, prices: PriceList, rate_s: float | None
) -> Iterator[model.Requested]:
    for result in results(analysed, metric):
        cell, rate = analysed.measured.plan.treatment(result.treatment).cell, rate_s or rule.rate(result)
        for way, usages in rule.uses(model.MILLION, result.levels).items():
            limited = sum(usage.amount for usage in usages if usage.item == rule.limited) / model.MILLION
            yield model.Requested(
                cell,
                result.treatment,
                way,
                prices.bill(usages),
                limited_s=limited * rate if rate and limited else None,
                quota_s=prices.quotas[rule.limited].per_s if limited and rule.limited in prices.quotas else None,
            )


def rented(
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
        raise WrongUse(f"--vm says nothing of {baseline}, the baseline", f"add it, as in --vm {baseline}=vm.m6a.xlarge")
    here = prices.bill([Usage(machines[baseline], 1.0)])
    for mix in mixed:
        machine = machines.get(mix.levels[plan.control])
        if machine is None or mix.ratio is None or mix.ratio.low is None or mix.ratio.high is None:
            continue
        total, least, most = (
            prices.bill([Usage(machine, hours)]) for hours in (mix.ratio.point, mix.ratio.low, mix.ratio.high)
        )
        yield model.Rented(mix.levels, here, total, least.total, most.total)
