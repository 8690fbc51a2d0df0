"""Paired differences, or batches, in two modes or with a long tail: an average of them hides what happens."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sectax.audit.check import Check, Remark, fatal, warning
from sectax.audit.evidence import Arm, Evidence
from sectax.audit.few_values import unlike_values
from sectax.audit.figure import Figure
from sectax.audit.grouping import (
    NO_SINGLE_VALUES,
    sides,
    slowness,
    speeds,
    told_singly,
    unknown,
    worst_of_tables,
)
from sectax.audit.over_blocks import column
from sectax.audit.unlike_others import cut_off, far_from_others, processes
from sectax.audit.words import ids, named, number, percent, slower
from sectax.model.finding import Severity
from sectax.model.metric import Summary
from sectax.model.plan import FIRST_LOOK

if TYPE_CHECKING:
    from sectax.stats.single_values import Modes

# The chances that a run with normal differences is warned of, and that a run with equal modes loses a verdict.
CHANCE_OF_WARNING = 0.005
CHANCE = 0.005
# Two parts so many standard deviations apart are modes: a normal sample is cut at 2.7, few batches at 3 to 4.
APART = 5.0
# Fewer batches are cut in two anywhere.
FEWEST_BATCHES = 8
# Shares of the slow mode that differ by less move no median.
LEAST_SHARE = 0.1
# The chance that a source of single values with one mode is warned of, and that one with equal modes loses a median.
CHANCE_OF_VALUES = 0.004
# Of single values, modes that are nearer change no conclusion.
LEAST_APART = 0.05
# An interval of the median: of fewer values it has no ends, of more it is short; so many times apart they say nothing.
FEWEST_FOR_AN_INTERVAL, MOST_FOR_AN_INTERVAL, LEVEL, WIDE = 9, 1000, 0.95, 3.0
# Of fewer values the slowest hundredth is one or two.
FEWEST_FOR_A_TAIL = 200
# Of the total time, in the slowest hundredth: lognormal times with a deviation of 1 in logs have 9 %.
LARGEST_TAIL = 0.25


def _examine(evidence: Evidence) -> Iterator[Remark]:
    yield from _differences(evidence)
    yield from _medians(evidence)
    yield from _figures(evidence)


def _differences(evidence: Evidence) -> Iterator[Remark]:
    from sectax.stats.diagnostics import normal

    known = {id: values for id, values in evidence.differences.items() if len(values) >= FIRST_LOOK}
    for comparison, values in known.items():
        # Where all blocks agree within the margin, it does not matter how they lie.
        if max(values) - min(values) >= math.log1p(evidence.margin) and normal(values) < CHANCE_OF_WARNING / len(known):
            yield warning(
                comparison,
                _how(values),
                "the interval is for the average, and misses it more often than it says while rare blocks are few",
                "more blocks; and see what a slow process has that a fast one has not",
            )


def _how(values: Sequence[float]) -> str:
    """The modes, or the tail, in words."""
    import numpy as np

    from sectax.stats.batch_shape import best_split

    data = np.sort(np.asarray(values, dtype=np.float64))
    around = data - data.mean()
    share, separation = best_split(around[None, :], np.array([(around**2).sum()]))
    slow = round(float(share[0]) * data.size)
    if separation[0] >= APART:
        low, high = float(data[:-slow].mean()), float(data[-slow:].mean())
        return (
            f"the blocks come in two modes: {data.size - slow} of {data.size} near {percent(low)}, "
            f"{slow} near {percent(high)}"
        )
    longer = "high" if around[-1] > -around[0] else "low"
    middle = float(np.median(data))
    return (
        f"the blocks have a long tail on the {longer} side: from {percent(float(data[0]))} over {percent(middle)} in "
        f"the middle to {percent(float(data[-1]))}, {data.size} blocks"
    )


def _medians(evidence: Evidence) -> Iterator[Remark]:
    """F: a median of batches where both sides have two modes, and not equally often."""
    from sectax.stats.diagnostics import away_from_zero

    pairs = [
        (finding.comparison, evidence.arms[finding.comparison.treatment], evidence.arms[finding.comparison.baseline])
        for finding in evidence.measured_findings()
        if _is_median_of_batches(evidence, finding.comparison.metric)
    ]
    for comparison, treatment, baseline in pairs:
        if not (_two_modes(treatment) and _two_modes(baseline)):
            continue
        both = treatment.shapes.keys() & baseline.shapes.keys()
        shares = [treatment.shapes[block].slow_share - baseline.shapes[block].slow_share for block in sorted(both)]
        if len(shares) < FIRST_LOOK:
            continue
        more = math.fsum(shares) / len(shares)
        if abs(more) >= LEAST_SHARE and away_from_zero(shares) < CHANCE / len(pairs):
            of = [
                100 * math.fsum(column(arm, lambda shape: shape.slow_share)) / len(arm.shapes)
                for arm in (treatment, baseline)
            ]
            yield fatal(
                comparison.id,
                f"the batches have two modes; the slow one holds {of[0]:.0f} % of {treatment.id} and {of[1]:.0f} % of "
                f"{baseline.id}",
                "a median is in one mode or the other, and says nothing of how often each comes",
                "compare the mean or the rate, or the modes one by one",
            )


def _is_median_of_batches(evidence: Evidence, name: str) -> bool:
    metric = evidence.metrics.get(name)
    return metric is not None and metric.summary is Summary.MEDIAN and metric.observed == evidence.batch


def _two_modes(arm: Arm) -> bool:
    separations = sorted(column(arm, lambda shape: shape.separation if shape.batches >= FEWEST_BATCHES else None))
    return len(separations) >= FIRST_LOOK and separations[len(separations) // 2] >= APART


def _figures(evidence: Evidence) -> Iterator[Remark]:
    """Single values of somebody's figure in two modes, or so few slow ones among them that these decide."""
    from sectax.stats.single_values import tail_share

    yield from _wide(evidence)
    yield from cut_off(evidence)
    yield from processes(evidence)
    singly, bare = told_singly(speeds(evidence))
    chance = CHANCE_OF_VALUES / max(len(singly), 1)
    modes = {figure.id: found for figure in singly if (found := _modes(figure, chance)) is not None}
    tails = {
        figure.id: share
        for figure in singly
        if figure.id not in modes and len(figure.values) >= FEWEST_FOR_A_TAIL
        if (share := tail_share(slowness(figure))) > LARGEST_TAIL
    }
    yield from _medians_of_values(evidence, modes)
    of_few = list(unlike_values(evidence))
    yield from of_few
    known = {id for remark in of_few for id in remark.figures}
    yield from far_from_others(evidence, {*modes, *known})
    yield from worst_of_tables(
        Severity.WARNING,
        [figure for figure in singly if figure.id in modes],
        lambda figure: modes[figure.id].slow - modes[figure.id].fast,
        lambda figure: (
            f"{len(figure.values)} values come in two modes: {100 * modes[figure.id].slow_share:.0f} % of them are "
            f"{slower(modes[figure.id].slow - modes[figure.id].fast)} the others"
        ),
        "a median is in one mode or the other, and a mean in neither",
        "report the modes one by one, with how often each comes",
    )
    yield from worst_of_tables(
        Severity.WARNING,
        [figure for figure in singly if figure.id in tails],
        lambda figure: tails[figure.id],
        lambda figure: (
            f"the slowest hundredth of {len(figure.values)} values holds {100 * tails[figure.id]:.0f} % of their time"
        ),
        "a few values decide the mean, and the median does not show them",
        "report the median and a quantile of the tail, from enough values for both",
    )
    yield from unknown(bare, NO_SINGLE_VALUES)


def _wide(evidence: Evidence) -> Iterator[Remark]:
    """Values so far apart that not even their median is known to a factor."""
    import numpy as np
    from scipy.special import bdtr

    singly, _ = told_singly(speeds(evidence), FEWEST_FOR_AN_INTERVAL)
    singly = [figure for figure in singly if len(figure.values) <= MOST_FOR_AN_INTERVAL]
    wide = {}
    for figure in singly:
        ordered = np.sort(slowness(figure))
        # So many values on either side are left out of the interval of the median.
        beyond = int((bdtr(np.arange(ordered.size), ordered.size, 0.5) <= (1 - LEVEL) / 2).sum()) - 1
        low, high = float(ordered[beyond]), float(ordered[-1 - beyond])
        if high >= WIDE * low:
            wide[figure.id] = low, high
    yield from worst_of_tables(
        Severity.WARNING,
        [figure for figure in singly if figure.id in wide],
        lambda figure: wide[figure.id][1] / wide[figure.id][0],
        lambda figure: (
            f"the median of {len(figure.values)} values may be anywhere within a factor of "
            f"{number(wide[figure.id][1] / wide[figure.id][0])}, at 95 %"
        ),
        "no cost below that can be seen, whatever the medians are",
        "see what makes single values so unlike, and measure many more",
    )


def _modes(figure: Figure, chance: float) -> Modes | None:
    import numpy as np

    from sectax.stats.single_values import two_modes

    found = two_modes(np.log(slowness(figure)))
    if found is None or found.chance >= chance or found.slow - found.fast < math.log1p(LEAST_APART):
        return None
    return found


def _medians_of_values(evidence: Evidence, modes: dict[str, Modes]) -> Iterator[Remark]:
    """F: medians that stand against each other, of values in two modes, the slow one not equally often."""
    if evidence.contrast is not None and evidence.contrast.guessed:
        return
    groups = [[one for one in group if one.id in modes and _is_median(one)] for group in sides(evidence)]
    chance = CHANCE_OF_VALUES / max(1, sum(math.comb(len(group), 2) for group in groups))
    unequal = [pair for group in groups for pair in _farthest(group, modes) if _unequal(pair, modes, chance)]
    if unequal:
        one, other = max(unequal, key=lambda pair: _apart(pair, modes))
        both = [figure for pair in unequal for figure in pair]
        shares = [100 * modes[figure.id].slow_share for figure in (one, other)]
        yield Remark(
            Severity.FATAL,
            one.table,
            f"the values come in two modes; the slow one holds {shares[0]:.0f} % of {one.id} and {shares[1]:.0f} % of "
            f"{other.id}. Seen in {named(both)}",
            "the medians are in one mode or the other, and their ratio says nothing of how often each comes",
            "compare the means, or the modes one by one",
            ids(both),
        )


def _farthest(group: list[Figure], modes: dict[str, Modes]) -> list[tuple[Figure, Figure]]:
    """Every figure beside the one whose slow share is farthest from its own: where these agree, all do."""
    ordered = sorted(group, key=lambda figure: modes[figure.id].slow_share)
    return [
        max(((one, end) for end in (ordered[0], ordered[-1])), key=lambda pair: _apart(pair, modes)) for one in group
    ]


def _is_median(figure: Figure) -> bool:
    """Single values that are no summary of their own are compared by their median."""
    return figure.statistic in (None, "median")


def _apart(pair: tuple[Figure, Figure], modes: dict[str, Modes]) -> float:
    return abs(modes[pair[0].id].slow_share - modes[pair[1].id].slow_share)


def _unequal(pair: tuple[Figure, Figure], modes: dict[str, Modes], chance: float) -> bool:
    """Whether the shares of the slow mode differ by what matters, and by more than chance."""
    from scipy.special import ndtr

    sizes = [len(figure.values) for figure in pair]
    slow = sum(modes[figure.id].slow_share * size for figure, size in zip(pair, sizes, strict=True))
    together = slow / sum(sizes)
    deviation = math.sqrt(together * (1 - together) * sum(1 / size for size in sizes))
    return _apart(pair, modes) >= LEAST_SHARE and 2 * float(ndtr(-_apart(pair, modes) / deviation)) < chance


MODES = Check(
    id="modes",
    rule="W: two modes or a long tail in the paired differences, or in single values; F: a median where both sides "
    "have two modes of batches or single values, not equally often",
    examine=_examine,
    sees=speeds,
    applies=lambda evidence: bool(evidence.differences),
)
