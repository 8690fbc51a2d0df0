"""Neighbouring single values that resemble each other, as in a trend."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from sectax.audit.checks.batches import column, judged_differences, unwatched, warn, watched, with_batches
from sectax.audit.checks.groups import NO_SINGLE_VALUES, Worst, slowness, unknown, with_values, worst
from sectax.audit.checks.interface import Remark, check, fatal, warning
from sectax.audit.checks.words import percent
from sectax.audit.form import Evidence, Series
from sectax.model.finding import Severity
from sectax.model.plan import FIRST_LOOK
from sectax.model.treatment import CONTROLS

# The chance of a false warning for a source of independent values.
CHANCE = 0.005
# At this correlation of neighbours an interval is a fifth too narrow.
LEAST_CORRELATION = 0.2
# The chances of a false warning of a sectax run, and of losing one of its verdicts by mistake.
CHANCE_OF_DRIFT, CHANCE_OF_VERDICT = 0.001, 0.004
ADVICE = "alternate the sides in random order over several processes, and compare neighbours"


@check(
    "W: neighbouring single values are correlated, for example because they rise or fall (in a sectax run, F: the "
    "paired differences are; W: time changes within a process, a round or the run, or the mean of all blocks is "
    "outside an earlier interval)",
    sees=lambda evidence: with_batches(evidence) if evidence.is_run else evidence.speeds,
    applies=lambda evidence: bool(evidence.differences),
    runs=True,
)
def drift(evidence: Evidence) -> Iterator[Remark]:
    if evidence.is_run:
        yield from _over_blocks(evidence)
        return
    from sectax.stats.single_values import rank_autocorrelation, significant_series

    singly, bare = with_values(evidence.speeds)
    correlated = [rank_autocorrelation(slowness(series)) for series in singly]
    by_chance = [chance if correlation >= LEAST_CORRELATION else 1.0 for correlation, chance in correlated]
    correlations: Worst = {}
    for at in significant_series(by_chance, CHANCE):
        series, correlation = singly[at], correlated[at][0]
        saw = f"neighbouring values are correlated ({correlation:.2f} over {len(series.values)} values)"
        correlations[series] = correlation, saw
    meaning = "the subject or the machine changed during the run, so an interval of independent values is too narrow"
    yield from worst(Severity.WARNING, correlations, meaning, ADVICE)
    yield from unknown(bare, NO_SINGLE_VALUES)


def _mean(values: list[float]) -> tuple[list[float], float]:
    return values, math.fsum(values) / len(values) if values else 0.0


def _change_over_blocks(values: list[float]) -> tuple[list[float], float]:
    """Return the change over all blocks, from pairs half a run apart.

    The pairs are independent, so Student's t is valid; residuals of a line are not.
    """
    half = len(values) // 2
    return _mean([2 * (late - early) for early, late in zip(values[:half], values[-half:], strict=True)])


# For each kind of drift: the finding, the computation, its meaning and the advice.
_LOOKS: tuple[tuple[str, Callable[[Series], tuple[list[float], float]], str, str], ...] = (
    (
        "from the first to the last batch of a process its time changes by {}",
        lambda trial: _mean(column(trial, lambda shape: shape.drift)),
        "neighbours share it, so it cancels in differences; the absolute figure depends on the length of the block",
        "use a longer warm-up, if the absolute figure matters",
    ),
    (
        "from the first to the last position in a round its time changes by {}",
        lambda trial: _mean(column(trial, lambda shape: shape.order)),
        "the preceding batch matters; the order is random, so intervals are wider but not shifted",
        "use longer batches, or a settling batch before each",
    ),
    (
        "from the first to the last block its time changes by {}",
        lambda trial: _change_over_blocks(column(trial, lambda shape: shape.mean)),
        "the machine changed during the run; neighbours share it, so it cancels in differences",
        "use an idle machine, if the absolute figure matters",
    ),
)


def _over_blocks(evidence: Evidence) -> Iterator[Remark]:
    from sectax.stats.diagnostics import zero_mean_p_value

    yield from unwatched(evidence)
    trials = watched(evidence)
    for words, look, meaning, advice in _LOOKS:
        hits = [
            (trial, change)
            for trial in trials
            for changes, change in [look(trial)]
            if len(changes) >= FIRST_LOOK and abs(change) >= math.log1p(evidence.margin)
            if zero_mean_p_value(changes) < CHANCE_OF_DRIFT / (len(_LOOKS) * len(trials))
        ]
        yield from warn(trials, hits, words, meaning, advice)
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


def _dependent_blocks(evidence: Evidence) -> Iterator[Remark]:
    """F: differences of neighbouring blocks are correlated."""
    from sectax.stats.diagnostics import autocorrelation_p_value, lag_one

    known = judged_differences(evidence)
    for comparison, values in known.items():
        if len(set(values)) > len(values) // 2 and autocorrelation_p_value(values) < CHANCE_OF_VERDICT / len(known):
            yield fatal(
                comparison,
                f"the differences of neighbouring blocks are correlated ({lag_one(values):.2f} over "
                f"{len(values)} blocks)",
                "the blocks are not independent, so the interval is too narrow",
                "find out what changes slowly on one side only (a filling cache, growing data), and run again",
            )
