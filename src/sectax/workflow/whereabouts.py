"""Where a run stands after a block, in one line: estimate, interval, time left."""

from __future__ import annotations

import math
from collections.abc import Collection

from sectax.analysis.verdict import precise_enough
from sectax.model.finding import Finding
from sectax.model.measured import Measured
from sectax.model.plan import ENOUGH_BLOCKS, FIRST_LOOK, Plan, last_look
from sectax.model.treatment import Standing
from sectax.reports import words


def whereabouts(
    measured: Measured, findings: tuple[Finding, ...], still_open: Collection[str], elapsed_s: float
) -> str:
    """What to say after the last block of `measured`, `elapsed_s` seconds into the session.

    Args:
        still_open: ids of the comparisons that keep the run going.
    """
    plan = measured.plan
    primary = [finding for finding in findings if finding.comparison.standing is Standing.PRIMARY]
    waiting = [finding for finding in findings if finding.comparison.id in still_open]
    open_primary = [finding for finding in primary if finding.comparison.id in still_open]
    # The widest interval is the one that people wait for.
    shown = max(open_primary or waiting or primary, key=_width, default=None)
    left = _seconds_left(measured, waiting, elapsed_s)
    blocks = len(measured.blocks)
    parts = [f"block {blocks}{_of_fixed(plan)}", f"{elapsed_s:.0f} s"]
    parts.append(f"{len(primary) - len(open_primary)} of {len(primary)} decided")
    if left is not None:
        parts.append(f"about {left:.0f} s left")
    if shown is not None and shown.effect is not None:
        parts.append(f"{shown.comparison.treatment}: {_estimate(plan, shown)}")
    return " · ".join(parts)


def _of_fixed(plan: Plan) -> str:
    """How many there will be, where that is known; otherwise the time is the limit."""
    most = plan.stopping.fixed_blocks or plan.stopping.max_blocks
    return "" if most is None else f" of {'' if plan.stopping.fixed_blocks else 'at most '}{most}"


def _estimate(plan: Plan, finding: Finding) -> str:
    """The effect as it seems now, with its interval as soon as there is one."""
    effect = finding.effect
    if effect is None:
        return ""
    metric = plan.metric(finding.comparison.metric)
    now = words.effect(effect, metric)
    known = math.isfinite(effect.low) and math.isfinite(effect.high)
    return f"{now} ({words.interval(effect)})" if known else now


def _seconds_left(measured: Measured, waiting: list[Finding], elapsed_s: float) -> float | None:
    """Until the last open comparison is decided, if what is seen so far goes on; never past the budget."""
    if measured.block_s is None:
        return None
    stopping = measured.plan.stopping
    done = len(measured.blocks)
    most = (last_look(measured.plan, measured.calibrated) - done) * measured.block_s
    if stopping.budget_s is not None:
        still_s = (ENOUGH_BLOCKS - done) * measured.block_s if stopping.extends else 0.0
        most = min(most, max(still_s, stopping.budget_s - elapsed_s))
    if stopping.fixed_blocks is None:
        needed = max((_blocks_needed(finding, done) for finding in waiting), default=0.0)
        most = min(most, max(needed, FIRST_LOOK - done, 0) * measured.block_s)
    return max(0.0, most)


def _blocks_needed(finding: Finding, done: int) -> float:
    """More blocks for a verdict, and for an interval narrow enough; intervals narrow with the root of the blocks."""
    effect = finding.effect
    if effect is None or done < FIRST_LOOK:
        return max(0.0, FIRST_LOOK - done)
    if effect.blocks_needed is not None:
        return float(effect.blocks_needed[1])
    enough = precise_enough(effect.log_ratio, finding.margin)
    return max(1.0, done * ((_width(finding) / enough) ** 2 - 1))


def _width(finding: Finding) -> float:
    return finding.effect.high - finding.effect.low if finding.effect is not None else math.inf
