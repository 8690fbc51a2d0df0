"""How the batches and the paired differences of a run lie: first batches, drift, modes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from statistics import median

from sectax.audit.checks.interface import Remark, check, fatal, warning
from sectax.audit.checks.words import percent
from sectax.audit.own.blocks import column, has_batches, unwatched, warn, watched
from sectax.audit.own.evidence import Arm, RunEvidence
from sectax.model.metric import Summary
from sectax.model.plan import FIRST_LOOK
from sectax.model.treatment import CONTROLS, Role

# The chances that a healthy run is warned of its first batches, of drift, or of modes in its differences.
CHANCE_OF_FIRST, CHANCE_OF_DRIFT, CHANCE_OF_MODES = 0.005, 0.001, 0.005
# The chances that it loses a verdict, for neighbours that are alike, or for modes that come unequally often.
CHANCE_ALIKE, CHANCE_UNEQUAL = 0.004, 0.005
# They are the baseline again, and have its warm-up.
_COPIES = (Role.NEGATIVE, Role.POSITIVE)
# Two parts so many standard deviations apart are modes: a normal sample is cut at 2.7, few batches at 3 to 4, and fewer
# than eight anywhere.
APART, FEWEST_BATCHES = 5.0, 8
# Shares of the slow mode that differ by less move no median.
LEAST_SHARE = 0.1


@check("W: the first counted batch of a process differs from its others by the margin or more", applies=has_batches)
def first_trial(evidence: RunEvidence) -> Iterator[Remark]:
    """W where the first counted batch differs from the others in block after block, by the margin or more.

    Less does not matter in a block's value, of which the first batch is a small part.
    """
    yield from unwatched(evidence)
    arms = watched(evidence)
    hits = [
        (arm, excess)
        for arm in arms
        if abs(excess := median(column(arm, lambda shape: shape.first_excess))) >= math.log1p(evidence.margin)
        and _out_of_place(arm) < CHANCE_OF_FIRST / len(arms)
    ]
    saw = "the first counted batch of a process differs from its others by {}"
    meaning = "part of the difference may be a warm-up that was too short, or work at the beginning"
    yield from warn(arms, hits, saw, meaning, _longer_warm_up(evidence))


def _out_of_place(arm: Arm) -> float:
    """The p-value of 'the first is any of the batches', from its ranks over the blocks.

    Ranks are the same for noise of any kind. Their spread over the blocks counts where it is larger than chance
    makes it: where the speed wanders, first batches are the fastest or the slowest more often.
    """
    from scipy.special import ndtr

    from sectax.stats.diagnostics import zero_mean_p_value

    ranks = column(arm, lambda shape: shape.first_rank - 0.5)
    likely = math.sqrt(math.fsum((1 - shape.batches**-2) / 12 for shape in arm.shapes.values()))
    return max(2 * float(ndtr(-abs(math.fsum(ranks)) / likely)), zero_mean_p_value(ranks))


def _longer_warm_up(evidence: RunEvidence) -> str:
    """What shows the pilot the end of the warm-up, in a run of this preset."""
    if evidence.plan.preset == "quick":
        return "run it without --quick: longer batches let the pilot see more of it"
    return "run it again when the machine is quieter; where it stays, the subject warms up for longer than a pilot"


@check(
    "W: the pilot did not see the end of the warm-up",
    applies=lambda evidence: any(arm.calibration is not None for arm in evidence.arms.values()),
)
def warm_up(evidence: RunEvidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        if arm.calibration is not None and not arm.calibration.settled and arm.treatment.role not in _COPIES:
            saw = "the speed was still changing when the pilot ended"
            meaning = "part of the difference may be warm-up"
            yield warning(arm.id, saw, meaning, _longer_warm_up(evidence))


def _mean(values: list[float]) -> tuple[list[float], float]:
    return values, math.fsum(values) / len(values) if values else 0.0


def _change_over_blocks(values: list[float]) -> tuple[list[float], float]:
    """The change over all blocks, once for every block of the first half beside its partner in the second.

    Independent of each other, unlike the residuals of a line, so that Student's t holds for them too.
    """
    half = len(values) // 2
    # Partners lie half a run apart.
    return _mean([2 * (late - early) for early, late in zip(values[:half], values[-half:], strict=True)])


# What is asked of every treatment: what it is called, how it is had, what it means and what to do.
_LOOKS: tuple[tuple[str, Callable[[Arm], tuple[list[float], float]], str, str], ...] = (
    (
        "from the first to the last batch of a process its time changes by {}",
        lambda arm: _mean(column(arm, lambda shape: shape.drift)),
        "neighbours share it, so it cancels in differences; the treatment's own figure is that of this length of block",
        "a longer warm-up, if the figure by itself matters",
    ),
    (
        "from the first to the last place in a round its time changes by {}",
        lambda arm: _mean(column(arm, lambda shape: shape.order)),
        "what ran just before matters; the order is random, so it widens the intervals and shifts none",
        "longer batches, or a settling batch before each",
    ),
    (
        "from the first to the last block its time changes by {}",
        lambda arm: _change_over_blocks([shape.mean for shape in arm.shapes.values()]),
        "the machine changed during the run; neighbours share it, so it cancels in differences",
        "a machine that does nothing else, if the figure by itself matters",
    ),
)


@check(
    "F: autocorrelation left in the paired differences; W: time changes along a process, a round or the run, or "
    "the mean of all blocks lies where earlier ones had excluded it",
    applies=lambda evidence: bool(evidence.differences) or has_batches(evidence),
)
def drift(evidence: RunEvidence) -> Iterator[Remark]:
    from sectax.stats.diagnostics import zero_mean_p_value

    yield from unwatched(evidence)
    arms = watched(evidence)
    for words, look, meaning, advice in _LOOKS:
        hits = [
            (arm, change)
            for arm in arms
            for changes, change in [look(arm)]
            if len(changes) >= FIRST_LOOK and abs(change) >= math.log1p(evidence.margin)
            if zero_mean_p_value(changes) < CHANCE_OF_DRIFT / (len(_LOOKS) * len(arms))
        ]
        yield from warn(arms, hits, words, meaning, advice)
    yield from _dependent_blocks(evidence)
    for finding in evidence.findings:
        effect = finding.effect
        if effect is not None and effect.drifted and finding.comparison.standing not in CONTROLS:
            yield warning(
                finding.comparison.id,
                f"the mean cost over all {effect.blocks} blocks, {percent(effect.log_ratio)}, lies where an earlier "
                "look at the same run had excluded it",
                "the effect itself changed during the run; the interval of all blocks is printed, and is about their "
                "mean",
                "see what changes in one of the two alone (a cache that fills, a clock speed, other load), and run "
                "again",
            )


def _judged_differences(evidence: RunEvidence) -> dict[str, tuple[float, ...]]:
    """The differences of comparisons of enough blocks."""
    return {id: values for id, values in evidence.differences.items() if len(values) >= FIRST_LOOK}


def _dependent_blocks(evidence: RunEvidence) -> Iterator[Remark]:
    """F: the differences of neighbouring blocks resemble each other, so the blocks are not independent."""
    from sectax.stats.diagnostics import autocorrelation_p_value, lag_one

    known = _judged_differences(evidence)
    for comparison, values in known.items():
        if len(set(values)) > len(values) // 2 and autocorrelation_p_value(values) < CHANCE_ALIKE / len(known):
            yield fatal(
                comparison,
                f"the differences of neighbouring blocks resemble each other: a correlation of {lag_one(values):.2f} "
                f"over {len(values)} blocks",
                "the blocks are not independent, so the interval is too narrow",
                "see what changes slowly in one of the two alone (a cache that fills, data that grow), and run again",
            )


@check(
    "W: two modes or a long tail in the paired differences; F: a median where both sides have two modes of "
    "batches, not equally often",
    applies=lambda evidence: bool(evidence.differences),
)
def modes(evidence: RunEvidence) -> Iterator[Remark]:
    from sectax.stats.diagnostics import normality_p_value

    known = _judged_differences(evidence)
    for comparison, values in known.items():
        # Where all blocks agree within the margin, it does not matter how they lie.
        differ = max(values) - min(values) >= math.log1p(evidence.margin)
        if differ and normality_p_value(values) < CHANCE_OF_MODES / len(known):
            yield warning(
                comparison,
                _modes_in_words(values),
                "the interval is for the average, and misses it more often than it says while rare blocks are few",
                "more blocks; and see what a slow process has that a fast one has not",
            )
    yield from _medians(evidence)


def _modes_in_words(values: Sequence[float]) -> str:
    """The modes, or the tail, in words."""
    import numpy as np

    from sectax.stats.batch_shape import best_split

    data = np.sort(np.asarray(values, dtype=np.float64))
    around = data - data.mean()
    share, separation = best_split(around[None, :], np.array([(around**2).sum()]))
    slow = round(float(share[0]) * data.size)
    if separation[0] >= APART:
        low, high = (percent(float(part.mean())) for part in (data[:-slow], data[-slow:]))
        return f"the blocks come in two modes: {data.size - slow} of {data.size} near {low}, {slow} near {high}"
    longer = "high" if around[-1] > -around[0] else "low"
    least, middle, most = (percent(float(value)) for value in (data[0], np.median(data), data[-1]))
    return f"skewed {longer}: min {least}, median {middle}, max {most}, {data.size} blocks"


def _medians(evidence: RunEvidence) -> Iterator[Remark]:
    """F: a median of batches where both sides have two modes, and not equally often."""
    from sectax.stats.diagnostics import zero_mean_p_value

    pairs = [
        (finding.comparison, *sides)
        for finding in evidence.measured_findings()
        if (metric := evidence.metrics.get(finding.comparison.metric)) is not None
        if metric.summary is Summary.MEDIAN and metric.observed == evidence.batch and (sides := evidence.sides(finding))
    ]
    for comparison, treatment, baseline in pairs:
        if not (_two_modes(treatment) and _two_modes(baseline)):
            continue
        both = treatment.shapes.keys() & baseline.shapes.keys()
        shares = [treatment.shapes[block].slow_share - baseline.shapes[block].slow_share for block in sorted(both)]
        if len(shares) < FIRST_LOOK or abs(_mean(shares)[1]) < LEAST_SHARE:
            continue
        if zero_mean_p_value(shares) < CHANCE_UNEQUAL / len(pairs):
            own, usual = (100 * _mean(column(arm, lambda shape: shape.slow_share))[1] for arm in (treatment, baseline))
            yield fatal(
                comparison.id,
                f"the batches have two modes; the slow one holds {own:.0f} % of {treatment.id} and {usual:.0f} % of "
                f"{baseline.id}",
                "a median is in one mode or the other, and says nothing of how often each comes",
                "compare the mean or the rate, or the modes one by one",
            )


def _two_modes(arm: Arm) -> bool:
    separations = sorted(column(arm, lambda shape: shape.separation if shape.batches >= FEWEST_BATCHES else None))
    return len(separations) >= FIRST_LOOK and separations[len(separations) // 2] >= APART
