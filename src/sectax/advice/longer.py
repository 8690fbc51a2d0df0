"""How many times longer one thing takes than another, as a new connection than a request over one that stays open."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.advice import Worth
from sectax.model.advice_rules import Longer
from sectax.model.finding import MEAN, Estimate, alike
from sectax.model.measured import Measured
from sectax.stats.student import geometric_mean_interval


def worths(measured: Measured, metric: str, rule: Longer) -> Iterator[Worth]:
    """Every treatment of the longer level that was measured at the other one too, block by block.

    Args:
        metric: in seconds.
    """
    columns, level = measured.values.get(metric, {}), 1 - measured.plan.stopping.alpha
    for members in alike(measured.plan.treatments, rule.factor).values():
        if rule.level not in members or rule.than not in members:
            continue
        long, short = (columns.get(members[name].id, {}) for name in (rule.level, rule.than))
        times = [long[block] / short[block] for block in measured.blocks if long.get(block) and short.get(block)]
        if times:
            interval = geometric_mean_interval(times, level)
            treatment = members[rule.level]
            yield Worth(
                treatment.cell,
                treatment.id,
                Estimate(interval.point, interval.low, interval.high, level, MEAN, interval.count, ""),
            )
