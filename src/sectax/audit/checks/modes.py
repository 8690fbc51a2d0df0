"""Two modes in the single values, or summaries that hint at them or a tail."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean, stdev

from sectax.audit.checks.batches import column, judged_differences
from sectax.audit.checks.groups import FEWEST, NO_SINGLE_VALUES, Worst, slowness, unknown, with_values, worst
from sectax.audit.checks.interface import Remark, check, fatal, warning
from sectax.audit.checks.words import duration, number, percent, share, slower
from sectax.audit.form import Evidence, Quantity, Series, quantile_share
from sectax.model.finding import Severity
from sectax.model.plan import FIRST_LOOK

# The chance of a false warning for a source with one mode.
CHANCE = 0.004
# Of a false warning of a sectax run; and of losing a verdict, for modes with different shares.
CHANCE_OF_MODES, CHANCE_UNEQUAL = 0.005, 0.005
# Two parts this many standard deviations apart are modes: the best split of a normal sample has 2.7, of few batches 3
# to 4, and of fewer than eight any number.
APART, FEWEST_BATCHES = 5.0, 8
# A smaller difference of the shares does not move a median.
LEAST_SHARE = 0.1
# Closer modes change no conclusion.
LEAST_APART = 0.05
# In a summary, a larger ratio of mean to median means a long tail; a wider interval leaves the center unknown.
MEAN_OF_A_TAIL, WIDE_INTERVAL = 2.0, 0.25
# With fewer values the mean may be very uncertain.
FEW = 30


@check(
    "W: two modes; a mean of few values with a wide interval; summaries with a long tail (a mean of twice the median, "
    "an error of a quarter of the value); in a sectax run: W: two modes or a long tail in the paired differences; F: "
    "a median where both sides have two modes of batches, with different shares",
    sees=lambda evidence: () if evidence.is_run else evidence.speeds,
    applies=lambda evidence: bool(evidence.differences),
    runs=True,
)
def modes(evidence: Evidence) -> Iterator[Remark]:
    if evidence.is_run:
        yield from _of_differences(evidence)
        yield from _medians(evidence)
        return
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


def _of_differences(evidence: Evidence) -> Iterator[Remark]:
    from sectax.stats.diagnostics import normality_p_value

    known = judged_differences(evidence)
    for comparison, values in known.items():
        # Where all blocks agree within the margin, their distribution does not matter.
        differ = max(values) - min(values) >= math.log1p(evidence.margin)
        if differ and normality_p_value(values) < CHANCE_OF_MODES / len(known):
            yield warning(
                comparison,
                _modes_in_words(values),
                "the interval is for the mean, and has less than its nominal coverage while rare blocks are few",
                "use more blocks; and find out how slow processes differ from fast ones",
            )


def _modes_in_words(values: Sequence[float]) -> str:
    import numpy as np

    from sectax.stats.batch_shape import best_split

    data = np.sort(np.asarray(values, dtype=np.float64))
    around = data - data.mean()
    share, separation = best_split(around[None, :], np.array([(around**2).sum()]))
    slow = round(float(share[0]) * data.size)
    if separation[0] >= APART:
        low, high = (percent(float(part.mean())) for part in (data[:-slow], data[-slow:]))
        return f"the blocks have two modes: {data.size - slow} of {data.size} near {low}, {slow} near {high}"
    longer = "high" if around[-1] > -around[0] else "low"
    least, middle, most = (percent(float(value)) for value in (data[0], np.median(data), data[-1]))
    return f"skewed {longer}: min {least}, median {middle}, max {most}, {data.size} blocks"


def _medians(evidence: Evidence) -> Iterator[Remark]:
    """F: a median where both sides have two modes with different shares."""
    from sectax.stats.diagnostics import zero_mean_p_value

    for comparison, *sides in evidence.medians:
        if not all(map(_two_modes, sides)):
            continue
        slow, usual = ({block: shape.slow_share for block, shape in (side.shapes or {}).items()} for side in sides)
        shares = [slow[block] - usual[block] for block in sorted(slow.keys() & usual.keys())]
        if len(shares) < FIRST_LOOK or abs(fmean(shares)) < LEAST_SHARE:
            continue
        if zero_mean_p_value(shares) < CHANCE_UNEQUAL / len(evidence.medians):
            treatment, baseline = (
                f"{100 * fmean(side.values()):.0f} % of {trial.id}"
                for side, trial in zip((slow, usual), sides, strict=True)
            )
            yield fatal(
                comparison,
                f"the batches have two modes; the slow one has {treatment} and {baseline}",
                "a median is in one of the modes, and does not show their shares",
                "compare means or rates, or each mode separately",
            )


def _two_modes(trial: Series) -> bool:
    separations = sorted(column(trial, lambda shape: shape.separation if shape.batches >= FEWEST_BATCHES else None))
    return len(separations) >= FIRST_LOOK and separations[len(separations) // 2] >= APART
