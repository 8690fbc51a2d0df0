"""Single values that go somewhere, or resemble their neighbours: the figure is of no one state."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sectax.audit.checks.groups import FEWEST, NO_SINGLE_VALUES, Worst, slowness, unknown, with_values, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import percent
from sectax.audit.form import Evidence, Series
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
    "W: single values change from the first to the last, neighbours resemble each other, or processes differ",
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
    groups = {one: _processes(one) for one in singly if len(one.work.per_replicate or ()) > 1}
    apart = beyond_chance([chance for _, chance in groups.values()], CHANCE)
    unlike: Worst = {
        one: (groups[one][0], f"its processes differ by {percent(groups[one][0])}, and their own values by far less")
        for at, one in enumerate(groups)
        if at in apart and groups[one][0] >= math.log1p(LEAST_CHANGE)
    }
    meaning = "a process is one observation, so an interval that counts each of its values is too narrow"
    yield from worst(Severity.WARNING, unlike, meaning, "measure in many fresh processes, and count each of them once")
    yield from unknown(bare, NO_SINGLE_VALUES)


def _processes(one: Series) -> tuple[float, float]:
    """How far the slowest process is from the fastest, in logs, and the chance of that where processes are alike."""
    import numpy as np
    from scipy.special import fdtrc

    counts = one.work.per_replicate or ()
    groups = np.split(np.log(slowness(one)), np.cumsum(counts)[:-1])
    free = len(one.values) - len(groups)
    if min(counts) < 2 or sum(counts) != len(one.values):
        return 0.0, 1.0
    means = np.array([group.mean() for group in groups])
    around = float(np.dot(counts, (means - np.average(means, weights=counts)) ** 2)) / (len(groups) - 1)
    within = math.fsum(float(((group - group.mean()) ** 2).sum()) for group in groups) / free
    return float(np.ptp(means)), float(fdtrc(len(groups) - 1, free, around / within)) if within > 0 else 1.0


def _chance_of_direction(values: NDArray[np.float64]) -> float:
    """The chance that independent values go so far in one direction."""
    from sectax.stats.single_values import going_somewhere, inversions_chance

    return inversions_chance(values) if values.size < FEWEST else going_somewhere(values)
