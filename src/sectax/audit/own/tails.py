"""A tail that too few observations or blocks support."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.checks.groups import gather
from sectax.audit.checks.interface import Check, Remark
from sectax.audit.checks.quantiles import needed
from sectax.audit.checks.words import first_of
from sectax.audit.form import SPEEDS
from sectax.audit.own.evidence import BlockSeries, RunEvidence
from sectax.model.finding import Severity
from sectax.model.metric import Metric

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


def _in_runs(table: list[BlockSeries], metric: Metric) -> Iterator[Remark]:
    """One warning for a metric, about the treatment of which the least is known."""
    # A figure that stands by itself says beside it what it lacks.
    severity, tail = Severity.WARNING if metric.compared else Severity.NOTE, metric.summary.tail
    if tail == 0:
        return  # the lowest that was seen claims nothing of what was not
    least = WORST_OF_A_BLOCK_NEEDS if tail is None else needed(table[0].statistic or "") or 0
    known = {figure.id: _known(figure, tail) for figure in table}
    few = sorted((figure for figure in table if known[figure.id] < least), key=lambda figure: known[figure.id])
    if few:
        saw, meaning = _words(few[0], tail, known[few[0].id])
        saw = f"{saw}: needs {least} ({first_of(one.id for one in few)})"
        yield Remark(severity, metric.name, saw, meaning, "more blocks, or more rounds in each")
    elif tail not in (None, 1):
        yield from _too_few_blocks(table, severity)


def _too_few_blocks(table: list[BlockSeries], severity: Severity) -> Iterator[Remark]:
    """Slow calls that sit in some blocks are not seen before such a block has come up."""
    from sectax.stats.quantiles import BLOCKS_OF_A_TAIL

    short = [figure for figure in table if len(figure.samples) < BLOCKS_OF_A_TAIL]
    if short:
        short.sort(key=lambda figure: len(figure.samples))
        yield Remark(
            severity,
            short[0].metric,
            f"{short[0].statistic} of {len(short[0].samples)} blocks: needs {BLOCKS_OF_A_TAIL} "
            f"({first_of(one.id for one in short)})",
            "it has no interval: slow calls that sit in some blocks may not have come up yet",
            "more blocks",
        )


def _words(figure: BlockSeries, tail: float | None, known: float) -> tuple[str, str]:
    """What was seen, and what it means."""
    if tail is None:
        return (
            f"the worst of {known:.0f} in a block, in the middle over the blocks",
            f"about {100 * (1 - 0.5 ** (1 / max(known, 1))):.0f} % of all calls are slower than the figure",
        )
    count = sum(map(len, figure.samples))
    worth = f", which count as {math.floor(known)} independent ones" if known < count else ""
    if tail == 1:
        meaning = (
            f"at 95 % confidence it is known to exceed only {100 * 0.05 ** (1 / max(known, 1)):.0f} % of all calls"
        )
    else:
        meaning = "it has no finite 95 % interval: the figure is what these few happened to show"
    return f"{figure.statistic} of {count}{worth}", meaning


def _known(figure: BlockSeries, tail: float | None) -> float:
    """Of how many observations a block's worst is, or as how many independent ones those of all blocks count."""
    from sectax.stats.quantiles import pooled_quantile

    if tail is None:
        return float((figure.count or 0) // len(figure.blocks))
    return pooled_quantile(figure.samples, WORST_EXCEEDS if tail == 1 else tail).effective


def _examine(evidence: RunEvidence) -> Iterator[Remark]:
    for table in gather(_tails(evidence), lambda one: one.table):
        yield from _in_runs(table, evidence.metrics[table[0].metric])


UNSUPPORTED_QUANTILE: Check[RunEvidence] = Check(
    id="unsupported-quantile",
    rule="W: too few observations for a tail (20 blocks too), or for a block's worst (14)",
    examine=_examine,
    applies=lambda evidence: bool(_tails(evidence)),
)
