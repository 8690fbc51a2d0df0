"""The step that single values come in: of a clock, or of the digits with which they were printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

# Of a step: how far a value may lie beside a multiple of it. A clock of 15.625 ms is printed as 15.6, 31.3, 46.9.
_BESIDE = 0.05
# Values that are not the commonest one, as a share: fewer do not show a step.
_ENOUGH_OTHERS = 0.1
# A clock ticks seldom more often within what a step would hide.
_MOST_TICKS = 20
# Of a longer series the first so many show the same.
MOST_LOOKED_AT = 2**17


class Step(NamedTuple):
    """The step of values, their typical value, and how far the middle half of them reaches; all in one unit."""

    step: float
    typical: float
    spread: float

    @property
    def hides_the_spread(self) -> bool:
        """Whether the middle half takes one or two neighbouring values: then more of them do not average it out."""
        return self.spread <= self.step


def step_of(values: Sequence[float]) -> Step | None:
    """The step of values above zero; None where they show none that could matter."""
    import numpy as np

    data = np.asarray(values, dtype=np.float64)[:MOST_LOOKED_AT]
    distinct, counts = np.unique(data, return_counts=True)
    low, typical, high = np.quantile(data, (0.25, 0.5, 0.75), method="nearest")
    if distinct.size < 2 or typical <= 0:
        return None
    gap = float(np.diff(distinct).min())
    ticks = distinct / gap
    on_grid = np.abs(ticks - np.round(ticks)) <= _BESIDE * np.maximum(1, np.round(ticks) / 4)
    others = 1 - counts.max() / data.size
    if typical > _MOST_TICKS * gap or others < _ENOUGH_OTHERS or counts[on_grid].sum() < 0.95 * data.size:
        return None
    return Step(gap, float(typical), float(high - low))
