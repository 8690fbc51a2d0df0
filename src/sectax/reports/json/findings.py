"""Objects of several JSON documents: estimates, effects, warnings, findings."""

from __future__ import annotations

from typing import Annotated, Self

from sectax.model import finding as model
from sectax.model.condition import ConditionAnswer, OpenReason
from sectax.model.finding import Severity, VerdictId
from sectax.model.measured import Measured
from sectax.model.metric import Metric
from sectax.model.treatment import Standing
from sectax.reports.json.parts import Object, WithMissing, doc, fill, known, null
from sectax.reports.reasons import no_interval
from sectax.reports.words.hosts import processor
from sectax.text import units
from sectax.text.claims import verdict

_NOT_NEEDED = "the verdict needs no more blocks, or their number is unknown"


class Estimate(WithMissing, frozen=True):
    """A number with its interval, in base units."""

    point: float
    low: float | None
    high: float | None
    unit: str
    level: Annotated[float, doc("Confidence, in (0, 1).")]
    method: str
    count: Annotated[int, doc("Number of blocks.")]

    @classmethod
    def of(cls, estimate: model.Estimate, /) -> Self:
        why = no_interval(estimate)
        return fill(cls, estimate, low=known(estimate.low, why), high=known(estimate.high, why))


class Effect(WithMissing, frozen=True):
    """Treatment against baseline, as log cost ratio and cost ratio; more is costlier."""

    log_ratio: float
    log_ratio_low: float | None
    log_ratio_high: float | None
    cost_ratio: float | None
    cost_ratio_low: float | None
    cost_ratio_high: float | None
    absolute: Annotated[Estimate | None, null("no absolute difference was estimated")]
    level: float
    method: str
    blocks: int
    blocks_lost: int
    spread: Annotated[float, doc("Standard deviation of the paired differences, after the floor.")]
    floor: float
    widened: Annotated[float, doc("How far the negative control moved both limits outward, as a log ratio.")]
    drifted: Annotated[bool, doc("Whether the mean of all blocks is outside the interval of an earlier look.")]

    @classmethod
    def of(cls, effect: model.Effect, /) -> Self:
        ends = {"": effect.log_ratio, "_low": effect.low, "_high": effect.high}
        ratios = {f"cost_ratio{end}": units.cost_ratio(log) for end, log in ends.items()}
        return fill(cls, effect, log_ratio_low=effect.low, log_ratio_high=effect.high, **ratios)


class CheckWarning(Object, frozen=True):
    """A warning of one check."""

    check: Annotated[str, doc("Stable identifier of the check.")]
    severity: Annotated[Severity, doc("F: withdraws the verdict or refutes the claim. W: annotates. note: informs.")]
    subject: Annotated[
        str,
        doc("Id of a comparison, treatment, cell or family, or 'run'; for another tool's numbers, a figure or table."),
    ]
    saw: str
    meaning: str
    advice: str


CheckWarning.__name__ = "Warning"  # its name in the published schemas; in Python that is an exception


class Verdict(Object, frozen=True):
    """The verdict on a comparison."""

    id: Annotated[VerdictId, doc("Stable identifier. 'slower' means costlier where the metric is not a time.")]
    words: str


class Needed(WithMissing, frozen=True):
    """What a verdict still needs."""

    blocks: Annotated[tuple[int, int] | None, null(_NOT_NEEDED)]
    seconds: Annotated[tuple[float, float] | None, null(_NOT_NEEDED)]
    margin: Annotated[float | None, null("no interval", "The smallest margin that the blocks so far can resolve.")]
    margin_in_reach: Annotated[
        float | None, null("the budget is spent, or it is unknown", "The same, estimated for the end of the budget.")
    ]


class Finding(WithMissing, frozen=True):
    """A comparison with its verdict."""

    id: str
    cell: str
    treatment: str
    baseline: str
    metric: str
    standing: Standing
    alpha: float
    margin: Annotated[float, doc("As a share: 0.02 is 2 %.")]
    verdict: Verdict
    withheld: Annotated[VerdictId | None, null("no verdict was withdrawn", "The verdict that a warning F withdrew.")]
    effect: Effect | None
    needed: Needed
    warnings: tuple[CheckWarning, ...]


def finding(judged: model.Finding, why_no_effect: str, metric: Metric | None = None) -> Finding:
    effect = judged.effect
    return fill(
        Finding,
        judged.comparison,
        margin=judged.margin,
        verdict=Verdict(judged.verdict, verdict(judged, metric)),
        withheld=judged.withheld,
        effect=known(effect, why_no_effect),
        needed=fill(
            Needed,
            blocks=effect and effect.blocks_needed,
            seconds=judged.seconds_needed,
            margin=effect and effect.margin_needed,
            margin_in_reach=effect and effect.margin_in_reach,
        ),
        warnings=judged.warnings,
    )


class OneHost(WithMissing, frozen=True):
    """A comparison on one host at its own error level; not part of the verdict."""

    host: str
    processor: Annotated[str | None, null("not recorded", when="")]
    blocks: int
    odd: Annotated[bool, doc("Whether it differs from all other hosts.")]
    counts: Annotated[bool, doc("Whether it is part of the finding; a host with too few blocks is not.")]
    effect: Effect


class AcrossHosts(WithMissing, frozen=True):
    """A comparison of a run on several hosts, which have equal weights."""

    comparison: str
    hosts: tuple[OneHost, ...]
    spread: Annotated[
        Estimate | None,
        null("fewer than two hosts", "Standard deviation of the effect between hosts, as a share: 0.06 is 6 %."),
    ]
    alike: Annotated[Finding | None, doc("The same comparison on hosts like these: each host is one observation.")]


def across_hosts(across: model.AcrossHosts, measured: Measured) -> AcrossHosts:
    compared = across.measured.comparison
    hosts = [
        fill(
            OneHost,
            host=host.host,
            processor=processor(measured, host.host),
            blocks=host.finding.effect.blocks,
            odd=host.host == across.odd,
            counts=host.host not in across.left_out,
            effect=host.finding.effect,
        )
        for host in across.hosts
        if host.finding.effect is not None
    ]
    alike = across.alike and finding(across.alike, "", measured.plan.metric(compared.metric))
    return fill(
        AcrossHosts,
        comparison=compared.id,
        hosts=tuple(hosts),
        spread=across.spread,
        alike=known(alike, across.refused),
    )


class Limit(Object, frozen=True):
    """A condition of `--fail-if` and its answer."""

    text: Annotated[str, doc(at="condition.text")]
    answer: ConditionAnswer
    comparisons: Annotated[
        tuple[str, ...], doc("The comparisons that decided it; treatments for an absolute value.", at="decisive")
    ]
    why: Annotated[tuple[OpenReason, ...], doc("Why each of them is undecided; empty for another answer.")]
