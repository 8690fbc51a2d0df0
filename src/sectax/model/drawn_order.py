"""The order in which a block's subjects are opened and visited, drawn from the run's seed.

It follows from the seed and the block's number alone. So it is a part of the run file's format: the audit draws it
again and compares it with what was recorded. A change here accuses every older file.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sectax.model.plan import Plan


@dataclass(frozen=True)
class DrawnCell:
    """One cell's part of a block.

    Attributes:
        opening: ids of the treatments in the order in which they are opened.
        rounds: ids in the order of their visits, round by round.
    """

    cell: str
    opening: tuple[str, ...]
    rounds: tuple[tuple[str, ...], ...]


def drawn_order(plan: Plan, number: int, live: Collection[str], rounds: Mapping[str, int]) -> tuple[DrawnCell, ...]:
    """Draw one block: its cells in random order, each with its own fresh subjects.

    Args:
        number: of the block, counted from 1.
        live: ids of the treatments that are still measured.
        rounds: of every cell that has one of them.
    """
    generator = random.Random(f"{plan.seed}:{number}")
    members = {
        cell.id: [each.id for each in plan.treatments if each.cell == cell.id and each.id in live]
        for cell in plan.cells
    }
    cells = [cell for cell, here in members.items() if here]
    generator.shuffle(cells)
    drawn: list[DrawnCell] = []
    for cell in cells:
        opening = members[cell]
        generator.shuffle(opening)
        drawn.append(DrawnCell(cell, tuple(opening), _rounds(opening, rounds[cell], generator)))
    return tuple(drawn)


def _rounds(names: Sequence[str], rounds: int, generator: random.Random) -> tuple[tuple[str, ...], ...]:
    """Orders of the rounds: a random one and its mirror image by turns.

    With two treatments that is ABBA or BAAB. The mirror makes a drift that is linear within the pair of rounds cancel.
    """
    orders: list[tuple[str, ...]] = []
    for index in range(rounds):
        if index % 2 and orders:
            orders.append(orders[-1][::-1])
        else:
            order = list(names)
            generator.shuffle(order)
            orders.append(tuple(order))
    return tuple(orders)
