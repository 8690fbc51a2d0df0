"""From a run to advice: where the time goes, how it grows with the size, and what a million requests cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sectax.analysis.anatomy import anatomies
from sectax.analysis.growth import growths
from sectax.experiments import registry
from sectax.experiments.interface import SupportsAdvice
from sectax.model.advice import Advice, AdviceRules, Held, Limit, Priced, Sent, Smallest, Unknown
from sectax.model.analysed import Analysed
from sectax.model.bill import Bill, Usage
from sectax.model.errors import WrongUse
from sectax.model.finding import Estimate, TreatmentResult
from sectax.model.measured import Measured
from sectax.model.treatment import Role
from sectax.prices.billing import bill
from sectax.prices.price_list import PriceList, load
from sectax.workflow.analyse import analyse_file

_REQUESTS = 1_000_000
_BILLING_MB = 1024  # the GB of a GB-second
_X86 = "x86_64"
_STATISTIC = "p99"


def advise(
    run_file: Path, *, under_s: float | None = None, statistic: str | None = None, prices: Path | None = None
) -> Advice:
    """What a run says to whoever must decide.

    Args:
        under_s: asks for the smallest memory that keeps the Duration below it; statistic: which one of it, p99 where
            nobody says.
        prices: the user's own price list; None for the built-in one.
    Raises:
        WrongUse: the experiment has no advice to give, knows no such statistic, or a price is missing.
    """
    price_list = load(prices)
    analysed = analyse_file(run_file)
    plan = analysed.measured.plan
    experiment = registry.load(plan.experiment)
    if not isinstance(experiment, SupportsAdvice):
        raise WrongUse(f"there is no advice for runs of {plan.experiment} yet", "sectax show prints what it found")
    rules = experiment.advice_rules(plan)
    return advice(analysed, rules, price_list, under_s, statistic)


def advice(
    analysed: Analysed,
    rules: AdviceRules,
    prices: PriceList,
    under_s: float | None = None,
    statistic: str | None = None,
) -> Advice:
    """The same of a run that was read and judged already."""
    measured = analysed.measured
    limit = None if under_s is None else _limit(rules, under_s, statistic or _STATISTIC)
    return Advice(
        run_id=measured.run_id,
        plan=measured.plan,
        anatomies=tuple(anatomies(measured, rules)),
        growths=tuple(growths(measured, rules)),
        sent=tuple(_sent(analysed)),
        held=tuple(_held(measured)),
        priced=tuple(_priced(analysed, rules, prices)),
        unpriced=any(each.estimates[rules.billed].high is None for each in _results(analysed, rules.billed)),
        limit=limit,
        smallest=() if limit is None else tuple(_smallest(analysed, rules, limit)),
        lacking=_lacking(analysed, [rules.billed, *([] if limit is None else [rules.limits[limit.statistic]])]),
    )


def _results(analysed: Analysed, metric: str) -> Iterator[TreatmentResult]:
    roles = {Role.BASELINE.value, Role.TREATMENT.value}
    return (each for each in analysed.treatments if each.role in roles and metric in each.estimates)


def _priced(analysed: Analysed, rules: AdviceRules, prices: PriceList) -> Iterator[Priced]:
    plan = analysed.measured.plan
    for result in _results(analysed, rules.billed):
        # A stage is there to be subtracted; nobody deploys it, unless it is the baseline.
        if result.role != Role.BASELINE.value and result.levels[plan.control] in dict(rules.stages):
            continue
        memory_mb = int(result.levels[rules.memory_factor])
        billed = result.estimates[rules.billed]
        if billed.low is None or billed.high is None:
            continue
        architecture = str(result.witnesses.get("architecture", _X86))
        total, least, most = (
            _bill(seconds, memory_mb, architecture, prices) for seconds in (billed.point, billed.low, billed.high)
        )
        cell = plan.treatment(result.treatment).cell
        yield Priced(cell, result.treatment, memory_mb, billed.point, total, least.total, most.total)


def _bill(seconds: float, memory_mb: int, architecture: str, prices: PriceList) -> Bill:
    usages = (
        Usage("lambda.requests", _REQUESTS),
        Usage(f"lambda.{architecture}", _REQUESTS * seconds * memory_mb / _BILLING_MB),
    )
    return bill(usages, prices)


def _sent(analysed: Analysed) -> Iterator[Sent]:
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
        yield Sent(level, sent, sent / contents.sizes[level])


def _held(measured: Measured) -> Iterator[Held]:
    for treatment in measured.plan.treatments:
        told = measured.telemetry.get(treatment.id, {})
        periods, held = told.get("periods"), told.get("throttled_periods")
        if treatment.role in (Role.BASELINE, Role.TREATMENT) and periods and held is not None:
            yield Held(treatment.cell, treatment.id, round(held), round(periods))


def _limit(rules: AdviceRules, under_s: float, statistic: str) -> Limit:
    if statistic not in rules.limits:
        raise WrongUse(f"there is no statistic {statistic!r} to put a limit on", f"there are {', '.join(rules.limits)}")
    return Limit(statistic, under_s)


def _smallest(analysed: Analysed, rules: AdviceRules, limit: Limit) -> Iterator[Smallest]:
    """The whole interval must lie on one side of the limit; where it does not, nothing is promised."""
    metric = rules.limits[limit.statistic]
    # The blocks that are left of a treatment that failed may be those in which it was quick.
    failed = Counter(failure.treatment for failure in analysed.measured.failures if failure.block > 0)
    found: dict[tuple[tuple[str, str], ...], dict[int, Unknown]] = {}
    for result in _results(analysed, metric):
        others = tuple((name, level) for name, level in result.levels.items() if name != rules.memory_factor)
        seen = Unknown(result.estimates[metric], failed[result.treatment])
        found.setdefault(others, {})[int(result.levels[rules.memory_factor])] = seen
    for others, by_memory in found.items():
        smallest = min((memory for memory, each in by_memory.items() if _keeps(each, limit.under_s)), default=None)
        unknown = {
            memory: each
            for memory, each in sorted(by_memory.items())
            if (smallest is None or memory < smallest) and not _exceeds(each.estimate, limit.under_s)
        }
        yield Smallest(dict(others), smallest, unknown)


def _keeps(seen: Unknown, under_s: float) -> bool:
    return not seen.failed_blocks and seen.estimate.high is not None and seen.estimate.high < under_s


def _exceeds(estimate: Estimate, under_s: float) -> bool:
    return estimate.low is not None and estimate.low >= under_s


def _lacking(analysed: Analysed, wanted: list[str]) -> tuple[str, ...]:
    """Those of the metrics that no treatment has."""
    return tuple(metric for metric in wanted if not any(_results(analysed, metric)))
