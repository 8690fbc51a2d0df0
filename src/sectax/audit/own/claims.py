"""What a run rests on: claims of few observations of a tail, a near end of an interval, lost blocks."""

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

# With so many the maximum lies above the 95 % quantile with 95 % confidence (Wilks 1941: 0.95^59 < 0.05).
WORST_EXCEEDS = 0.95
# Of so many the worst lies above the 95 % quantile every second time: 0.95^14 < 0.5.
WORST_OF_A_BLOCK_NEEDS = 14


def _tails(evidence: RunEvidence) -> list[BlockSeries]:
    """Of a run of ours: what tells of its slow operations. A centre has an interval over the values of blocks."""
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
    """One warning for a metric, about the treatment of which the least is known."""
    from sectax.stats.quantiles import BLOCKS_OF_A_TAIL

    for table in gather(_tails(evidence), lambda figure: figure.table):
        metric = evidence.metrics[table[0].metric]
        # A figure that stands by itself says beside it what it lacks.
        severity, tail = Severity.WARNING if metric.compared else Severity.NOTE, metric.summary.tail
        if tail == 0:
            continue  # the lowest that was seen claims nothing of what was not
        least = WORST_OF_A_BLOCK_NEEDS if tail is None else needed(table[0].statistic or "") or 0
        known = {figure: _effective_count(figure, tail) for figure in table}
        few = sorted((figure for figure in table if known[figure] < least), key=lambda figure: known[figure])
        # Slow calls that sit in some blocks are not seen before such a block has come up.
        short = [] if tail in (None, 1) else [figure for figure in table if len(figure.samples) < BLOCKS_OF_A_TAIL]
        if few:
            saw, meaning = _words(few[0], tail, known[few[0]])
            saw = f"{saw}: needs {least} ({named((figure.id for figure in few), 1)})"
            figures = tuple(figure.id for figure in few)
            yield remark(severity, metric.name, saw, meaning, "more blocks (--blocks, or a longer --budget)", figures)
        elif short:
            short.sort(key=lambda figure: len(figure.samples))
            saw = f"{short[0].statistic} of {len(short[0].samples)} blocks: needs {BLOCKS_OF_A_TAIL} "
            meaning = "it has no interval: slow calls that sit in some blocks may not have come up yet"
            figures = tuple(figure.id for figure in short)
            yield remark(severity, metric.name, f"{saw}({named(figures, 1)})", meaning, "more blocks", figures)


def _words(figure: BlockSeries, tail: float | None, known: float) -> tuple[str, str]:
    """What was seen, and what it means."""
    if tail is None:
        slower = 100 * (1 - 0.5 ** (1 / max(known, 1)))
        saw = f"the worst of {known:.0f} in a block, in the middle over the blocks"
        return saw, f"about {slower:.0f} % of all calls are slower than the figure"
    count = sum(map(len, figure.samples))
    worth = f", which count as {math.floor(known)} independent ones" if known < count else ""
    meaning = "it has no finite 95 % interval: the figure is what these few happened to show"
    if tail == 1:
        exceeded = 100 * 0.05 ** (1 / max(known, 1))
        meaning = f"at 95 % confidence it is known to exceed only {exceeded:.0f} % of all calls"
    return f"{figure.statistic} of {count}{worth}", meaning


def _effective_count(figure: BlockSeries, tail: float | None) -> float:
    """Of how many observations a block's worst is, or as how many independent ones those of all blocks count."""
    from sectax.stats.quantiles import pooled_quantile

    if tail is None:
        return float((figure.count or 0) // len(figure.blocks))
    return pooled_quantile(figure.samples, WORST_EXCEEDS if tail == 1 else tail).effective


# The near end of the interval as a share of the point. Of claims about a true 0.5 %, more than nine in ten lie under it
# and show twice the truth; of those about a true 3 %, one in a hundred (`benchmarks.simulations.exaggeration`).
NEAR = 0.25
MOST_LOST = 0.1


@check("W: the near end of a claim's interval is less than a quarter of its point", applies=lambda _: True)
def barely_found(evidence: RunEvidence) -> Iterator[Remark]:
    for finding in evidence.findings:
        effect, claimed = finding.effect, finding.verdict in SLOWER | FASTER
        if effect is None or not claimed or effect.log_ratio == 0 or finding.comparison.standing in CONTROLS:
            continue
        if min(abs(effect.low), abs(effect.high)) < NEAR * abs(effect.log_ratio):
            yield warning(
                finding.comparison.id,
                "the interval only just excludes zero",
                "the direction stands, but the effect is likely smaller than its point: "
                "small effects are found where they happen to look large",
                "take the near end of the interval for what is sure, or run it again with --precise",
            )


@check("W: more than a tenth of a comparison's blocks have no pair", applies=lambda _: True)
def lost_blocks(evidence: RunEvidence) -> Iterator[Remark]:
    for finding in evidence.measured_findings():
        effect = finding.effect
        if effect is not None and effect.blocks_lost > MOST_LOST * (effect.blocks + effect.blocks_lost):
            saw = f"{effect.blocks_lost} of {effect.blocks + effect.blocks_lost} blocks have no pair"
            meaning = "what failed may be what would have been slow, or fast"
            yield warning(finding.comparison.id, saw, meaning, "see why it failed: the reasons are in the record")
