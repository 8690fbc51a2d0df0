"""The first operations of a process differ from later ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING

from sectax.audit.checks.batches import column, unwatched, warn, watched, with_batches
from sectax.audit.checks.groups import Worst, slowness, unknown, with_values, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.form import Cold, Evidence, Series
from sectax.model.finding import Severity
from sectax.stats.single_values import MAX_VALUES, significant_series
from sectax.text import units

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The chance of a false warning for a source without a warm-up effect.
CHANCE = 0.01
CHANCE_OF_BATCHES = 0.005
FEWEST_VALUES = 5
# A smaller difference does not matter, even if significant.
LEAST_DIFFERENCE = 0.05
# The least standard deviation of logs: values of a coarse clock repeat and show no spread.
LEAST_SPREAD = 0.01


MEANING = "the warm-up, or work at the start, is part of the figure"
ADVICE = "use a longer warm-up (in a run: no --quick, a quieter machine), or report the first separately"


@check(
    "F: cold and warm trials are in one summary; W: the first value differs from the rest (in a sectax run, the first "
    "counted batches of its processes, by the margin or more)",
    sees=lambda evidence: with_batches(evidence) if evidence.is_run else evidence.speeds,
    runs=True,
)
def first_trial(evidence: Evidence) -> Iterator[Remark]:
    if evidence.is_run:
        yield from _first_batches(evidence)
        return
    speeds = evidence.speeds
    mixed: Worst = {
        series: (0.0, "cold and warm trials are in one summary") for series in speeds if series.work.cold is Cold.MIXED
    }
    meaning = "the figure mixes two quantities and describes neither"
    advice = "report the first trial and the later ones separately"
    yield from worst(Severity.FATAL, mixed, meaning, advice)
    enough, _ = with_values((series for series in speeds if series not in mixed), FEWEST_VALUES)
    begun = [_beginning(slowness(series)[:MAX_VALUES]) for series in enough]
    different: Worst = {}
    for at in significant_series([chance for _, chance in begun], CHANCE):
        ratio = math.exp(min(begun[at][0], 100))
        saw = f"the first of {len(enough[at].values)} values is {units.digits(ratio, 3)} times the median of the rest"
        different[enough[at]] = abs(begun[at][0]), saw
    yield from worst(Severity.WARNING, different, MEANING, ADVICE)
    silent = [series for series in speeds if series.work.cold is None and not len(series.values) >= FEWEST_VALUES]
    yield from unknown(silent, "neither whether cold trials are included nor enough single values are reported")


def _beginning(times: NDArray[np.float64]) -> tuple[float, float]:
    """Return the first value's distance from the rest in logs, and its p-value.

    The p-value comes from Student's prediction interval on logs. It is 1 where the difference is too small to matter,
    or where the first value is within the range of the rest.
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
    # With heavy tails, false warnings are several times as frequent as Student's distribution gives.
    return excess, min(1.0, max(8 * float(stdtr(rest.size - 1, -t)), 2e-3))


def _first_batches(evidence: Evidence) -> Iterator[Remark]:
    """The first batch is a small part of a block, so differences below the margin do not matter."""
    yield from unwatched(evidence)
    trials = watched(evidence)
    hits = [
        (trial, excess)
        for trial in trials
        if abs(excess := median(column(trial, lambda shape: shape.first_excess))) >= math.log1p(evidence.margin)
        and _out_of_place(trial) < CHANCE_OF_BATCHES / len(trials)
    ]
    yield from warn(trials, hits, "the first counted batch of a process differs from its others by {}", MEANING, ADVICE)


def _out_of_place(trial: Series) -> float:
    """Return the p-value of 'the first batch is like any other', from ranks.

    Ranks do not depend on the distribution of the noise. Their spread over the blocks is used where it exceeds chance:
    where the speed wanders, first batches are the fastest or the slowest more often.
    """
    from scipy.special import ndtr

    from sectax.stats.diagnostics import zero_mean_p_value

    ranks = column(trial, lambda shape: shape.first_rank - 0.5)
    likely = math.sqrt(math.fsum(column(trial, lambda shape: (1 - shape.batches**-2) / 12)))
    return max(2 * float(ndtr(-abs(math.fsum(ranks)) / likely)), zero_mean_p_value(ranks))
