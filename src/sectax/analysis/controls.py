"""Evaluate negative and positive controls."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sectax.model.analysed import FamilyControls
from sectax.model.finding import Effect, Finding
from sectax.model.measured import Measured
from sectax.model.treatment import Standing
from sectax.stats.run_controls import excludes_known_cost, finds_known_cost


def is_found(positive: Finding) -> bool:
    """Whether a positive control was found with its known cost inside the interval."""
    return positive.effect is not None and finds_known_cost(positive.effect)


def would_detect(positive: Finding, share: float) -> bool:
    """Whether a run with this positive control would detect a cost of this share.

    Also true, without detecting the known cost, for costs beyond its whole interval.
    """
    effect = positive.effect
    if effect is None or excludes_known_cost(effect):
        return False
    return is_found(positive) or math.log1p(share) > max(abs(effect.low), abs(effect.high))


def family_controls(measured: Measured, findings: Iterable[Finding]) -> tuple[FamilyControls, ...]:
    """The results of the controls of every family, in the order of the plan's cells.

    If a family has controls in several metrics, those of the plan's earliest metric are used.
    """
    plan = measured.plan
    order = {metric.name: index for index, metric in enumerate(plan.metrics)}
    by_metric = sorted(findings, key=lambda finding: order[finding.comparison.metric])

    def first(family: str, standing: Standing) -> Finding | None:
        for finding in by_metric:
            comparison = finding.comparison
            if comparison.standing == standing and plan.cell(comparison.cell).family == family:
                return finding
        return None

    families = []
    for family in dict.fromkeys(cell.family for cell in plan.cells):
        negative, positive = first(family, Standing.NEGATIVE), first(family, Standing.POSITIVE)
        floor = None if negative is None else _half_width(negative.effect)
        half_width = None if positive is None else _half_width(positive.effect)
        families.append(
            FamilyControls(
                family=family,
                negative=negative,
                positive=positive,
                noise_floor=floor,
                smallest_seen=floor if half_width is None else half_width,
                known_cost=None
                if positive is None or positive.effect is None or positive.effect.added is None
                else math.expm1(positive.effect.added),
            )
        )
    return tuple(families)


def _half_width(effect: Effect | None) -> float | None:
    """Half of the interval's width as a share: about what half of all runs detect.

    Adds the guard that a negative control's own interval lacks.
    """
    if effect is None or not math.isfinite(effect.high - effect.low):
        return None
    from sectax.stats.confidence_sequence import UNSEEN, guarded_half_width

    half = (effect.high - effect.low) / 2
    if effect.sure_low is not None:
        half = float(guarded_half_width(effect.blocks, half, UNSEEN, 1 - effect.level))
    return math.expm1(half)
