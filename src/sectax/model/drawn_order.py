"""The random order in which a block's subjects are opened and visited.

It depends only on the run's seed and the block's number. The audit repeats it and compares it with the record, so it is
part of the run file's format: a change here invalidates all older files.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sectax.model.plan import Plan


@dataclass(frozen=True)
class DrawnCell:
    """One cell's part of a block, or that of several cells that are visited together.

    Attributes:
        cell: id of the first cell.
        opening: ids of the treatments in the order of opening.
        rounds: ids in the order of visits, by round.
    """

    cell: str
    opening: tuple[str, ...]
    rounds: tuple[tuple[str, ...], ...]


def drawn_order(plan: Plan, number: int, live: Collection[str], rounds: Mapping[str, int]) -> tuple[DrawnCell, ...]:
    """Draw the order of one block: random cells, and random treatments within each.

    Args:
        number: number of the block, from 1.
        live: ids of the treatments that are still measured.
        rounds: number of rounds by cell.
    """
    generator = random.Random(f"{plan.seed}:{number}")
    members = {
        cell.id: [treatment.id for treatment in plan.treatments if treatment.cell == cell.id and treatment.id in live]
        for cell in plan.cells
    }
    cells = [cell for cell, treatments in members.items() if treatments]
    generator.shuffle(cells)
    groups: list[list[str]] = []
    for cell in cells:
        if groups and sum(len(members[name]) for name in (*groups[-1], cell)) <= plan.together:
            groups[-1].append(cell)
        else:
            groups.append([cell])
    drawn: list[DrawnCell] = []
    for group in groups:
        opening = [name for cell in group for name in members[cell]]
        generator.shuffle(opening)
        number_of = {name: rounds[cell] for cell in group for name in members[cell]}
        drawn.append(DrawnCell(group[0], tuple(opening), _rounds(opening, number_of, generator)))
    return tuple(drawn)


def _rounds(names: Sequence[str], rounds: Mapping[str, int], generator: random.Random) -> tuple[tuple[str, ...], ...]:
    """Orders of the rounds: a random one and its mirror image, alternating.

    Mirroring cancels linear drift within a pair of rounds. Treatments with fewer rounds are left out of the last ones.
    """
    orders: list[tuple[str, ...]] = []
    for index in range(max(rounds.values())):
        if index % 2 and orders:
            orders.append(orders[-1][::-1])
        else:
            order = list(names)
            generator.shuffle(order)
            orders.append(tuple(order))
    return tuple(tuple(name for name in order if rounds[name] > index) for index, order in enumerate(orders))
