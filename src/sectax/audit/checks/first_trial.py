"""The first operations of a process are different from the later ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sectax.audit.checks.groups import Worst, slowness, unknown, with_values, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.form import Cold, Evidence
from sectax.model.finding import Severity
from sectax.stats.single_values import MAX_VALUES, significant_series

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The chance that any of the healthy series of a source is called different.
CHANCE = 0.01
FEWEST_VALUES = 5
# A smaller difference is no reason for doubt, however sure it is.
LEAST_DIFFERENCE = 0.05
# As standard deviation of logs: values that repeat on a coarse clock show no spread of their own.
LEAST_SPREAD = 0.01


@check(
    "F: cold and warm trials are in one summary; W: the first value differs from the rest",
    sees=lambda evidence: evidence.speeds,
)
def first_trial(evidence: Evidence) -> Iterator[Remark]:
    speeds = evidence.speeds
    mixed: Worst = {
        series: (0.0, "cold and warm trials are in one summary") for series in speeds if series.work.cold is Cold.MIXED
    }
    meaning = "two quantities were mixed, and the figure is of neither"
    advice = "report the first trial by itself, and the later ones by themselves"
    yield from worst(Severity.FATAL, mixed, meaning, advice)
    enough, _ = with_values((series for series in speeds if series not in mixed), FEWEST_VALUES)
    begun = [_beginning(slowness(series)[:MAX_VALUES]) for series in enough]
    different: Worst = {}
    for at in significant_series([chance for _, chance in begun], CHANCE):
        ratio = math.exp(min(begun[at][0], 100))
        saw = f"the first of {len(enough[at].values)} values is {ratio:.3g} times the median of the rest"
        different[enough[at]] = abs(begun[at][0]), saw
    meaning = "the warm-up is part of the figure"
    yield from worst(Severity.WARNING, different, meaning, "discard the first trial, or report it by itself")
    silent = [series for series in speeds if series.work.cold is None and not len(series.values) >= FEWEST_VALUES]
    yield from unknown(
        silent, "whether the first, cold trials are in the figure is not reported, nor enough single values"
    )


def _beginning(times: NDArray[np.float64]) -> tuple[float, float]:
    """How far the first value is from the rest, in logs, and the chance of that: 1 where it is too little to matter.

    By Student's prediction interval on logs, where it lies beyond all of the rest.
    """
    import numpy as np
    from scipy.special import stdtr

    logs = np.log(times)
    first, rest = float(logs[0]), logs[1:]
    excess = first - float(np.median(rest))
    if rest.min() <= first <= rest.max() or abs(excess) < math.log1p(LEAST_DIFFERENCE):
        return excess, 1.0
    spread = max(float(rest.std(ddof=1)), LEAST_SPREAD)
    t = abs(first - float(rest.mean())) / (spread * math.sqrt(1 + 1 / rest.size))
    # Noise with heavy tails is called different several times as often as Student says.
    return excess, min(1.0, max(8 * float(stdtr(rest.size - 1, -t)), 2e-3))
