"""The single values of figures, in the order in which they were taken, for checks on their order and shape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sectax.audit.figure import Figure, Quantity
from sectax.audit.grouping import cell, gather

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Fewer show neither where they go nor how they lie.
FEWEST = 10
UNTOLD = f"{FEWEST} single values above zero, in the order in which they were taken, are not told"


def told_singly(figures: Iterable[Figure]) -> tuple[list[Figure], list[Figure]]:
    """One figure of each cell whose single values are told, and the figures of all other cells."""
    singly, bare = [], []
    for group in gather(figures, cell):
        values = group[0].values
        if len(values) >= FEWEST and min(values) > 0:
            singly.append(group[0])
        else:
            bare += group
    return singly, bare


def slowness(figure: Figure) -> NDArray:  # type: ignore[type-arg]
    """Its values so that more is slower: times as they are, rates as times of one."""
    import numpy as np

    values = np.asarray(figure.values, dtype=np.float64)
    return 1 / values if figure.quantity in (Quantity.RATE, Quantity.BANDWIDTH) else values
