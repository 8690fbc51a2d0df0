"""About how long a block will last: from what the pilot saw, and from the blocks that came."""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Mapping

from sectax.design.order import plan_block
from sectax.model.plan import Calibrated, Plan

# So far off may be what was announced.
WITHIN = 1.5
# So many blocks say what the next ones take: with more, the machine of some minutes ago would count.
_RECENT = 3


def block_s(plan: Plan, calibrated: Calibrated, gaps: Mapping[str, float], *, pace: float = 1.0) -> float:
    """Seconds of a block of all treatments that the pilot could try: opening, warming up, settling, visits, idle gaps.

    It is the order of a block, played without subjects. Cells that one block alone measures are not in it (`once_s`).

    Args:
        pace: how many times longer visits take than where nothing disturbs them. Openings are not lengthened by it: the
            processes of a cell start side by side, and announced times were three to six times too long with it.
        gaps: by treatment, the seconds that must lie between the end of one of its operations and its next one, whoever
            else works meanwhile; 0 for one that is not here.
    """
    seen = calibrated.calibrations
    once = {each.id for each in plan.treatments if plan.cell(each.cell).once}
    block = plan_block(plan, calibrated, 1, seen.keys() - once)
    now, ended = 0.0, dict.fromkeys(seen, 0.0)

    def work(name: str, operations: int) -> None:
        nonlocal now
        gap_s, operation_s = gaps.get(name, 0.0), pace * seen[name].batch_s / seen[name].count
        if operations:
            begins = max(now, ended[name] + gap_s)
            now = ended[name] = begins + operations * operation_s + (operations - 1) * gap_s

    for cell in block.cells:
        for name in cell.opening:
            now += seen[name].open_s
            ended[name] = now
        for name, (batches, count) in cell.warmup.items():
            work(name, batches * count)
        for visit in cell.visits:
            now += pace * seen[visit.treatment].waits_s
            work(visit.treatment, visit.work.settle + visit.work.count + visit.work.extra)
    return now


class BlockTimes:
    """How long blocks take, as it was announced and as they come: other work on the machine comes and goes.

    Attributes:
        announced_s: what was said last.

    Args:
        once_s: seconds that the first block takes longer than those after it: it says nothing of them.
    """

    def __init__(self, announced_s: float, once_s: float = 0.0) -> None:
        self.announced_s = announced_s
        self._once_s = once_s
        self._recent: deque[float] = deque(maxlen=_RECENT)

    @property
    def about_s(self) -> float:
        """Seconds that the next block is expected to take."""
        return statistics.fmean(self._recent) if self._recent else self.announced_s

    def ended(self, took_s: float) -> None:
        """A block has ended; *took_s* has all that lies between its beginning and that of the next."""
        if not self._once_s:
            self._recent.append(took_s)
        self._once_s = 0.0

    def longer_s(self) -> float | None:
        """The seconds to be announced again, where blocks take longer than was said by more than `WITHIN`.

        Blocks become shorter by themselves, when treatments leave: that surprises nobody.
        """
        return self._announced(self.about_s) if self.about_s > WITHIN * self.announced_s else None

    def overrun_s(self, passed_s: float, share: float) -> float | None:
        """The same within the first block, where nothing else is known yet.

        Args:
            passed_s: since it began; share: of its visits that are made. The processes of a block are started before
                its visits, so a share says nothing until more time has passed than was announced for the whole.
        """
        if self._recent or self._once_s or not share or passed_s <= WITHIN * self.announced_s:
            return None
        return self._announced(passed_s / share)

    def _announced(self, seconds: float) -> float:
        self.announced_s = seconds
        return seconds
