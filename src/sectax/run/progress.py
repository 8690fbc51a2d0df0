"""The state of a run after a block: blocks done, estimate and time left."""

from __future__ import annotations

import math
from collections.abc import Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from sectax.analysis.verdict import target_width
from sectax.model.environment import LOCAL_HOST
from sectax.model.finding import UNSETTLED, Finding, VerdictId, is_answered
from sectax.model.measured import Measured
from sectax.model.plan import ENOUGH_BLOCKS, FIRST_LOOK, Plan, Stopping, Until
from sectax.model.treatment import Standing
from sectax.reports.words import names
from sectax.text import claims, units


@dataclass(frozen=True)
class TimeLeft:
    """Seconds until the run ends.

    Attributes:
        about_s: an estimate from the blocks so far; None if unknown.
        most_s: what the budget or the number of blocks leaves; None without either.
        first_s: time until the first verdict is possible; None after it.
        what: the part of the run that this is about, with a space at its end; empty for the whole run.
    """

    about_s: float | None = None
    most_s: float | None = None
    first_s: float | None = None
    what: str = ""

    def words(self, passed_s: float = 0.0) -> str:
        """The time left in words, `passed_s` seconds later, or else the limit."""
        if self.first_s is not None:
            first_s = math.ceil(self.first_s - passed_s)
            return f"first verdict in about {units.seconds(first_s)}" if first_s > 0 else "first verdict soon"
        for seconds, how in ((self.about_s, "about"), (self.most_s, "at most")):
            if seconds is not None and seconds > passed_s:
                return f"{how} {units.seconds(math.ceil(seconds - passed_s))} {self.what}left"
        return "" if self.what else "nearly done"


@dataclass(frozen=True)
class ProgressLine:
    """The state of a run after a block.

    Attributes:
        blocks: blocks done, and the total.
        answered: primary comparisons decided, and the total.
        estimate: the effect of the widest open comparison. interval: its interval, if its direction is open.
    """

    blocks: str
    elapsed_s: float
    answered: str
    left: TimeLeft
    estimate: str = ""
    interval: str = ""

    def line(self) -> str:
        estimate = f"{self.estimate} ({self.interval})" if self.interval else self.estimate
        parts = [self.blocks, f"{self.elapsed_s:.0f} s", self.answered, self.left.words(), estimate]
        return " · ".join(part for part in parts if part)


class Progress(Protocol):
    """Shows the progress of a run; no method raises.

    `at` is called between two visits, so it must be cheap.
    """

    def say(self, text: str) -> None:
        """Print a line."""

    def detail(self, text: str) -> None:
        """Print a line if the user asked for details."""

    def at(self, doing: str, done: int, total: int) -> None:
        """Show how far the pilot or a block has come."""

    def stands(self, progress_line: ProgressLine) -> None:
        """Show the state after a block, or before the first one."""

    def waiting(self, what: str) -> AbstractContextManager[None]:
        """Show *what* is happening, while nothing is timed."""


def in_pilot(left_s: float, elapsed_s: float) -> ProgressLine:
    """The state during the pilot; `left_s` is the estimated rest of the pilot."""
    return ProgressLine("", elapsed_s, "", TimeLeft(about_s=left_s, what="of the pilot "))


def before_blocks(
    plan: Plan,
    about_s: float,
    most_s: float,
    elapsed_s: float,
    passed_s: float = 0.0,
    *,
    once_s: float = 0.0,
    done: int = 0,
) -> ProgressLine:
    """The state before the first block has ended.

    Args:
        about_s: expected seconds of a block.
        most_s: seconds left of the budget; infinite without one.
        passed_s: seconds since the first block began.
        once_s: additional seconds of the first block. done: blocks of earlier sessions.
    """
    left = _before_first_verdict(plan.stopping, once_s + FIRST_LOOK * about_s - passed_s, most_s)
    if plan.stopping.fixed_blocks is not None:
        left = TimeLeft(about_s=once_s + (plan.stopping.fixed_blocks - done) * about_s - passed_s)
    return ProgressLine("", elapsed_s, "", left)


def progress_line(
    measured: Measured,
    findings: tuple[Finding, ...],
    still_open: Collection[str],
    elapsed_s: float,
    one_block_s: float,
) -> ProgressLine:
    """The state after the last block of `measured`.

    Args:
        still_open: ids of the comparisons that need more blocks.
        elapsed_s: seconds of the session so far.
        one_block_s: seconds from one block to the next.
    """
    plan = measured.plan
    primary = [finding for finding in findings if finding.comparison.standing is Standing.PRIMARY]
    from sectax.analysis.conditions import conditions_about  # imports numpy

    waiting = [finding for finding in findings if finding.comparison.id in still_open]
    open_primary = [finding for finding in primary if finding.comparison.id in still_open]
    with_conditions = [finding for finding in findings if conditions_about(plan, finding.comparison)]
    # A verdict does not tell how far a limit is.
    if with_conditions and plan.stopping.until is Until.CONDITIONS:
        primary, decided = with_conditions, [finding.comparison.id not in still_open for finding in with_conditions]
    else:
        decided = [is_answered(finding, plan.stopping.until) for finding in primary]
    # The widest interval decides how long the run takes.
    widest = max(open_primary or waiting or primary, key=_width, default=None)
    most = plan.stopping.fixed_blocks or plan.stopping.max_blocks
    of_most = "" if most is None else f" of {'' if plan.stopping.fixed_blocks else 'at most '}{most}"
    return ProgressLine(
        f"block {len(measured.blocks)}{of_most}{_on_hosts(measured)}",
        elapsed_s,
        f"{sum(decided)} of {len(decided)} decided",
        _left(measured, waiting, elapsed_s, one_block_s),
        *_estimate(plan, widest),
    )


def _on_hosts(measured: Measured) -> str:
    """' on 4 hosts'; empty for this machine alone."""
    far_hosts = [host for host in measured.hosts if host != LOCAL_HOST]
    return f" on {units.count(len(far_hosts), 'host')}" if far_hosts else ""


def _estimate(plan: Plan, finding: Finding | None) -> tuple[str, str]:
    """The effect so far, and its interval once there is one."""
    if finding is None or finding.effect is None:
        return "", ""
    effect, compared = finding.effect, finding.comparison
    # The metric is named unless it is the first one.
    name = names.subject(plan, compared.treatment if compared.metric == plan.metrics[0].name else compared.id)
    metric = plan.metric(compared.metric)
    if finding.verdict is VerdictId.INCONCLUSIVE and effect.low <= 0 <= effect.high and claims.is_known(effect):
        return f"{name}: undecided", claims.interval(effect, metric)
    return f"{name}: {claims.in_short(finding, metric)}", ""


def _left(measured: Measured, waiting: list[Finding], elapsed_s: float, one_block_s: float) -> TimeLeft:
    if not waiting:
        return TimeLeft()
    plan, stopping = measured.plan, measured.plan.stopping
    done = len(measured.blocks)
    most_s = (plan.last_look(measured.calibrated) - done) * one_block_s
    if stopping.budget_s is not None:
        still_s = (ENOUGH_BLOCKS - done) * one_block_s if stopping.extends else 0.0
        most_s = min(most_s, max(still_s, stopping.budget_s - elapsed_s))
    if done < FIRST_LOOK:
        return _before_first_verdict(stopping, (FIRST_LOOK - done) * one_block_s, most_s)
    if stopping.fixed_blocks is not None or stopping.until is Until.BUDGET:
        return TimeLeft(about_s=most_s)
    needed = [_blocks_needed(finding, done, stopping.until) for finding in waiting]
    sure = [blocks for blocks in needed if blocks is not None]
    if len(sure) < len(needed):
        return TimeLeft(most_s=most_s)
    return TimeLeft(min(max(sure) * one_block_s, most_s), most_s)


def _before_first_verdict(stopping: Stopping, first_s: float, most_s: float) -> TimeLeft:
    """The time left before the first verdict."""
    most = most_s if math.isfinite(most_s) else None
    if stopping.fixed_blocks is not None or stopping.until is Until.BUDGET:
        return TimeLeft(about_s=most)
    return TimeLeft(most_s=most, first_s=first_s)


def _blocks_needed(finding: Finding, done: int, until: Until) -> float | None:
    """Blocks still needed (intervals narrow with their root); None if unknown."""
    effect = finding.effect
    if effect is None:
        return None
    if until is Until.CONDITIONS:
        return None  # blocks needed for a verdict do not tell how near a limit is
    if finding.verdict in UNSETTLED:
        return None if effect.blocks_needed is None else float(effect.blocks_needed[1])
    enough = target_width(effect.log_ratio, finding.margin, until)
    return max(1.0, done * ((_width(finding) / enough) ** 2 - 1))


def _width(finding: Finding) -> float:
    return finding.effect.high - finding.effect.low if finding.effect is not None else math.inf
