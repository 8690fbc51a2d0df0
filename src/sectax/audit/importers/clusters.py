"""What a load client's summary shows of how its times lie: two clusters, or a mean that a few of them make."""

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
# Of a histogram: the share of either heap, and how little lies between them beside the lesser of their peaks, which is
# so unlikely to be chance.
HEAP, BETWEEN, FEWEST_IN_HEAP, CHANCE_OF_HEAPS = 0.1, 1 / 3, 20, 2e-3
# The mean of log-normal times lies above nine tenths of them from a deviation of 2.6 in logs on, and is so many times
# their median from 1.8 on.
NINE_TENTHS, TIMES_THE_MEDIAN = (90.0, 99.0), 5.0
# One value alone, of so many: its part of the variance, by how much it moves the mean, and how many times that it is.
FEWEST_BESIDE_ONE, PART_OF_ONE, LEAST_MOVED, LEAST_FAR = 20, 0.8, 0.015, 2.0


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


def of_mean(
    where: str, times: Mapping[str, float], quantiles: Mapping[float, float], count: float, stdev: float, step_s: float
) -> Iterator[Incident]:
    """W modes where one answer, or a few, make the mean what it is.

    Args:
        times: 'mean', 'median' and 'max' in seconds, as far as they are told.
        quantiles: per cent -> seconds.
        count, stdev: of all answers; 0 where that is not told.
        step_s: in which they are printed.
    """
    mean, longest = times.get("mean", 0.0), times.get("max", 0.0)
    far = longest - mean
    # Tools print a stdev with a digit more.
    most = PART_OF_ONE * count * (stdev + step_s / 10) ** 2
    alone = count >= FEWEST_BESIDE_ONE and stdev > 0 < mean and far**2 >= most
    above = [(share, value) for share, value in quantiles.items() if NINE_TENTHS[0] <= share <= NINE_TENTHS[1]]
    share, value = min(above, default=(50.0, TIMES_THE_MEDIAN * times.get("median", math.inf)))
    if alone and far > LEAST_MOVED * count * mean and longest > LEAST_FAR * (mean + step_s):
        saw = f"one of {count:.0f} answers {where} takes {duration(longest)}, and the mean is {duration(mean)}"
        meaning = "it alone makes nearly all of the spread, and moves the mean: a first, cold one, or a stall"
    elif mean - step_s / 2 > value + step_s / 2:
        less = duration(times["median"] if share == 50 else value)
        saw = f"the mean {where} is {duration(mean)}, and {share:g} % of the answers take no more than {less}"
        meaning = "a few answers that are far slower make the mean: it is that of no answer, and chance from run to run"
    else:
        return
    yield Incident(Severity.WARNING, saw, meaning, "modes")


def of_histogram(where: str, buckets: Sequence[tuple[float, float]]) -> Iterator[Incident]:
    """W modes where a gap parts the buckets (their upper ends in seconds, and counts) in two heaps."""
    from scipy.special import bdtr

    counts = [count for _, count in buckets]
    whole = sum(counts)
    for at in range(1, len(counts) - 1):
        below, above = counts[:at], counts[at + 1 :]
        least = min(sum(below), sum(above))
        peak = min(max(below), max(above))
        if least < max(HEAP * whole, FEWEST_IN_HEAP) or counts[at] > BETWEEN * peak:
            continue
        # As if whatever lies here and in the lesser peak were as likely in either.
        if float(bdtr(counts[at], int(counts[at] + peak), 0.5)) > CHANCE_OF_HEAPS:
            continue
        yield Incident(
            Severity.WARNING,
            f"the histogram {where} has two heaps, of {sum(below):.0f} and {sum(above):.0f} answers, with a gap at "
            f"{duration(buckets[at][0])}",
            "two clusters: the mean lies in neither of them",
            "modes",
        )
        return
