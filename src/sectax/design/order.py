"""The order in which subjects are opened and visited, drawn from the run's seed."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence

from sectax.model.plan import Calibrated, Calibration, Plan, extra_operations, settling_operations
from sectax.model.subject import Work
from sectax.model.trial import PlannedBlock, PlannedCell, PlannedVisit


def plan_block(plan: Plan, calibrated: Calibrated, number: int, live: Collection[str]) -> PlannedBlock:
    """Draw one block.

    Cells stand in random order, each with its own fresh subjects, so that what is compared is also close together
    in time. The order depends on the seed and the block's number alone: a block that is drawn again is the same.

    Args:
        number: of the block, counted from 1.
        live: ids of the treatments that are still measured.
    """
    generator = random.Random(f"{plan.seed}:{number}")
    cells = [
        cell
        for cell in plan.cells
        if any(treatment.cell == cell.id and treatment.id in live for treatment in plan.treatments)
    ]
    generator.shuffle(cells)
    planned: list[PlannedCell] = []
    for cell in cells:
        members = [t for t in plan.treatments if t.cell == cell.id and t.id in live]
        opening = [member.id for member in members]
        generator.shuffle(opening)
        rounds = calibrated.rounds[cell.id]
        extra = {member.id: member.extra for member in members}
        visits = [
            PlannedVisit(name, index, place, _work(calibrated.calibrations[name], extra[name], index, rounds))
            for index, order in enumerate(_rounds(opening, rounds, generator))
            for place, name in enumerate(order)
        ]
        warmup = {name: (calibrated.calibrations[name].warmup, calibrated.calibrations[name].count) for name in opening}
        planned.append(PlannedCell(cell.id, tuple(opening), warmup, tuple(visits)))
    return PlannedBlock(number, tuple(planned))


def _rounds(names: Sequence[str], rounds: int, generator: random.Random) -> list[list[str]]:
    """Orders of the rounds: a random one and its mirror image by turns.

    With two treatments that is ABBA or BAAB. The mirror makes a drift that is linear within the pair of rounds cancel.
    """
    orders: list[list[str]] = []
    for index in range(rounds):
        if index % 2 and orders:
            orders.append(orders[-1][::-1])
        else:
            order = list(names)
            generator.shuffle(order)
            orders.append(order)
    return orders


def _work(calibration: Calibration, extra: float, index: int, rounds: int) -> Work:
    """The work of one visit; a known extra cost is spread so that the block's total comes as near as whole ones can."""
    total = extra_operations(calibration, extra, rounds)
    so_far, here = total * index // rounds, total * (index + 1) // rounds
    return Work(count=calibration.count, settle=settling_operations(calibration), extra=here - so_far)
