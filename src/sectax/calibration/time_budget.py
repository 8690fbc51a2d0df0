"""The time of a run: about how long a block takes, how many fit into the budget, and what no longer fits."""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from sectax.calibration.pilot import PROCESSES
from sectax.design.order import plan_block, warming_turns
from sectax.model.errors import NothingMeasured
from sectax.model.plan import ENOUGH_BLOCKS, FIRST_LOOK, Calibrated, Plan, Until
from sectax.model.treatment import MEASURED
from sectax.text.spans import typed

# What a bound leaves out (warm-up, rounds beyond the fewest) is about as much again.
_ROOM = 2.0
# The more looks are planned the wider is every interval, though little: by 7 % from 40 to 600.
MOST_LOOKS = 600
# So far off may be what was announced.
WITHIN = 1.5
# What becomes of the length of a block, about, when treatments that are answered have left.
_SHORTER = 0.7
# So many blocks say what the next ones take: with more, the machine of some minutes ago would count.
_RECENT = 3


def least_block_s(plan: Plan, open_s: float = 0.0, operations_s: float = 0.0, *, may_idle: bool = False) -> float:
    """Seconds that a block takes at least: every treatment is opened and visited in the fewest rounds.

    Args:
        open_s: of the fastest opening.
        operations_s: of one operation of each treatment that every block measures and that was tried by now.
        may_idle: as of a bench.
    """
    # A batch of whole operations comes to within a half of what is aimed at; equal counts go by the slowest alone.
    batch_s = 0.0 if plan.equal_counts or may_idle else min(map(plan.target_batch_s, plan.cells), default=0.0) / 2
    return len(plan.treatments) * open_s + plan.rounds_range[0] * max(len(plan.treatments) * batch_s, operations_s)


def refuse_before_start(plan: Plan, open_s: float, *, may_idle: bool) -> None:
    """Refuse a budget that is too short for a verdict before anything is started. Arguments as of `least_block_s`."""
    pilot_s = PROCESSES * len(plan.treatments) * open_s
    refuse_too_small(plan, pilot_s, least_block_s(plan, open_s, may_idle=may_idle))


def refuse_too_small(plan: Plan, pilot_s: float, block_s: float, *, room: float = _ROOM) -> None:
    """Refuse a budget that was asked for and cannot hold the pilot and the blocks of a first verdict.

    Args:
        pilot_s, block_s: what they take at least, as far as is known by now.
        room: about so many times as long they take in the end.
    Raises:
        NothingMeasured: with a budget that can.
    """
    stopping = plan.stopping
    if stopping.budget_s is None or stopping.extends or stopping.fixed_blocks is not None:
        return
    needed_s = pilot_s + FIRST_LOOK * block_s
    if needed_s <= stopping.budget_s:
        return
    enough_s = math.ceil(needed_s * max(_ROOM, room))
    raise NothingMeasured(
        f"a budget of {typed(stopping.budget_s)} is too short for a verdict: the pilot of {len(plan.treatments)} "
        f"treatments and the {FIRST_LOOK} blocks of a first verdict take about {enough_s} s",
        f"leave --budget out, or give --budget {enough_s}s{or_fewer(plan)}",
    )


def or_fewer(plan: Plan) -> str:
    """What else makes a run shorter; nothing where it has no levels beside those of two that are compared."""
    return ", or fewer levels (--level)" if sum(treatment.role in MEASURED for treatment in plan.treatments) > 2 else ""


def with_last_look(
    plan: Plan, calibrated: Calibrated, block_s: float, paced_s: float, elapsed_s: float, once_s: float = 0.0
) -> Calibrated:
    """The calibration with the last look, decided before the first block: as many blocks as fit into the budget.

    Args:
        block_s: seconds of a block where nothing disturbs it; a disturbed run ends before its last look.
        paced_s: the same at the pace that the pilot saw: by it a first verdict fits, or does not.
        elapsed_s: seconds of the budget that are spent.
        once_s: seconds that go into cells that one block alone measures.
    Raises:
        NothingMeasured: a budget that was asked for does not hold the blocks of a first verdict.
    """
    stopping = plan.stopping
    if stopping.fixed_blocks is not None or stopping.budget_s is None:
        return calibrated
    left_s = stopping.budget_s - elapsed_s - once_s
    fitting = int(left_s / block_s) if block_s > 0 else MOST_LOOKS
    if stopping.extends:
        fitting = max(fitting, ENOUGH_BLOCKS)
    elif left_s < FIRST_LOOK * paced_s:
        once = f", what is measured once takes {once_s:.0f} s" if once_s else ""
        least_s = math.ceil(elapsed_s + once_s + FIRST_LOOK * paced_s)
        raise NothingMeasured(
            f"a budget of {typed(stopping.budget_s)} is too short for a verdict: the pilot took {elapsed_s:.0f} s"
            f"{once}, and the first verdict needs {FIRST_LOOK} blocks of {paced_s:.1f} s",
            f"give at least --budget {least_s}s{or_fewer(plan)}",
        )
    return replace(calibrated, last_look=min(fitting, stopping.max_blocks or MOST_LOOKS))


def with_real_blocks(plan: Plan, calibrated: Calibrated, done: int, block_s: float, left_s: float) -> Calibrated | None:
    """The calibration with the last look decided once more, by blocks as they really come; None where it stays.

    It is done right before the first look, from the clock alone: no result has a say in how many looks there are.

    Args:
        done: blocks that are finished. block_s: seconds of the shortest of them. left_s: seconds of the budget.
    """
    stopping = plan.stopping
    if done != FIRST_LOOK - 1 or stopping.fixed_blocks is not None or stopping.budget_s is None or block_s <= 0:
        return None
    # Treatments that are answered leave, and the blocks that are left are shorter for it.
    shorter = 1.0 if stopping.until is Until.BUDGET else _SHORTER
    fitting = done + int(left_s / (shorter * block_s))
    least = ENOUGH_BLOCKS if stopping.extends else FIRST_LOOK
    last = min(max(fitting, least), stopping.max_blocks or MOST_LOOKS, MOST_LOOKS)
    return None if last == calibrated.last_look else replace(calibrated, last_look=last)


def block_s(plan: Plan, calibrated: Calibrated, gaps: Mapping[str, float], *, pace: float = 1.0) -> float:
    """Seconds of a block of all treatments that the pilot could try: opening, warming up, settling, visits, idle gaps.

    It is the order of a block, played without subjects. Cells that one block alone measures are not in it (`once_s`).

    Args:
        pace: how many times longer visits take than where nothing disturbs them. Openings are not lengthened by it: the
            processes of a cell start side by side, and announced times were three to six times too long with it.
        gaps: by treatment, the seconds that must lie between the end of one of its operations and its next one, whoever
            else works meanwhile; 0 for one that is not here.
    """
    calibrations = calibrated.calibrations
    once = {treatment.id for treatment in plan.treatments if plan.cell(treatment.cell).once}
    block = plan_block(plan, calibrated, 1, calibrations.keys() - once)
    now, ended = 0.0, dict.fromkeys(calibrations, 0.0)

    def work(name: str, operations: int) -> float:
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
                now = work(name, count)
        now += pace * sum(calibrations[name].warmup_s or 0.0 for name in cell.opening)
        for turn in cell.turns():
            now += pace * max(calibrations[visit.treatment].waits_s for visit in turn)
            works = [(visit.treatment, visit.work) for visit in turn]
            now = max(work(name, job.settle + job.count + job.extra) for name, job in works)
    return now


_NO_NEWS_S = 0.1
# A smaller share of a block may have waited for one thing alone.
_TELLING = 0.2


class BlockTimes:
    """How long blocks take, as it was announced and as they come: other work on the machine comes and goes.

    Attributes:
        announced_s: what was said last. shortest_s: the shortest block so far.

    Args:
        once_s: seconds that the first block takes longer than those after it: it says nothing of them.
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
        """A block has ended; *took_s* has all that lies between its beginning and that of the next."""
        if not self._once_s:
            self._recent.append(took_s)
            self.shortest_s = min(self.shortest_s, took_s)
        self._once_s = 0.0

    def longer_s(self) -> float | None:
        """The seconds to be announced again, where blocks take longer than was said by more than `WITHIN`.

        Blocks become shorter by themselves, when treatments leave: that surprises nobody.
        """
        return self._announced(self.about_s) if self.about_s > self._within_s else None

    def overrun_s(self, passed_s: float, share: float) -> float | None:
        """The same within the first block, where nothing else is known yet.

        Args:
            passed_s: since it began; share: of its visits that are made. The processes of a block are started before
                its visits, so a share says nothing until more time has passed than was announced for the whole.
        """
        if self._recent or self._once_s or share < _TELLING or passed_s <= self._within_s:
            return None
        return self._announced(passed_s / share)

    @property
    def _within_s(self) -> float:
        """What is no news, of what was announced; a tenth of a second more never is."""
        return max(WITHIN * self.announced_s, self.announced_s + _NO_NEWS_S)

    def _announced(self, seconds: float) -> float:
        self.announced_s = seconds
        return seconds
