"""Single values in two modes or with a long tail, and summaries that show it: an average hides what happens."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator
from statistics import fmean, stdev

from sectax.audit.checks.groups import NO_SINGLE_VALUES, Worst, slowness, things, unknown, with_values, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.steps import MOST_LOOKED_AT
from sectax.audit.checks.words import duration, number, share, slower
from sectax.audit.form import Claim, Evidence, Quantity, Series, share_of
from sectax.model.finding import Severity

# The chance that a source of single values with one mode is warned of.
CHANCE, CHANCE_OF_FAR = 0.004, 0.005
# Modes that are nearer change no conclusion; nor does a far value that moves the mean by less.
LEAST_APART, LEAST_FAR, LEAST_MOVED = 0.05, 1.3, 0.015
FEWEST_FOR_FAR, FEWEST_FOR_A_TAIL = 5, 200
# Of the total time, in the slowest hundredth: lognormal times with a deviation of 1 in logs have 9 %.
LARGEST_TAIL = 0.25
# Of summaries: a mean so many times its median is decided by a tail; an interval that wide shows no middle; quantiles
# near each other that are so many times apart are two clusters.
MEAN_OF_A_TAIL, WIDE_INTERVAL, CLUSTERS = 2.0, 0.25, 8.0
# Of fewer values the spread is hardly known.
FEW, FEW_IN_SUMMARY = 10, 30


@check(
    "W: two modes, a long tail or values far from all others; summaries that show one (a mean of twice the "
    "median, an error of a quarter of the value)",
    sees=lambda evidence: evidence.speeds,
)
def modes(evidence: Evidence) -> Iterator[Remark]:
    singly, bare = with_values(evidence.speeds)
    modes = _modes(singly)
    meaning = "a median is in one mode or the other, and a mean in neither"
    yield from worst(Severity.WARNING, modes, meaning, "report the modes one by one, with how often each comes")
    tails = _tails(one for one in singly if one not in modes)
    meaning = "a few values decide the mean, and the median does not show them"
    advice = "report the median and a quantile of the tail, from enough values for both"
    yield from worst(Severity.WARNING, tails, meaning, advice)
    meaning = "slow values by themselves decide the mean, and the median does not show them"
    advice = "see what happened then; report the median, and how often it happens"
    yield from worst(Severity.WARNING, _far(evidence, {*modes, *tails}), meaning, advice)
    advice = "see what makes single values so different, and measure many more"
    yield from worst(Severity.WARNING, _uncertain(evidence), "no cost below that can be seen", advice)
    told = evidence.speeds if evidence.imported else ()
    summaries: Worst = {one: (0.0, words) for one in told if (words := _in_summary(one))}
    meaning = "the mean is of several states or decided by a few values"
    advice = "report quantiles from enough values, and see what happens in the slow ones"
    yield from worst(Severity.WARNING, summaries, meaning, advice)
    yield from unknown(bare, NO_SINGLE_VALUES)


def _modes(singly: list[Series]) -> Worst:
    import numpy as np

    from sectax.stats.single_values import two_modes

    modes: Worst = {}
    for one in singly:
        found = two_modes(np.log(slowness(one)))
        if found is None or found.chance >= CHANCE / len(singly):
            continue
        if (apart := found.slow - found.fast) >= math.log1p(LEAST_APART):
            slow = f"{100 * found.slow_share:.0f} % of them are {slower(apart)} the others"
            modes[one] = apart, f"{len(one.values)} values have two modes: {slow}"
    return modes


def _tails(singly: Iterator[Series]) -> Worst:
    from sectax.stats.single_values import tail_share

    tails: Worst = {}
    for one in singly:
        part = tail_share(slowness(one)) if len(one.values) >= FEWEST_FOR_A_TAIL else 0.0
        if part > LARGEST_TAIL:
            tails[one] = part, f"the slowest hundredth of {len(one.values)} values holds {share(part)} of their time"
    return tails


def _far(evidence: Evidence, known: Container[Series]) -> Worst:
    """Slow values that are far from all others, so that they decide the mean."""
    import numpy as np

    from sectax.stats.far_values import beyond_chance, far_values

    found: Worst = {}
    chances: list[float] = []
    for one in with_values(evidence.speeds, FEWEST_FOR_FAR)[0]:
        looked_at = one not in known and len(one.values) <= MOST_LOOKED_AT
        far = far_values(np.log(slowness(one)), 1e-3) if looked_at else None
        if far is None:
            continue
        ordered = np.sort(slowness(one))
        rest = ordered[: -far.number]
        ratio = float(ordered[-far.number] / np.median(rest))
        if ratio >= LEAST_FAR and float(ordered.mean() / rest.mean()) - 1 >= LEAST_MOVED:
            chances.append(far.chance)
            of = f"{far.number} of {len(one.values)} values"
            found[one] = ratio, f"{of} far from the others: {number(ratio)} times the median"
    every = [*found]
    return {every[at]: found[every[at]] for at in beyond_chance(chances, CHANCE_OF_FAR)}


def _uncertain(evidence: Evidence) -> Worst:
    """Few values whose mean is hardly known: Student's interval at 95 %."""
    from scipy.special import stdtrit

    wide: Worst = {}
    for group in things(evidence.speeds):
        values = group[0].values
        if 3 <= len(values) < FEW and min(values) > 0:
            reach = float(stdtrit(len(values) - 1, 0.975) * stdev(values) / math.sqrt(len(values)) / fmean(values))
            if reach >= WIDE_INTERVAL:
                saw = f"the mean of {len(values)} values is known to ± {share(reach)} only, at 95 %"
                wide[group[0]] = reach, saw
    return wide


def _of_few(one: Series, spread: Claim | None, centre: Claim | None) -> str | None:
    """The mean of few values as their standard deviation leaves it: Student's interval at 95 %."""
    if spread is None or centre is None or centre.value <= 0 or not 2 <= (one.count or 0) < FEW_IN_SUMMARY:
        return None
    from scipy.special import stdtrit

    count = one.count or 2
    reach = float(stdtrit(count - 1, 0.975)) * spread.value / math.sqrt(count) / centre.value
    return f"the mean of {count} values is known to ± {share(reach)} only, at 95 %" if reach >= WIDE_INTERVAL else None


def _in_summary(one: Series) -> str:
    """What a summary shows of the distribution behind it; of one with single values, these show more but its error."""
    told = {claim.statistic: claim for claim in one.claims}
    mean, median, error = told.get("mean"), told.get("median"), told.get("error")
    centre = mean or told.get("rate") or told.get("one") or median
    if centre is not None and error is not None and centre.value > 0 and error.value >= WIDE_INTERVAL * centre.value:
        return f"the error is ± {share(error.value / centre.value)} of the value"
    if len(one.values):
        return ""
    if (of := _of_few(one, told.get("stddev"), centre)) is not None:
        return of
    if mean and median and one.quantity is not Quantity.TIME:
        apart = abs(math.log(mean.value / median.value)) if mean.value > 0 < median.value else 0.0
        if apart >= math.log(MEAN_OF_A_TAIL):
            return f"the mean is {number(mean.value / median.value)} times the median"
    if one.quantity is not Quantity.TIME:
        return ""
    tail = next((claim for claim in one.claims if 0.9 <= (share_of(claim.statistic) or 0) < 1 and mean), None)
    if mean and tail and mean.value - mean.step > tail.value + tail.step:
        return f"the mean ({duration(mean.value)}) is above {tail.statistic} ({duration(tail.value)})"
    if mean and median and median.value > 2 * median.step and mean.value >= MEAN_OF_A_TAIL * median.value:
        return f"the mean ({duration(mean.value)}) is {number(mean.value / median.value)} times the median"
    p90, p75 = told.get("p90"), told.get("p75") or median
    if p90 and p75 and p75.value > 2 * p75.step and p90.value >= CLUSTERS * p75.value:
        return f"p90 ({duration(p90.value)}) is {number(p90.value / p75.value)} times {p75.statistic}"
    return ""
