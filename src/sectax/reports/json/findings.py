"""What several documents hold: estimates, effects, warnings, findings."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from sectax.model import finding as model
from sectax.model.finding import Severity, VerdictId
from sectax.model.metric import Metric
from sectax.model.treatment import Standing
from sectax.reports import units
from sectax.reports.json.parts import Missing, Object, WithGaps, fill, known
from sectax.reports.reasons import no_interval
from sectax.reports.words import verdict


class Estimate(WithGaps, frozen=True):
    """A number with its doubt, in base units."""

    point: float
    low: float | None
    high: float | None
    unit: str
    level: Annotated[float, Meta(description="Confidence, in (0, 1).")]
    method: str
    count: Annotated[int, Meta(description="Blocks that it rests on.")]


class Effect(WithGaps, frozen=True):
    """Treatment against baseline: logarithms of cost ratios and the ratios; above 0, or above 1, is costlier."""

    log_ratio: float
    log_ratio_low: float | None
    log_ratio_high: float | None
    cost_ratio: float | None
    cost_ratio_low: float | None
    cost_ratio_high: float | None
    absolute: Estimate | None
    level: float
    method: str
    blocks: int
    blocks_lost: int
    spread: Annotated[float, Meta(description="Standard deviation of the paired differences, after the floor.")]
    floor: float
    widened: Annotated[
        float, Meta(description="How far both limits were moved outward, as a log ratio, for the negative control.")
    ]


class Warning(Object, frozen=True):
    """One check's answer."""

    check: Annotated[str, Meta(description="Stable identifier of the check.")]
    severity: Annotated[
        Severity, Meta(description="F: the claim falls, or the verdict is taken away. W: annotates. note: informs.")
    ]
    subject: Annotated[
        str,
        Meta(
            description="Id of a comparison, treatment, cell or family, or 'run'; of others' numbers a figure or table."
        ),
    ]
    saw: str
    meaning: str
    advice: str


class Verdict(Object, frozen=True):
    """What is claimed."""

    id: Annotated[
        VerdictId, Meta(description="Stable identifier. 'slower' means costlier where the metric is not a time.")
    ]
    words: str


class Needed(WithGaps, frozen=True):
    """What a verdict may still take."""

    blocks: tuple[int, int] | None
    seconds: tuple[float, float] | None
    margin: Annotated[float | None, Meta(description="The smallest margin that the blocks so far resolve.")]
    margin_in_reach: Annotated[float | None, Meta(description="About what it will be when the budget is spent.")]


class Finding(WithGaps, frozen=True):
    """One comparison judged."""

    id: str
    cell: str
    treatment: str
    baseline: str
    metric: str
    standing: Standing
    alpha: float
    margin: Annotated[float, Meta(description="As a share: 0.02 is 2 %.")]
    verdict: Verdict
    withheld: Annotated[VerdictId | None, Meta(description="The verdict that a warning marked F took away.")]
    effect: Effect | None
    needed: Needed
    warnings: tuple[Warning, ...]


def estimate(given: model.Estimate) -> Estimate:
    why = no_interval(given)
    return fill(Estimate, given, low=known(given.low, why), high=known(given.high, why))


def effect(given: model.Effect) -> Effect:
    return fill(
        Effect,
        given,
        log_ratio_low=given.low,
        log_ratio_high=given.high,
        cost_ratio=units.cost_ratio(given.log_ratio),
        cost_ratio_low=units.cost_ratio(given.low),
        cost_ratio_high=units.cost_ratio(given.high),
        absolute=estimate(given.absolute) if given.absolute else Missing("no absolute cost was estimated"),
    )


def warning(given: model.AuditWarning) -> Warning:
    return fill(Warning, given)


def finding(given: model.Finding, why_no_effect: str, metric: Metric | None = None) -> Finding:
    seen = given.effect
    settled = "the verdict needs no more blocks, or nobody can say how many"
    needed = fill(
        Needed,
        blocks=known(seen.blocks_needed if seen else None, settled),
        seconds=known(given.seconds_needed, settled),
        margin=known(seen.margin_needed if seen else None, "there is no interval to derive it from"),
        margin_in_reach=known(seen.margin_in_reach if seen else None, "the budget is spent, or nobody can say it"),
    )
    own: dict[str, Any] = {
        "margin": given.margin,
        "verdict": Verdict(given.verdict, verdict(given, metric)),
        "withheld": known(given.withheld, "no verdict was taken away"),
        "effect": effect(seen) if seen else Missing(why_no_effect),
        "needed": needed,
        "warnings": tuple(warning(each) for each in given.warnings),
    }
    return fill(Finding, given.comparison, **own)
