"""What several documents hold: estimates, effects, warnings, findings."""

from __future__ import annotations

from typing import Annotated, Self

from sectax.model import finding as model
from sectax.model.condition import ConditionAnswer, OpenReason
from sectax.model.finding import Severity, VerdictId
from sectax.model.measured import Measured
from sectax.model.metric import Metric
from sectax.model.treatment import Standing
from sectax.reports.json.parts import Object, WithGaps, doc, fill, known, null
from sectax.reports.reasons import no_interval
from sectax.reports.words.hosts import processor
from sectax.text import units
from sectax.text.claims import verdict

_SETTLED = "the verdict needs no more blocks, or nobody can say how many"


class Estimate(WithGaps, frozen=True):
    """A number with its doubt, in base units."""

    point: float
    low: float | None
    high: float | None
    unit: str
    level: Annotated[float, doc("Confidence, in (0, 1).")]
    method: str
    count: Annotated[int, doc("Blocks that it rests on.")]

    @classmethod
    def of(cls, estimate: model.Estimate, /) -> Self:
        why = no_interval(estimate)
        return fill(cls, estimate, low=known(estimate.low, why), high=known(estimate.high, why))


class Effect(WithGaps, frozen=True):
    """Treatment against baseline: logarithms of cost ratios and the ratios; above 0, or above 1, is costlier."""

    log_ratio: float
    log_ratio_low: float | None
    log_ratio_high: float | None
    cost_ratio: float | None
    cost_ratio_low: float | None
    cost_ratio_high: float | None
    absolute: Annotated[Estimate | None, null("no absolute cost was estimated")]
    level: float
    method: str
    blocks: int
    blocks_lost: int
    spread: Annotated[float, doc("Standard deviation of the paired differences, after the floor.")]
    floor: float
    widened: Annotated[float, doc("How far both limits were moved outward, as a log ratio, for the negative control.")]
    drifted: Annotated[bool, doc("The mean of all blocks lies where an earlier look of the run had excluded it.")]

    @classmethod
    def of(cls, effect: model.Effect, /) -> Self:
        ends = {"": effect.log_ratio, "_low": effect.low, "_high": effect.high}
        ratios = {f"cost_ratio{end}": units.cost_ratio(log) for end, log in ends.items()}
        return fill(cls, effect, log_ratio_low=effect.low, log_ratio_high=effect.high, **ratios)


class CheckWarning(Object, frozen=True):
    """One check's answer."""

    check: Annotated[str, doc("Stable identifier of the check.")]
    severity: Annotated[Severity, doc("F: the claim falls, or the verdict is taken away. W: annotates. note: informs.")]
    subject: Annotated[
        str,
        doc("Id of a comparison, treatment, cell or family, or 'run'; of others' numbers a figure or table."),
    ]
    saw: str
    meaning: str
    advice: str


CheckWarning.__name__ = "Warning"  # as the published schemas call it; in Python that is an exception


class Verdict(Object, frozen=True):
    """What is claimed."""

    id: Annotated[VerdictId, doc("Stable identifier. 'slower' means costlier where the metric is not a time.")]
    words: str


class Needed(WithGaps, frozen=True):
    """What a verdict may still take."""

    blocks: Annotated[tuple[int, int] | None, null(_SETTLED)]
    seconds: Annotated[tuple[float, float] | None, null(_SETTLED)]
    margin: Annotated[
        float | None,
        null("there is no interval to derive it from", "The smallest margin that the blocks so far resolve."),
    ]
    margin_in_reach: Annotated[
        float | None,
        null("the budget is spent, or nobody can say it", "About what it will be when the budget is spent."),
    ]


class Finding(WithGaps, frozen=True):
    """One comparison judged."""

    id: str
    cell: str
    treatment: str
    baseline: str
    metric: str
    standing: Standing
    alpha: float
    margin: Annotated[float, doc("As a share: 0.02 is 2 %.")]
    verdict: Verdict
    withheld: Annotated[
        VerdictId | None, null("no verdict was taken away", "The verdict that a warning marked F took away.")
    ]
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


class OneHost(WithGaps, frozen=True):
    """A comparison in the blocks of one host, at an error level of its own, and no part of the verdict."""

    host: str
    processor: Annotated[str | None, null("not recorded", when="")]
    blocks: int
    odd: Annotated[bool, doc("Unlike all other hosts.")]
    counts: Annotated[bool, doc("Part of the finding; a host with too few blocks is left out.")]
    effect: Effect


class AcrossHosts(WithGaps, frozen=True):
    """One comparison of a run on several hosts. Its finding is about the hosts measured, which all count alike."""

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
    """A condition of `--fail-if`, and its answer."""

    text: Annotated[str, doc(at="condition.text")]
    answer: ConditionAnswer
    comparisons: Annotated[tuple[str, ...], doc("Those that gave the answer; of a value, treatments.", at="decisive")]
    why: Annotated[tuple[OpenReason, ...], doc("Why each of them is undecided; empty where the answer is another.")]
