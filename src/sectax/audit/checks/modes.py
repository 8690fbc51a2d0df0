"""Single values in two modes or with a long tail, and summaries that show it: an average hides what happens."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean, stdev

from sectax.audit.checks.groups import NO_SINGLE_VALUES, ids, slowness, things, unknown, with_values, worst_of_tables
from sectax.audit.checks.interface import Check, Remark
from sectax.audit.checks.steps import MOST_LOOKED_AT
from sectax.audit.checks.words import duration, number, share, slower
from sectax.audit.form import Evidence, Quantity, Series
from sectax.model.finding import Severity
from sectax.stats.single_values import Modes

# The chance that a source of single values with one mode is warned of.
CHANCE, CHANCE_OF_FAR = 0.004, 0.005
# Modes that are nearer change no conclusion; nor does a far value that moves the mean by less.
LEAST_APART, LEAST_FAR, LEAST_MOVED = 0.05, 1.3, 0.015
FEWEST_FOR_FAR = 5
FEWEST_FOR_A_TAIL = 200
# Of the total time, in the slowest hundredth: lognormal times with a deviation of 1 in logs have 9 %.
LARGEST_TAIL = 0.25
# Of few values: so many times the smallest the largest is, and so many times of values that a tool repeated.
FEW, FAR_APART, TWO_THINGS = 10, 3.0, 10.0
# Of summaries: a mean so many times its median is decided by a tail; an interval that wide shows no middle.
MEAN_OF_A_TAIL, WIDE_INTERVAL = 2.0, 0.25
# Quantiles near each other that are so many times apart are two clusters.
CLUSTERS = 8.0


def _examine(evidence: Evidence) -> Iterator[Remark]:
    from sectax.stats.single_values import tail_share

    singly, bare = with_values(evidence.speeds)
    chance = CHANCE / max(len(singly), 1)
    modes = {one: found for one in singly if (found := _modes(one, chance)) is not None}
    yield from worst_of_tables(
        Severity.WARNING,
        modes,
        lambda one: modes[one].slow - modes[one].fast,
        lambda one: (
            f"{len(one.values)} values have two modes: {100 * modes[one].slow_share:.0f} % of them are "
            f"{slower(modes[one].slow - modes[one].fast)} the others"
        ),
        "a median is in one mode or the other, and a mean in neither",
        "report the modes one by one, with how often each comes",
    )
    tails = {
        one: part
        for one in singly
        if one not in modes
        and len(one.values) >= FEWEST_FOR_A_TAIL
        and (part := tail_share(slowness(one))) > LARGEST_TAIL
    }
    yield from worst_of_tables(
        Severity.WARNING,
        tails,
        lambda one: tails[one],
        lambda one: f"the slowest hundredth of {len(one.values)} values holds {share(tails[one])} of their time",
        "a few values decide the mean, and the median does not show them",
        "report the median and a quantile of the tail, from enough values for both",
    )
    yield from _far(evidence, {*modes, *tails})
    yield from _few(evidence)
    yield from _uncertain(evidence)
    yield from _summaries(evidence)
    yield from unknown(bare, NO_SINGLE_VALUES)


def _modes(one: Series, chance: float) -> Modes | None:
    import numpy as np

    from sectax.stats.single_values import two_modes

    found = two_modes(np.log(slowness(one)))
    if found is None or found.chance >= chance or found.slow - found.fast < math.log1p(LEAST_APART):
        return None
    return found


def _far(evidence: Evidence, known: set[Series]) -> Iterator[Remark]:
    """Slow values that are far from all others, so that they decide the mean."""
    import numpy as np

    from sectax.stats.far_values import beyond_chance, far_values

    singly, _ = with_values(evidence.speeds, FEWEST_FOR_FAR)
    singly = [one for one in singly if one not in known and len(one.values) <= MOST_LOOKED_AT]
    found: dict[Series, tuple[float, int, float]] = {}
    for one in singly:
        far = far_values(np.log(slowness(one)), 1e-3)
        if far is None:
            continue
        ordered = np.sort(slowness(one))
        rest, apart = ordered[: -far.number], ordered[-far.number :]
        ratio = float(apart.min() / np.median(rest))
        if ratio >= LEAST_FAR and float(ordered.mean() / rest.mean()) - 1 >= LEAST_MOVED:
            found[one] = far.chance, far.number, ratio
    every = [*found]
    certain = [every[at] for at in beyond_chance([found[one][0] for one in every], CHANCE_OF_FAR)]
    yield from worst_of_tables(
        Severity.WARNING,
        certain,
        lambda one: found[one][2],
        lambda one: (
            f"{found[one][1]} of {len(one.values)} values far from the others: {number(found[one][2])} times the median"
        ),
        "slow values by themselves decide the mean, and the median does not show them",
        "see what happened then; report the median, and how often it happens",
    )


def _few(evidence: Evidence) -> Iterator[Remark]:
    """Few values of one thing that are far apart."""
    spans: dict[Series, float] = {}
    for group in things(evidence.speeds):
        values = group[0].values
        if 2 <= len(values) < FEW and min(values) > 0 and max(values) >= FAR_APART * min(values):
            spans[group[0]] = max(values) / min(values)
    for severity in (Severity.FATAL, Severity.WARNING):
        yield from worst_of_tables(
            severity,
            [one for one in spans if _is_two_things(one, spans[one]) is (severity is Severity.FATAL)],
            lambda one: spans[one],
            lambda one: f"of {len(one.values)} values the largest is {number(spans[one])} times the smallest",
            "they may be of two things, such as an empty cache and a full one: no mean of them means anything",
            "see what changed between them, and measure many more",
        )


def _uncertain(evidence: Evidence) -> Iterator[Remark]:
    """Few values whose mean is hardly known: Student's interval at 95 %."""
    from scipy.special import stdtrit

    wide: dict[Series, float] = {}
    for group in things(evidence.speeds):
        values = group[0].values
        if 3 <= len(values) < FEW and min(values) > 0 and max(values) < FAR_APART * min(values):
            reach = stdtrit(len(values) - 1, 0.975) * stdev(values) / math.sqrt(len(values)) / fmean(values)
            if reach >= WIDE_INTERVAL:
                wide[group[0]] = float(reach)
    yield from worst_of_tables(
        Severity.WARNING,
        wide,
        lambda one: wide[one],
        lambda one: f"the mean of {len(one.values)} values is known to ± {share(wide[one])} only, at 95 %",
        "no cost below that can be seen",
        "see what makes single values so different, and measure many more",
    )


def _is_two_things(one: Series, span: float) -> bool:
    """Whether values that a tool repeated by itself cannot be of one thing; rows of a table may be of anything."""
    return span >= TWO_THINGS and (one.work.calibrated is True or one.work.batch is not None)


def _summaries(evidence: Evidence) -> Iterator[Remark]:
    """What summaries without single values show of the distribution behind them."""
    bare = [one for one in evidence.speeds if evidence.imported and not len(one.values)]
    words = {one: said for one in bare if (said := _in_summary(one)) is not None}
    yield from worst_of_tables(
        Severity.WARNING,
        words,
        lambda one: 0.0,
        lambda one: words[one],
        "the mean is of several states or decided by a few values",
        "report quantiles from enough values, and see what happens in the slow ones",
    )


def _in_summary(one: Series) -> str | None:
    told = {claim.statistic: claim for claim in one.claims}
    mean, median, error = told.get("mean"), told.get("median"), told.get("error")
    centre = mean or told.get("rate") or told.get("one") or median
    if centre is not None and error is not None and centre.value > 0 and error.value >= WIDE_INTERVAL * centre.value:
        return f"the error is ± {share(error.value / centre.value)} of the value"
    if one.quantity is not Quantity.TIME:
        return None
    if mean and median and median.value > 2 * median.step and mean.value >= MEAN_OF_A_TAIL * median.value:
        return f"the mean ({duration(mean.value)}) is {number(mean.value / median.value)} times the median"
    p90, p75 = told.get("p90"), told.get("p75") or median
    if p90 and p75 and p75.value > 2 * p75.step and p90.value >= CLUSTERS * p75.value:
        return f"p90 ({duration(p90.value)}) is {number(p90.value / p75.value)} times {p75.statistic}"
    return None


MODES = Check(
    id="modes",
    rule="W: two modes, a long tail or values far from all others; summaries that show one (a mean of twice the "
    "median, an "
    "error of a quarter of the value); F: repeated values ten times apart",
    examine=_examine,
    sees=lambda evidence: ids(evidence.speeds),
)
