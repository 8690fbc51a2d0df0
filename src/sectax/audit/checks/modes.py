"""Single values in two modes, and summaries that show it: an average hides what happens."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean, stdev

from sectax.audit.checks.groups import FEWEST, NO_SINGLE_VALUES, Worst, slowness, unknown, with_values, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import duration, number, share, slower
from sectax.audit.form import Evidence, Quantity, Series, quantile_share
from sectax.model.finding import Severity

# The chance that a source of single values with one mode is warned of.
CHANCE = 0.004
# Modes that are nearer change no conclusion.
LEAST_APART = 0.05
# Of summaries: a mean so many times its median is decided by a tail; an interval that wide shows no middle.
MEAN_OF_A_TAIL, WIDE_INTERVAL = 2.0, 0.25
# Of so few values the mean is hardly known.
FEW = 30


@check(
    "W: two modes; few values whose mean is hardly known; summaries that show a "
    "tail (a mean of twice the median, an error of a quarter of the value)",
    sees=lambda evidence: evidence.speeds,
)
def modes(evidence: Evidence) -> Iterator[Remark]:
    singly, bare = with_values(evidence.speeds)
    meaning = "a median is in one mode or the other, and a mean in neither"
    yield from worst(
        Severity.WARNING, _modes(singly), meaning, "report the modes one by one, with how often each comes"
    )
    measured = evidence.speeds if evidence.imported else ()
    summaries: Worst = {series: (0.0, words) for series in measured if (words := _in_summary(series))}
    meaning = "the mean mixes several states, or a few values decide it"
    advice = "report quantiles from enough values, and see what happens in the slow ones"
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
    """The mean of few values as their standard deviation leaves it: Student's interval at 95 %."""
    if not 2 <= count < FEW or centre <= 0:
        return ""
    from scipy.special import stdtrit

    reach = float(stdtrit(count - 1, 0.975)) * spread / math.sqrt(count) / centre
    return f"the mean of {count} values is known to ± {share(reach)} only, at 95 %" if reach >= WIDE_INTERVAL else ""


def _in_summary(series: Series) -> str:
    """What a summary shows of the distribution behind it; of one with single values, these show more but its error."""
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
