"""Two modes in the single values, or summaries that hint at them or a tail."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean, stdev

from sectax.audit.checks.groups import FEWEST, NO_SINGLE_VALUES, Worst, slowness, unknown, with_values, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import duration, number, share, slower
from sectax.audit.form import Evidence, Quantity, Series, quantile_share
from sectax.model.finding import Severity

# The chance of a false warning for a source with one mode.
CHANCE = 0.004
# Closer modes change no conclusion.
LEAST_APART = 0.05
# In a summary, a larger ratio of mean to median means a long tail; a wider interval leaves the center unknown.
MEAN_OF_A_TAIL, WIDE_INTERVAL = 2.0, 0.25
# With fewer values the mean may be very uncertain.
FEW = 30


@check(
    "W: two modes; a mean of few values with a wide interval; summaries with a long tail (a mean of twice the median, "
    "an error of a quarter of the value)",
    sees=lambda evidence: evidence.speeds,
)
def modes(evidence: Evidence) -> Iterator[Remark]:
    singly, bare = with_values(evidence.speeds)
    meaning = "a median is in one of the modes, and a mean between them"
    yield from worst(Severity.WARNING, _modes(singly), meaning, "report each mode separately, with its share")
    measured = evidence.speeds if evidence.imported else ()
    summaries: Worst = {series: (0.0, words) for series in measured if (words := _in_summary(series))}
    meaning = "the mean mixes several states, or depends on a few extreme values"
    advice = "report quantiles from enough values, and find out why some are slow"
    yield from worst(Severity.WARNING, summaries, meaning, advice)
    yield from unknown(bare, NO_SINGLE_VALUES)


def _modes(singly: list[Series]) -> Worst:
    import numpy as np

    from sectax.stats.single_values import two_modes

    modes: Worst = {}
    for series in singly:
        split = two_modes(np.log(slowness(series)))
        if split is None or split.chance >= CHANCE / len(singly):
            continue
        if (distance := split.slow - split.fast) >= math.log1p(LEAST_APART):
            slow = f"{100 * split.slow_share:.0f} % of them are {slower(distance)} the others"
            modes[series] = distance, f"{len(series.values)} values have two modes: {slow}"
    return modes


def _of_few(count: int, spread: float, centre: float) -> str:
    """Check whether few values leave the mean uncertain (Student's 95 % interval)."""
    if not 2 <= count < FEW or centre <= 0:
        return ""
    from scipy.special import stdtrit

    reach = float(stdtrit(count - 1, 0.975)) * spread / math.sqrt(count) / centre
    return f"the mean of {count} values is uncertain by ± {share(reach)} (95 %)" if reach >= WIDE_INTERVAL else ""


def _in_summary(series: Series) -> str:
    """Check a summary for signs of a long tail or of too few values."""
    claims = {claim.statistic: claim for claim in series.claims}
    mean, median, error = claims.get("mean"), claims.get("median"), claims.get("error")
    centre = mean or claims.get("rate") or claims.get("one") or median
    if centre is not None and error is not None and centre.value > 0 and error.value >= WIDE_INTERVAL * centre.value:
        return f"the error is ± {share(error.value / centre.value)} of the value"
    if len(series.values):
        few = 3 <= len(series.values) < FEWEST and min(series.values) > 0
        return _of_few(len(series.values), stdev(series.values), fmean(series.values)) if few else ""
    spread = claims.get("stddev")
    if spread and centre and (words := _of_few(series.count or 0, spread.value, centre.value)):
        return words
    tail = next((claim for claim in series.claims if 0.9 <= (quantile_share(claim.statistic) or 0) < 1), None)
    if series.quantity is Quantity.TIME and mean and tail and mean.value - mean.step > tail.value + tail.step:
        return f"the mean ({duration(mean.value)}) is above {tail.statistic} ({duration(tail.value)})"
    if mean and median and median.value > 2 * median.step and mean.value > 0:
        ratio = mean.value / median.value
        return f"the mean is {number(ratio)} times the median" if max(ratio, 1 / ratio) >= MEAN_OF_A_TAIL else ""
    return ""
