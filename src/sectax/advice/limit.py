"""The smallest level that keeps a statistic under a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sectax.advice.results import results
from sectax.model import advice as model
from sectax.model.advice_rules import SmallestUnder
from sectax.model.analysed import Analysed
from sectax.model.errors import WrongUse
from sectax.model.finding import alike
from sectax.model.plan import Plan


def limit(plan: Plan, rule: SmallestUnder | None, under_s: float, statistic: str | None) -> model.Limit:
    if rule is None:
        raise WrongUse(f"runs of {plan.experiment} have nothing to keep under a limit", "leave --under out")
    if statistic is not None and statistic not in rule.statistics:
        known = ", ".join(rule.statistics)
        raise WrongUse(f"there is no statistic {statistic!r} to put a limit on", f"there are {known}")
    return model.Limit(statistic or rule.usual, under_s)


def smallest(analysed: Analysed, rule: SmallestUnder, limit: model.Limit) -> Iterator[model.Smallest]:
    """The whole interval must lie on one side of the limit; where it does not, nothing is promised."""
    metric = rule.statistics[limit.statistic]
    # The blocks that are left of a treatment that failed may be those in which it was quick.
    failed = Counter(failure.treatment for failure in analysed.measured.failures if failure.block > 0)
    for others, by_level in alike(results(analysed, metric), rule.factor).items():
        by_memory = {
            int(level): model.Unknown(result.estimates[metric], failed[result.treatment])
            for level, result in by_level.items()
        }
        keep = (
            memory
            for memory, seen in by_memory.items()
            if not seen.failed_blocks and seen.estimate.high is not None and seen.estimate.high < limit.under_s
        )
        smallest = min(keep, default=None)
        unknown = {
            memory: seen
            for memory, seen in sorted(by_memory.items())
            if (smallest is None or memory < smallest)
            and (seen.estimate.low is None or seen.estimate.low < limit.under_s)
        }
        yield model.Smallest(dict(others), smallest, unknown)
