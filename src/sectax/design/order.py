"""The schedule of one block: its order, drawn from the run's seed, and its visits."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sectax.model.drawn_order import drawn_order
from sectax.model.plan import Calibrated, Calibration, Plan
from sectax.model.subject import Work
from sectax.model.trial import PlannedBlock, PlannedCell, PlannedVisit

_MOST_TURNS = 32  # of a warm-up


def plan_block(plan: Plan, calibrated: Calibrated, number: int, live: Collection[str]) -> PlannedBlock:
    """Draw one block.

    Cells are in random order, each with its own new subjects, so that what is compared is also close together in time.
    The order depends only on the seed and the block's number: a block that is drawn again is the same.

    Args:
        number: number of the block, counted from 1.
        live: ids of the treatments that are still measured.
    """
    calibrations = calibrated.calibrations
    planned: list[PlannedCell] = []
    at_once = frozenset(treatment.id for treatment in plan.treatments if treatment.at_once)
    works = {}
    for treatment in plan.treatments:
        if treatment.id in live and (rounds := calibrated.rounds.get(treatment.cell, 0)):
            works[treatment.id] = _visit_work(calibrations[treatment.id], treatment.extra, rounds)
    for cell in drawn_order(plan, number, live, calibrated.rounds):
        visits = tuple(
            PlannedVisit(name, index, place, works[name][(number + index) % len(works[name])])
            for index, order in enumerate(cell.rounds)
            for place, name in enumerate(order)
        )
        warmup = {name: (calibrations[name].warmup, calibrations[name].count) for name in cell.opening}
        planned.append(PlannedCell(cell.cell, cell.opening, warmup, visits, at_once.intersection(cell.opening)))
    return PlannedBlock(number, tuple(planned))


def warming_turns(cell: PlannedCell) -> Iterator[tuple[str, int]]:
    """Turns of the warm-up and their operations, by batch, in the order of opening.

    Hundreds of batches, as a JIT needs, are grouped into some tens of turns.
    """
    most = max((batches for batches, _ in cell.warmup.values()), default=0)
    together = -(-most // _MOST_TURNS) if most else 1
    for turn in range(0, most, together):
        for name in cell.opening:
            batches, count = cell.warmup[name]
            if turn < batches:
                yield name, count * min(together, batches - turn)


def _visit_work(calibration: Calibration, extra: float, rounds: int) -> list[Work]:
    """The visits of a block, by turn, with a known extra cost spread over them.

    Its total is as near as whole operations allow. The visits with one operation more rotate from block to block:
    otherwise the first one would always be the lightest, and the audit would take that for a warm-up.
    """
    settle, total = calibration.settling_operations, calibration.extra_operations(extra, rounds)
    if not total:
        return [Work(count=calibration.count, settle=settle)]
    shares = [total * (index + 1) // rounds - total * index // rounds for index in range(rounds)]
    return [Work(count=calibration.count, settle=settle, extra=share) for share in shares]
