"""The basis of claims: observations of a tail, width of intervals, lost blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.checks.groups import gather
from sectax.audit.checks.interface import Remark, check, remark, warning
from sectax.audit.checks.quantiles import needed
from sectax.audit.checks.words import named
from sectax.audit.form import SPEEDS
from sectax.audit.own.evidence import BlockSeries, RunEvidence
from sectax.model.finding import FASTER, SLOWER, Severity
from sectax.model.treatment import CONTROLS

# The quantile that a maximum must exceed with 95 % confidence (Wilks 1941: 0.95^59 < 0.05).
WORST_EXCEEDS = 0.95
# The worst of this many is above the 95 % quantile every second time: 0.95^14 < 0.5.
WORST_OF_A_BLOCK_NEEDS = 14


def _tails(evidence: RunEvidence) -> list[BlockSeries]:
    """Return the tail figures; centers have an interval over the blocks."""
    return [
        figure
        for figure in evidence.series
        if figure.treatment
        and figure.quantity in SPEEDS
        and (figure.samples or (figure.statistic == "max" and figure.values))
    ]


@check(
    "W: too few observations for a tail (20 blocks too), or for a block's worst (14)",
    applies=lambda evidence: bool(_tails(evidence)),
)
def unsupported_quantile(evidence: RunEvidence) -> Iterator[Remark]:
    """Yield one warning per metric, about the treatment with the least data."""
    from sectax.stats.quantiles import BLOCKS_OF_A_TAIL

    for table in gather(_tails(evidence), lambda figure: figure.table):
        metric = evidence.metrics[table[0].metric]
        # An absolute figure shows its limits itself, so a note is enough.
        severity, tail = Severity.WARNING if metric.compared else Severity.NOTE, metric.summary.tail
        if tail == 0:
            continue  # a minimum claims nothing about unobserved values
        least = WORST_OF_A_BLOCK_NEEDS if tail is None else needed(table[0].statistic or "") or 0
        known = {figure: _effective_count(figure, tail) for figure in table}
        few = sorted((figure for figure in table if known[figure] < least), key=lambda figure: known[figure])
        # Slow calls may be limited to some blocks that were not drawn yet.
        short = [] if tail in (None, 1) else [figure for figure in table if len(figure.samples) < BLOCKS_OF_A_TAIL]
        if few:
            saw, meaning = _words(few[0], tail, known[few[0]])
            saw = f"{saw}: needs {least} ({named((figure.id for figure in few), 1)})"
            figures = tuple(figure.id for figure in few)
            yield remark(
                severity, metric.name, saw, meaning, "use more blocks (--blocks, or a longer --budget)", figures
            )
        elif short:
            short.sort(key=lambda figure: len(figure.samples))
            saw = f"{short[0].statistic} of {len(short[0].samples)} blocks: needs {BLOCKS_OF_A_TAIL} "
            meaning = "it has no interval: slow calls that occur in few blocks may be missing"
            figures = tuple(figure.id for figure in short)
            yield remark(severity, metric.name, f"{saw}({named(figures, 1)})", meaning, "use more blocks", figures)


def _words(figure: BlockSeries, tail: float | None, known: float) -> tuple[str, str]:
    """Return the finding and its meaning."""
    if tail is None:
        slower = 100 * (1 - 0.5 ** (1 / max(known, 1)))
        saw = f"the worst of {known:.0f} in a block, median over the blocks"
        return saw, f"about {slower:.0f} % of all calls are slower than the figure"
    count = sum(map(len, figure.samples))
    worth = f", equivalent to {math.floor(known)} independent ones" if known < count else ""
    meaning = "it has no finite 95 % interval: too few observations"
    if tail == 1:
        exceeded = 100 * 0.05 ** (1 / max(known, 1))
        meaning = f"at 95 % confidence it exceeds only {exceeded:.0f} % of all calls"
    return f"{figure.statistic} of {count}{worth}", meaning


def _effective_count(figure: BlockSeries, tail: float | None) -> float:
    """Effective independent observations of a tail, or of a block's maximum."""
    from sectax.stats.quantiles import pooled_quantile

    if tail is None:
        return float((figure.count or 0) // len(figure.blocks))
    return pooled_quantile(figure.samples, WORST_EXCEEDS if tail == 1 else tail).effective


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
