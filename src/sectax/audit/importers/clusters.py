"""Two clusters of times that a table of quantiles or a histogram shows: a mean lies in neither of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import NormalDist

from sectax.audit.evidence import Incident
from sectax.audit.words import duration
from sectax.model.finding import Severity

# A jump between two quantiles, none of them above this: the last hundredths are long in healthy services too.
HIGHEST = 95.0
# So many times, and so much steeper than below it. Log-normal times rise evenly, by the normal deviate; exponential
# ones, and those of a queue, never twice as steeply above their median as below it.
JUMP, STEEPER = 2.5, 4.0
# Where nothing below the jump tells how steep is usual: log-normal times with a deviation of 1.8 in logs.
JUMP_ALONE = 10.0
# Of so few values above it a quantile is chance.
FEWEST_ABOVE = 5
# Of a histogram: the share of either heap, and how little lies between them beside the lesser of their peaks.
HEAP, BETWEEN, FEWEST_IN_HEAP = 0.1, 0.1, 20


def of_quantiles(
    where: str, quantiles: Mapping[float, float], count: float | None = None, step_s: float = 0.0
) -> Iterator[Incident]:
    """W modes where low quantiles lie together, and then comes a jump that no long tail makes.

    Args:
        where: 'of the run at line 3', in words.
        quantiles: per cent -> seconds; the least time is the 0th, which does not count.
        count: of values; None where that is not told.
        step_s: in which they are printed.
    """
    told = sorted((share, value) for share, value in quantiles.items() if 0 < share <= HIGHEST and value > 0)
    found: list[tuple[float, float, float, float, float]] = []
    for (low, fast), (high, slow) in combinations(told, 2):
        jump = max(slow - step_s / 2, 0.0) / (fast + step_s / 2)
        if low < 50 or jump < JUMP or (count is not None and count * (1 - high / 100) < FEWEST_ABOVE):
            continue
        steep = _steepness(low, 1.0, high, jump)
        first, least = told[0]
        if first < low:
            usual = _steepness(first, max(least - step_s / 2, step_s / 2), low, fast + step_s / 2)
            clear = steep >= STEEPER * usual
        else:
            clear = jump >= JUMP_ALONE and steep >= _steepness(50, 1.0, 90, JUMP_ALONE)
        if clear:
            found.append((steep, low, fast, high, slow))
    if found:
        _, low, fast, high, slow = max(found)
        yield Incident(
            Severity.WARNING,
            f"{low:g} % of the answers {where} take no more than {duration(fast)}, and {100 - high:g} % take "
            f"{duration(slow)} or more",
            "two clusters: the mean lies in neither, and no long tail makes such a step",
            "modes",
        )


def _steepness(low: float, fast: float, high: float, slow: float) -> float:
    """By how much times rise in logs, for each normal deviate."""
    normal = NormalDist()
    return math.log(slow / fast) / (normal.inv_cdf(high / 100) - normal.inv_cdf(low / 100))


def of_histogram(where: str, buckets: Sequence[tuple[float, float]]) -> Iterator[Incident]:
    """W modes where a gap parts the buckets (their upper ends in seconds, and counts) in two heaps."""
    counts = [count for _, count in buckets]
    whole = sum(counts)
    for at in range(1, len(counts) - 1):
        below, above = counts[:at], counts[at + 1 :]
        least = min(sum(below), sum(above))
        if least < max(HEAP * whole, FEWEST_IN_HEAP) or counts[at] > BETWEEN * min(max(below), max(above)):
            continue
        yield Incident(
            Severity.WARNING,
            f"the histogram {where} has two heaps, of {sum(below):.0f} and {sum(above):.0f} answers, with a gap at "
            f"{duration(buckets[at][0])}",
            "two clusters: the mean lies in neither of them",
            "modes",
        )
        return
