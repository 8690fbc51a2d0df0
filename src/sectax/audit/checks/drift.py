"""Single values that go somewhere, or resemble their neighbours: the figure is of no one state."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sectax.audit.checks.groups import FEWEST, NO_SINGLE_VALUES, Worst, slowness, unknown, with_values, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import percent
from sectax.audit.form import Evidence
from sectax.model.finding import Severity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The chance that a source of independent single values is warned of, for each of the two reasons.
CHANCE = 0.005
# Of so few values a direction shows; whether neighbours are alike does not.
FEWEST_VALUES = 6
LEAST_CHANGE = 0.05
# With this correlation of neighbours an interval is a fifth too narrow.
LEAST_ALIKE = 0.2
ADVICE = "alternate what is compared, in random order and over several processes, and compare neighbours"


@check(
    "W: single values change from the first to the last, or neighbours resemble each other",
    sees=lambda evidence: evidence.speeds,
)
def drift(evidence: Evidence) -> Iterator[Remark]:
    from sectax.stats.far_values import beyond_chance
    from sectax.stats.single_values import change_along, resembling_neighbours

    singly, bare = with_values(evidence.speeds, FEWEST_VALUES)
    told = [slowness(one) for one in singly]
    # A change beyond all numbers is one.
    along = [math.log(change) if (change := change_along(values)) > 0 else -math.inf for values in told]
    chances = [
        _chance_of_direction(values) if abs(change) >= math.log1p(LEAST_CHANGE) else 1.0
        for values, change in zip(told, along, strict=True)
    ]
    going = beyond_chance(chances, CHANCE)
    changes: Worst = {
        singly[at]: (
            abs(along[at]),
            f"from the first to the last of {told[at].size} values the time changes by {percent(along[at])}",
        )
        for at in going
    }
    meaning = "what was measured, or the machine, changed meanwhile (or the values were sorted)"
    yield from worst(Severity.WARNING, changes, f"{meaning}, so an interval is too narrow", ADVICE)
    alike = [
        resembling_neighbours(values) if at not in going and values.size >= FEWEST else (0.0, 1.0)
        for at, values in enumerate(told)
    ]
    by_chance = [chance if correlation >= LEAST_ALIKE else 1.0 for correlation, chance in alike]
    correlations: Worst = {
        singly[at]: (
            alike[at][0],
            f"neighbours among {told[at].size} values resemble each other (correlation {alike[at][0]:.2f})",
        )
        for at in beyond_chance(by_chance, CHANCE)
    }
    meaning = "they are not independent, so an interval that counts each of them is too narrow"
    yield from worst(Severity.WARNING, correlations, meaning, ADVICE)
    yield from unknown(bare, NO_SINGLE_VALUES)


def _chance_of_direction(values: NDArray[np.float64]) -> float:
    """The chance that independent values go so far in one direction."""
    from sectax.stats.single_values import going_somewhere, inversions_chance

    return inversions_chance(values) if values.size < FEWEST else going_somewhere(values)
