"""Judge every comparison: effect, verdict, and what an undecided one still needs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sectax.analysis.effect import effects, log_to_margin
from sectax.analysis.needed import UndecidedRows, blocks_needed, margins_in_reach
from sectax.analysis.verdict import verdict
from sectax.model.finding import UNSETTLED, Effect, Finding, VerdictId
from sectax.model.measured import Measured
from sectax.model.plan import ENOUGH_BLOCKS
from sectax.model.treatment import Comparison
from sectax.stats.confidence_sequence import UNSEEN


def judge(measured: Measured) -> tuple[Finding, ...]:
    """The findings, in the order of the plan, before warnings are applied.

    Fast enough to call after each block: a few milliseconds for sixty comparisons.
    """
    margin = measured.plan.stopping.margin
    pending = measured.blocks_pending
    findings = []
    for comparison, effect in zip(measured.plan.comparisons, effects(measured), strict=True):
        if effect is None:
            findings.append(Finding(comparison, VerdictId.NOT_MEASURED, None, margin))
        elif pending:
            needed = replace(effect, blocks_needed=(pending, pending))
            seconds = _seconds(needed.blocks_needed, _pace_s(measured))
            findings.append(Finding(comparison, VerdictId.INCONCLUSIVE, needed, margin, seconds_needed=seconds))
        else:
            findings.append(Finding(comparison, verdict(effect.low, effect.high, margin), effect, margin))
    if measured.plan.stopping.fixed_blocks is not None:
        return tuple(findings)
    return tuple(_add_needs(findings, measured))


def _add_needs(findings: list[Finding], measured: Measured) -> list[Finding]:
    """Add what undecided findings need: blocks and seconds, or a wider margin.

    Not with one block, nor for cells that are measured once.
    """
    once = {cell.id for cell in measured.plan.cells if cell.once}
    undecided = [
        (row, finding.effect)
        for row, finding in enumerate(findings)
        if finding.verdict in UNSETTLED
        and finding.effect is not None
        and finding.effect.blocks > 1
        and finding.comparison.cell not in once
    ]
    if not undecided:
        return findings
    margin, last, end = findings[0].margin, measured.plan.last_look(measured.calibrated), _end(measured)
    projected = _undecided_rows([(findings[row].comparison, effect) for row, effect in undecided])
    needs = blocks_needed(projected, margin, last)
    margins = margins_in_reach(projected, end, last)
    for (row, effect), need, reach in zip(undecided, needs, margins.tolist(), strict=True):
        with_needs = replace(
            effect, blocks_needed=need, margin_in_reach=log_to_margin(reach) if effect.blocks < end else None
        )
        findings[row] = replace(findings[row], effect=with_needs, seconds_needed=_seconds(need, _pace_s(measured)))
    return findings


def _pace_s(measured: Measured) -> float | None:
    """Seconds per block of the whole run; hosts measure blocks in parallel."""
    return None if measured.block_s is None else measured.block_s / max(1, len(measured.hosts))


def _seconds(blocks: tuple[int, int] | None, block_s: float | None) -> tuple[float, float] | None:
    return None if blocks is None or block_s is None else (blocks[0] * block_s, blocks[1] * block_s)


def _undecided_rows(compared: list[tuple[Comparison, Effect]]) -> UndecidedRows:
    rows = [
        (effect.log_ratio, effect.spread, comparison.alpha, UNSEEN, effect.widened) for comparison, effect in compared
    ]
    return UndecidedRows(np.array([effect.blocks for _, effect in compared]), *np.array(rows).T)


def _end(measured: Measured) -> int:
    """The predicted number of blocks at the end of the budget."""
    stopping = measured.plan.stopping
    most = measured.plan.last_look(measured.calibrated)
    pace_s = _pace_s(measured)
    if stopping.budget_s is None or not pace_s:
        return most
    fitting = int(stopping.budget_s / pace_s)
    return min(most, max(fitting, ENOUGH_BLOCKS) if stopping.extends else fitting)
