"""The shape of batches and paired differences: warm-up, drift, modes."""

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

# The chances of a false warning for first batches, drift, or modes in the differences.
CHANCE_OF_FIRST, CHANCE_OF_DRIFT, CHANCE_OF_MODES = 0.005, 0.001, 0.005
# The chances of losing a verdict by mistake, for correlated neighbours, or for modes with different shares.
CHANCE_CORRELATED, CHANCE_UNEQUAL = 0.004, 0.005
# Controls repeat the baseline and have its warm-up.
_COPIES = (Role.NEGATIVE, Role.POSITIVE)
# Two parts this many standard deviations apart are modes: the best split of a normal sample has 2.7, of few batches 3
# to 4, and of fewer than eight any number.
APART, FEWEST_BATCHES = 5.0, 8
# A smaller difference of the shares does not move a median.
LEAST_SHARE = 0.1


@check("W: the first counted batch of a process differs from its others by the margin or more", applies=has_batches)
def first_trial(evidence: RunEvidence) -> Iterator[Remark]:
    """Warn where the first counted batch differs by the margin or more.

    The first batch is a small part of a block, so smaller differences do not matter.
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
    meaning = "part of the difference may be warm-up, or work at the start"
    yield from warn(arms, hits, saw, meaning, _longer_warm_up(evidence))


def _out_of_place(arm: Arm) -> float:
    """Return the p-value of 'the first batch is like any other', from ranks.

    Ranks do not depend on the distribution of the noise. Their spread over the blocks is used where it exceeds chance:
    where the speed wanders, first batches are the fastest or the slowest more often.
    """
    from scipy.special import ndtr

    from sectax.stats.diagnostics import zero_mean_p_value

    ranks = column(arm, lambda shape: shape.first_rank - 0.5)
    likely = math.sqrt(math.fsum((1 - shape.batches**-2) / 12 for shape in arm.shapes.values()))
    return max(2 * float(ndtr(-abs(math.fsum(ranks)) / likely)), zero_mean_p_value(ranks))


def _longer_warm_up(evidence: RunEvidence) -> str:
    """Return the advice for a warm-up that the pilot missed."""
    if evidence.plan.preset == "quick":
        return "run it without --quick: longer batches let the pilot see more of the warm-up"
    return "run it again on a quieter machine; if this remains, the subject warms up for longer than a pilot"


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
    """Return the change over all blocks, from pairs half a run apart.

    The pairs are independent, so Student's t is valid; residuals of a line are not.
    """
    half = len(values) // 2
    return _mean([2 * (late - early) for early, late in zip(values[:half], values[-half:], strict=True)])


# For each kind of drift: the finding, the computation, its meaning and the advice.
_LOOKS: tuple[tuple[str, Callable[[Arm], tuple[list[float], float]], str, str], ...] = (
    (
        "from the first to the last batch of a process its time changes by {}",
        lambda arm: _mean(column(arm, lambda shape: shape.drift)),
        "neighbours share it, so it cancels in differences; the absolute figure depends on the length of the block",
        "use a longer warm-up, if the absolute figure matters",
    ),
    (
        "from the first to the last position in a round its time changes by {}",
        lambda arm: _mean(column(arm, lambda shape: shape.order)),
        "the preceding batch matters; the order is random, so intervals are wider but not shifted",
        "use longer batches, or a settling batch before each",
    ),
    (
        "from the first to the last block its time changes by {}",
        lambda arm: _change_over_blocks([shape.mean for shape in arm.shapes.values()]),
        "the machine changed during the run; neighbours share it, so it cancels in differences",
        "use an idle machine, if the absolute figure matters",
    ),
)


@check(
    "F: autocorrelation in the paired differences; W: time changes within a process, a round or the run, or the mean "
    "of all blocks is outside an earlier interval",
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
                f"the mean cost over all {effect.blocks} blocks, {percent(effect.log_ratio)}, is outside an earlier "
                "interval of the same run",
                "the effect changed during the run; the printed interval is for the mean of all blocks",
                "find out what changes on one side only (a filling cache, clock speed, other load), and run again",
            )


def _judged_differences(evidence: RunEvidence) -> dict[str, tuple[float, ...]]:
    return {id: values for id, values in evidence.differences.items() if len(values) >= FIRST_LOOK}


def _dependent_blocks(evidence: RunEvidence) -> Iterator[Remark]:
    """F: differences of neighbouring blocks are correlated."""
    from sectax.stats.diagnostics import autocorrelation_p_value, lag_one

    known = _judged_differences(evidence)
    for comparison, values in known.items():
        if len(set(values)) > len(values) // 2 and autocorrelation_p_value(values) < CHANCE_CORRELATED / len(known):
            yield fatal(
                comparison,
                f"the differences of neighbouring blocks are correlated ({lag_one(values):.2f} over "
                f"{len(values)} blocks)",
                "the blocks are not independent, so the interval is too narrow",
                "find out what changes slowly on one side only (a filling cache, growing data), and run again",
            )


@check(
    "W: two modes or a long tail in the paired differences; F: a median where both sides have two modes of batches, "
    "with different shares",
    applies=lambda evidence: bool(evidence.differences),
)
def modes(evidence: RunEvidence) -> Iterator[Remark]:
    from sectax.stats.diagnostics import normality_p_value

    known = _judged_differences(evidence)
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
    yield from _medians(evidence)


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


def _medians(evidence: RunEvidence) -> Iterator[Remark]:
    """F: a median where both sides have two modes with different shares."""
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
                f"the batches have two modes; the slow one has {own:.0f} % of {treatment.id} and {usual:.0f} % of "
                f"{baseline.id}",
                "a median is in one of the modes, and does not show their shares",
                "compare means or rates, or each mode separately",
            )


def _two_modes(arm: Arm) -> bool:
    separations = sorted(column(arm, lambda shape: shape.separation if shape.batches >= FEWEST_BATCHES else None))
    return len(separations) >= FIRST_LOOK and separations[len(separations) // 2] >= APART
