"""The basis of claims: observations of a tail, width of intervals, lost blocks, warm-up."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from sectax.audit.checks.first_trial import ADVICE, MEANING
from sectax.audit.checks.groups import by_table
from sectax.audit.checks.interface import Remark, check, remark, warning
from sectax.audit.checks.quantiles import exceeded, needed
from sectax.audit.checks.words import named
from sectax.audit.form import SPEEDS, Series
from sectax.audit.own.evidence import RunEvidence
from sectax.model.finding import FASTER, SLOWER, Severity
from sectax.model.metric import Metric, Summary
from sectax.model.treatment import CONTROLS, Role

# The quantile that a maximum must exceed with 95 % confidence (Wilks 1941: 0.95^59 < 0.05).
WORST_EXCEEDS = 0.95
# The worst of this many is above the 95 % quantile every second time: 0.95^14 < 0.5.
WORST_OF_A_BLOCK_NEEDS = 14


def _tails(evidence: RunEvidence) -> list[Series]:
    """Return the tails of times; centers have an interval over the blocks, and a minimum claims nothing else."""
    return [
        series
        for series in evidence.series
        if series.quantity in SPEEDS and (summary := evidence.metrics[series.metric].summary).tail != 0
        if evidence.samples(series) or (summary is Summary.MAXIMUM and series.values)
    ]


@check(
    "W: too few observations for a tail (20 blocks too), or for a block's worst (14)",
    applies=lambda evidence: bool(_tails(evidence)),
)
def unsupported_quantile(evidence: RunEvidence) -> Iterator[Remark]:
    """Yield one warning per metric, about the treatment with the least data."""
    from sectax.stats.quantiles import BLOCKS_OF_A_TAIL

    for table in by_table(_tails(evidence)):
        metric = evidence.metrics[table[0].metric]
        tail, least = metric.summary.tail, needed(metric.summary.value) or WORST_OF_A_BLOCK_NEEDS
        known = {series: _effective_count(series, evidence.samples(series), tail) for series in table}
        few = sorted((series for series in table if known[series] < least), key=known.__getitem__)
        # Slow calls may be limited to some blocks that were not drawn yet.
        blocks = {series: len(evidence.samples(series)) for series in table} if tail not in (None, 1) else {}
        short = sorted(
            (series for series in blocks if blocks[series] < BLOCKS_OF_A_TAIL), key=lambda series: blocks[series]
        )
        if few:
            saw, meaning = _words(few[0], evidence.samples(few[0]), metric, known[few[0]])
            saw, advice = f"{saw}: needs {least}", "use more blocks (--blocks, or a longer --budget)"
        elif short:
            saw, advice = (
                f"{metric.summary.value} of {blocks[short[0]]} blocks: needs {BLOCKS_OF_A_TAIL}",
                "use more blocks",
            )
            meaning = "it has no interval: slow calls that occur in few blocks may be missing"
        if figures := tuple(series.id for series in few or short):
            # An absolute figure shows its limits itself, so a note is enough.
            severity = Severity.WARNING if metric.compared else Severity.NOTE
            yield remark(severity, metric.name, f"{saw} ({named(figures, 1)})", meaning, advice, figures)


def _words(series: Series, samples: Sequence[Sequence[float]], metric: Metric, known: float) -> tuple[str, str]:
    """Return the finding and its meaning."""
    if metric.summary is Summary.MAXIMUM:
        slower = 100 * (1 - 0.5 ** (1 / max(known, 1)))
        saw = f"the worst of {known:.0f} in a block, median over the blocks"
        return saw, f"about {slower:.0f} % of all calls are slower than the figure"
    count = sum(map(len, samples))
    worth = f", equivalent to {math.floor(known)} independent ones" if known < count else ""
    meaning = "it has no finite 95 % interval: too few observations"
    if metric.summary is Summary.WORST:
        meaning = exceeded(max(known, 1))
    return f"{metric.summary.value} of {count}{worth}", meaning


def _effective_count(series: Series, samples: Sequence[Sequence[float]], tail: float | None) -> float:
    """Effective independent observations of a tail, or of a block's maximum."""
    from sectax.stats.quantiles import pooled_quantile

    if tail is None:
        return float((series.count or 0) // len(series.blocks))
    return pooled_quantile(samples, WORST_EXCEEDS if tail == 1 else tail).effective


# The limit nearer to zero as a share of the estimate. Of claims about a true 0.5 %, over nine in ten are below this and
# show twice the true effect; of those about a true 3 %, one in a hundred (`benchmarks.simulations.exaggeration`).
NEAR = 0.25
MOST_LOST = 0.1


@check(
    "W: the limit of a claim's interval nearer to zero is less than a quarter of its estimate", applies=lambda _: True
)
def barely_found(evidence: RunEvidence) -> Iterator[Remark]:
    for finding in evidence.findings:
        effect, claimed = finding.effect, finding.verdict in SLOWER | FASTER
        if effect is None or not claimed or effect.log_ratio == 0 or finding.comparison.standing in CONTROLS:
            continue
        if min(abs(effect.low), abs(effect.high)) < NEAR * abs(effect.log_ratio):
            yield warning(
                finding.comparison.id,
                "the interval only just excludes zero",
                "the direction is reliable, but the effect is probably smaller than its estimate: "
                "small effects are detected where they happen to look large",
                "rely only on the limit nearer to zero, or run it again with --precise",
            )


@check("W: more than a tenth of a comparison's blocks have no pair", applies=lambda _: True)
def lost_blocks(evidence: RunEvidence) -> Iterator[Remark]:
    for finding in evidence.measured_findings():
        effect = finding.effect
        if effect is not None and effect.blocks_lost > MOST_LOST * (effect.blocks + effect.blocks_lost):
            saw = f"{effect.blocks_lost} of {effect.blocks + effect.blocks_lost} blocks have no pair"
            meaning = "the failed blocks may have been slow, or fast"
            yield warning(
                finding.comparison.id, saw, meaning, "find out why it failed: the reasons are in the run file"
            )


# Controls repeat the baseline and have its warm-up.
_COPIES = (Role.NEGATIVE, Role.POSITIVE)


@check(
    "W: the pilot did not see the end of the warm-up",
    applies=lambda evidence: any(arm.calibration is not None for arm in evidence.arms.values()),
)
def warm_up(evidence: RunEvidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        if arm.calibration is not None and not arm.calibration.settled and arm.treatment.role not in _COPIES:
            saw = "the speed was still changing when the pilot ended"
            yield warning(arm.id, saw, MEANING, ADVICE)
