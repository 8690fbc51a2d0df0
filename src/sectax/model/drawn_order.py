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
    """One cell's part of a block, or that of several cells together.

    Attributes:
        cell: the first of them.
        opening: ids of the treatments in the order in which they are opened.
        rounds: ids in the order of their visits, round by round.
    """

    cell: str
    opening: tuple[str, ...]
    rounds: tuple[tuple[str, ...], ...]


def drawn_order(plan: Plan, number: int, live: Collection[str], rounds: Mapping[str, int]) -> tuple[DrawnCell, ...]:
    """Draw one block: its cells in random order, each with its own fresh subjects.

    Where the plan says so, several of them are together.

    Args:
        number: of the block, counted from 1.
        live: ids of the treatments that are still measured.
        rounds: of every cell that has one of them.
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
    """Orders of the rounds: a random one and its mirror image by turns. Whoever has fewer rounds leaves the later ones.

    With two treatments that is ABBA or BAAB. The mirror makes a drift that is linear within the pair of rounds cancel.
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
