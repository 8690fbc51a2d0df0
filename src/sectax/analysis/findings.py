"""Every comparison judged: its effect, its verdict, and what it would still need."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sectax.analysis.effect import blocks_pending, effects, log_to_margin
from sectax.analysis.needed import UndecidedRows, blocks_needed, margins_in_reach
from sectax.analysis.verdict import verdict
from sectax.model.finding import UNSETTLED, Effect, Finding, VerdictId
from sectax.model.measured import Measured
from sectax.model.plan import ENOUGH_BLOCKS
from sectax.model.treatment import Comparison
from sectax.stats.confidence_sequence import UNSEEN


def judge(measured: Measured) -> tuple[Finding, ...]:
    """The finding of every comparison, the run's own controls included, in the order of the plan.

    Made to be called after each block: a few milliseconds for sixty comparisons. Warnings are not applied here.
    """
    margin = measured.plan.stopping.margin
    pending = blocks_pending(measured)
    findings = []
    for comparison, effect in zip(measured.plan.comparisons, effects(measured), strict=True):
        if effect is None:
            findings.append(Finding(comparison, VerdictId.NOT_MEASURED, None, margin))
        elif pending:
            # Its number of blocks was fixed and is not reached yet.
            needed = replace(effect, blocks_needed=(pending, pending))
            seconds = _seconds(needed.blocks_needed, _pace_s(measured))
            findings.append(Finding(comparison, VerdictId.INCONCLUSIVE, needed, margin, seconds_needed=seconds))
        else:
            findings.append(Finding(comparison, verdict(effect.low, effect.high, margin), effect, margin))
    if measured.plan.stopping.fixed_blocks is not None:
        return tuple(findings)
    return tuple(_with_needs(findings, measured))


def _with_needs(findings: list[Finding], measured: Measured) -> list[Finding]:
    """The findings, the open ones with the blocks and seconds, or the margin, that a verdict may still take.

    One block says nothing of that, and a cell that one block alone measures gets no more.
    """
    once = {cell.id for cell in measured.plan.cells if cell.once}
    still = [
        (row, finding.effect)
        for row, finding in enumerate(findings)
        if finding.verdict in UNSETTLED
        and finding.effect is not None
        and finding.effect.blocks > 1
        and finding.comparison.cell not in once
    ]
    if not still:
        return findings
    margin, last, end = findings[0].margin, measured.plan.last_look(measured.calibrated), _end(measured)
    projected = _open([(findings[row].comparison, effect) for row, effect in still])
    needs = blocks_needed(projected, margin, last)
    margins = margins_in_reach(projected, end, last)
    for (row, effect), need, reach in zip(still, needs, margins.tolist(), strict=True):
        with_needs = replace(
            effect, blocks_needed=need, margin_in_reach=log_to_margin(reach) if effect.blocks < end else None
        )
        findings[row] = replace(findings[row], effect=with_needs, seconds_needed=_seconds(need, _pace_s(measured)))
    return findings


def _pace_s(measured: Measured) -> float | None:
    """How long it takes until one more block is there: hosts measure theirs at the same time."""
    return None if measured.block_s is None else measured.block_s / max(1, len(measured.hosts))


def _seconds(blocks: tuple[int, int] | None, block_s: float | None) -> tuple[float, float] | None:
    return None if blocks is None or block_s is None else (blocks[0] * block_s, blocks[1] * block_s)


def _open(compared: list[tuple[Comparison, Effect]]) -> UndecidedRows:
    rows = [
        (effect.log_ratio, effect.spread, comparison.alpha, UNSEEN, effect.widened) for comparison, effect in compared
    ]
    return UndecidedRows(np.array([effect.blocks for _, effect in compared]), *np.array(rows).T)


def _end(measured: Measured) -> int:
    """The number of blocks at which the budget is spent, if they go on to last as long as they did."""
    stopping = measured.plan.stopping
    most = measured.plan.last_look(measured.calibrated)
    pace_s = _pace_s(measured)
    if stopping.budget_s is None or not pace_s:
        return most
    fitting = int(stopping.budget_s / pace_s)
    return min(most, max(fitting, ENOUGH_BLOCKS) if stopping.extends else fitting)
