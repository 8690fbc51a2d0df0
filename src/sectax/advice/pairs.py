"""What several pairs of machines say together: each pair is one value, so the claim is about the kind of machine."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.advice import Pooled
from sectax.model.advice_rules import Repeats
from sectax.model.analysed import Analysed
from sectax.model.finding import GEOMETRIC, NO_CLAIM, Estimate
from sectax.model.measured import Measured
from sectax.model.treatment import CONTROLS, Comparison
from sectax.stats.student import geometric_mean_interval


def pooled(analysed: Analysed, rule: Repeats, metric: str) -> Iterator[Pooled]:
    """What all repetitions say together of every level: each repetition is one value, its blocks' geometric mean.

    So the interval is about the kind of machine, not about the machines that were measured. Nothing where there are
    fewer than two repetitions, or where one of them has no verdict that stands.

    Args:
        metric: the one in question, in seconds.
    """
    plan = analysed.measured.plan
    pairs: dict[tuple[str, str], list[float | None]] = {}  # the control's level and the work -> a ratio for each pair
    for finding in analysed.findings:
        compared = finding.comparison
        levels = plan.treatment(compared.treatment).levels
        if compared.metric != metric or compared.standing in CONTROLS:
            continue
        if not {rule.factor, rule.repeats} <= levels.keys():
            continue
        if any(levels.get(name) == level for name, level in rule.left_out.items()):
            continue
        ratio = None if finding.verdict in NO_CLAIM else _ratio(analysed.measured, compared)
        pairs.setdefault((levels[plan.control], levels[rule.factor]), []).append(ratio)
    for (control, work), ratios in pairs.items():
        known = [ratio for ratio in ratios if ratio is not None]
        if len(known) == len(ratios) > 1:
            level = 1 - plan.stopping.alpha
            mean = geometric_mean_interval(known, level)
            estimate = Estimate(mean.point, mean.low, mean.high, level, GEOMETRIC, mean.count, "ratio")
            yield Pooled({plan.control: control}, work, estimate)


def _ratio(measured: Measured, compared: Comparison) -> float | None:
    """The geometric mean over the blocks of the treatment's time over its baseline's; None without a block of both."""
    values = measured.values.get(compared.metric, {})
    treatment, baseline = values.get(compared.treatment, {}), values.get(compared.baseline, {})
    ratios = [
        treatment[block] / baseline[block]
        for block in measured.blocks
        if treatment.get(block, 0.0) > 0 and baseline.get(block, 0.0) > 0
    ]
    return geometric_mean_interval(ratios, 0.95).point if ratios else None
