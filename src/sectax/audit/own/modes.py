"""Paired differences, or batches, in two modes or with a long tail: an average of them hides what happens."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from sectax.audit.checks.interface import Check, Remark, fatal, warning
from sectax.audit.checks.words import percent
from sectax.audit.own.blocks import column
from sectax.audit.own.evidence import Arm, RunEvidence
from sectax.model.metric import Summary
from sectax.model.plan import FIRST_LOOK

# The chances that a run with normal differences is warned of, and that a run with equal modes loses a verdict.
CHANCE_OF_WARNING = 0.005


CHANCE = 0.005


# Two parts so many standard deviations apart are modes: a normal sample is cut at 2.7, few batches at 3 to 4.
APART = 5.0


# Fewer batches are cut in two anywhere.
FEWEST_BATCHES = 8


# Shares of the slow mode that differ by less move no median.
LEAST_SHARE = 0.1


def _differences(evidence: RunEvidence) -> Iterator[Remark]:
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
        f"skewed {longer}: min {percent(float(data[0]))}, median {percent(middle)}, max "
        f"{percent(float(data[-1]))}, {data.size} blocks"
    )


def _medians(evidence: RunEvidence) -> Iterator[Remark]:
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


def _is_median_of_batches(evidence: RunEvidence, name: str) -> bool:
    metric = evidence.metrics.get(name)
    return metric is not None and metric.summary is Summary.MEDIAN and metric.observed == evidence.batch


def _two_modes(arm: Arm) -> bool:
    separations = sorted(column(arm, lambda shape: shape.separation if shape.batches >= FEWEST_BATCHES else None))
    return len(separations) >= FIRST_LOOK and separations[len(separations) // 2] >= APART


def _examine(evidence: RunEvidence) -> Iterator[Remark]:
    yield from _differences(evidence)
    yield from _medians(evidence)


MODES: Check[RunEvidence] = Check(
    id="modes",
    rule="W: two modes or a long tail in the paired differences; F: a median where both sides have two modes of "
    "batches, "
    "not equally often",
    examine=_examine,
    applies=lambda evidence: bool(evidence.differences),
)
