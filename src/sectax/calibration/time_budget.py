"""Predict how long a block takes, and how many blocks fit into the budget."""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from sectax.design.order import plan_block, warming_turns
from sectax.model.errors import BudgetTooSmall
from sectax.model.plan import ENOUGH_BLOCKS, FIRST_LOOK, Calibrated, Plan, Until
from sectax.model.treatment import MEASURED
from sectax.text.spans import typed

# Processes of a treatment in the pilot: the minimum that shows the variance between them.
PROCESSES = 2
# Lower bounds leave out warm-up and extra rounds, which take about as long again.
_ROOM = 2.0
# More planned looks widen all intervals, but little: 7 % from 40 to 600.
MOST_LOOKS = 600
# Announce block times again if they exceed the announced ones by this factor.
WITHIN = 1.5
# Typical length of later blocks relative to the first ones, as decided treatments leave.
_SHORTER = 0.7
# Predict from the last few blocks only, since the machine's speed changes.
_RECENT = 3


def least_block_s(plan: Plan, open_s: float = 0.0, operations_s: float = 0.0, *, may_idle: bool = False) -> float:
    """Lower bound for the seconds of a block with the fewest rounds.

    Args:
        open_s: seconds of the fastest opening.
        operations_s: sum of one operation of each treatment piloted so far, without those measured once.
        may_idle: see `Bench.may_idle`.
    """
    # Whole operations may fall short of the target by half; with equal counts only the slowest batch has a target.
    batch_s = 0.0 if plan.equal_counts or may_idle else min(map(plan.target_batch_s, plan.cells), default=0.0) / 2
    return len(plan.treatments) * open_s + plan.rounds_range[0] * max(len(plan.treatments) * batch_s, operations_s)


def refuse_before_start(plan: Plan, open_s: float, *, may_idle: bool) -> None:
    """Refuse a budget too short for a verdict before anything starts."""
    pilot_s = PROCESSES * len(plan.treatments) * open_s
    refuse_too_small(plan, pilot_s, least_block_s(plan, open_s, may_idle=may_idle))


def refuse_too_small(plan: Plan, pilot_s: float, block_s: float, *, room: float = _ROOM) -> None:
    """Refuse a budget too short for the pilot and the blocks of a first verdict.

    Args:
        pilot_s, block_s: lower bounds known so far.
        room: expected duration ÷ lower bound.
    Raises:
        BudgetTooSmall: the budget is too short; the message gives one that is enough.
    """
    stopping = plan.stopping
    if stopping.budget_s is None or stopping.extends or stopping.fixed_blocks is not None:
        return
    needed_s = pilot_s + FIRST_LOOK * block_s
    if needed_s <= stopping.budget_s:
        return
    enough_s = math.ceil(needed_s * max(_ROOM, room))
    raise BudgetTooSmall(
        f"a budget of {typed(stopping.budget_s)} is too short for a verdict: the pilot of {len(plan.treatments)} "
        f"treatments and the {FIRST_LOOK} blocks of a first verdict take about {enough_s} s",
        f"leave --budget out, or give --budget {enough_s}s{fewer_levels_hint(plan)}",
    )


def fewer_levels_hint(plan: Plan) -> str:
    """The hint to choose fewer levels; empty if only two treatments are compared."""
    return ", or fewer levels (--level)" if sum(treatment.role in MEASURED for treatment in plan.treatments) > 2 else ""


def set_last_look(
    plan: Plan, calibrated: Calibrated, block_s: float, paced_s: float, elapsed_s: float, once_s: float = 0.0
) -> Calibrated:
    """Set the last look before the first block: the blocks that fit the budget.

    Args:
        block_s: seconds of an undisturbed block; a disturbed run ends before its last look.
        paced_s: seconds of a block at the pilot's pace; decides whether a first verdict fits.
        elapsed_s: seconds of the budget already spent.
        once_s: seconds for cells that are measured in the first block only.
    Raises:
        BudgetTooSmall: the user's budget is too short for the blocks of a first verdict.
    """
    stopping = plan.stopping
    if stopping.fixed_blocks is not None or stopping.budget_s is None:
        return calibrated
    left_s = stopping.budget_s - elapsed_s - once_s
    fitting = int(left_s / block_s) if block_s > 0 else MOST_LOOKS
    if stopping.extends:
        fitting = max(fitting, ENOUGH_BLOCKS)
    elif left_s < FIRST_LOOK * paced_s:
        once = f", the cells that are measured once take {once_s:.0f} s" if once_s else ""
        least_s = math.ceil(elapsed_s + once_s + FIRST_LOOK * paced_s)
        raise BudgetTooSmall(
            f"a budget of {typed(stopping.budget_s)} is too short for a verdict: the pilot took {elapsed_s:.0f} s"
            f"{once}, and the first verdict needs {FIRST_LOOK} blocks of {paced_s:.1f} s",
            f"give at least --budget {least_s}s{fewer_levels_hint(plan)}",
        )
    return replace(calibrated, last_look=min(fitting, stopping.max_blocks or MOST_LOOKS))


def update_last_look(plan: Plan, calibrated: Calibrated, done: int, block_s: float, left_s: float) -> Calibrated | None:
    """Set the last look again from real blocks; None if it does not change.

    Done right before the first look and from durations only, so that no result influences the number of looks.

    Args:
        done: finished blocks.
        block_s: seconds of the shortest finished block.
        left_s: remaining seconds of the budget.
    """
    stopping = plan.stopping
    if done != FIRST_LOOK - 1 or stopping.fixed_blocks is not None or stopping.budget_s is None or block_s <= 0:
        return None
    # Blocks get shorter as decided treatments leave.
    shorter = 1.0 if stopping.until is Until.BUDGET else _SHORTER
    fitting = done + int(left_s / (shorter * block_s))
    least = ENOUGH_BLOCKS if stopping.extends else FIRST_LOOK
    last = min(max(fitting, least), stopping.max_blocks or MOST_LOOKS, MOST_LOOKS)
    return None if last == calibrated.last_look else replace(calibrated, last_look=last)


def block_s(plan: Plan, calibrated: Calibrated, gaps: Mapping[str, float], *, pace: float = 1.0) -> float:
    """Simulate a block of all calibrated treatments and return its seconds.

    Args:
        gaps: by treatment, minimum idle seconds between two of its operations; 0 if missing.
        pace: duration of visits ÷ undisturbed duration. It does not apply to openings, which run in parallel:
            predictions would be three to six times too long.
    """
    calibrations = calibrated.calibrations
    once = {treatment.id for treatment in plan.treatments if plan.cell(treatment.cell).once}
    block = plan_block(plan, calibrated, 1, calibrations.keys() - once)
    now, ended = 0.0, dict.fromkeys(calibrations, 0.0)

    def end_of_work(name: str, operations: int) -> float:
        gap_s, operation_s = gaps.get(name, 0.0), pace * calibrations[name].batch_s / calibrations[name].count
        if operations:
            begins = max(now, ended[name] + gap_s)
            ended[name] = begins + operations * operation_s + (operations - 1) * gap_s
        return ended[name] if operations else now

    for cell in block.cells:
        for name in cell.opening:
            now += calibrations[name].open_s
            ended[name] = now
        for name, count in warming_turns(cell):
            if calibrations[name].warmup_s is None:
                now = end_of_work(name, count)
        now += pace * sum(calibrations[name].warmup_s or 0.0 for name in cell.opening)
        for turn in cell.turns():
            now += pace * max(calibrations[visit.treatment].waits_s for visit in turn)
            works = [(visit.treatment, visit.work) for visit in turn]
            now = max(end_of_work(name, work.settle + work.count + work.extra) for name, work in works)
    return now


_NEGLIGIBLE_S = 0.1
# A smaller share of a block may be dominated by one slow step.
_ENOUGH_SHARE = 0.2


class BlockTimes:
    """Announced and observed durations of blocks.

    Attributes:
        announced_s: the duration announced last.
        shortest_s: the shortest block so far.
    """

    def __init__(self, announced_s: float, once_s: float = 0.0) -> None:
        self.announced_s = announced_s
        self._once_s = once_s
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self.shortest_s = math.inf

    @property
    def about_s(self) -> float:
        """Seconds that the next block is expected to take."""
        return statistics.fmean(self._recent) if self._recent else self.announced_s

    def ended(self, took_s: float) -> None:
        """Add a block; *took_s* is the time from its start to the start of the next."""
        if not self._once_s:  # a first block with cells that are measured once does not predict later ones
            self._recent.append(took_s)
            self.shortest_s = min(self.shortest_s, took_s)
        self._once_s = 0.0

    def longer_s(self) -> float | None:
        """The duration to announce again; None unless over `WITHIN` times the old one."""
        return self._announced(self.about_s) if self.about_s > self._within_s else None

    def overrun_s(self, passed_s: float, share: float) -> float | None:
        """The duration to announce again during the first block, or None.

        Args:
            passed_s: seconds since the block started.
            share: share of its visits that are done.
        """
        # Processes start before the first visit, so the share means nothing before the announced time has passed.
        if self._recent or self._once_s or share < _ENOUGH_SHARE or passed_s <= self._within_s:
            return None
        return self._announced(passed_s / share)

    @property
    def _within_s(self) -> float:
        return max(WITHIN * self.announced_s, self.announced_s + _NEGLIGIBLE_S)

    def _announced(self, seconds: float) -> float:
        self.announced_s = seconds
        return seconds
