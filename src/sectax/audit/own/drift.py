"""What changes along a run: batches, places in a round, blocks; and neighbours that resemble each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from sectax.audit.checks.interface import Check, Remark, fatal, warning
from sectax.audit.checks.words import percent
from sectax.audit.own.blocks import Hit, column, has_batches, unwatched, warn, watched
from sectax.audit.own.evidence import Arm, RunEvidence
from sectax.model.plan import FIRST_LOOK
from sectax.model.treatment import CONTROLS

# The chances that a healthy run is warned of, and that it loses a verdict.
CHANCE_OF_WARNING = 0.001


CHANCE = 0.004


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
        lambda arm: _along([shape.mean for shape in arm.shapes.values()]),
        "the machine changed during the run; neighbours share it, so it cancels in differences",
        "a machine that does nothing else, if the figure by itself matters",
    ),
)


def _drifting(arms: Sequence[Arm], look: Callable[[Arm], tuple[list[float], float]], margin: float) -> Iterator[Hit]:
    """The treatments that change by the margin or more, and not by chance."""
    from sectax.stats.diagnostics import away_from_zero

    for arm in arms:
        changes, change = look(arm)
        if len(changes) < FIRST_LOOK or abs(change) < math.log1p(margin):
            continue
        if away_from_zero(changes) < CHANCE_OF_WARNING / (len(_LOOKS) * len(arms)):
            yield arm, change


def _saying(words: str) -> Callable[[Hit], str]:
    return lambda hit: words.format(percent(hit[1]))


def _mean(values: list[float]) -> tuple[list[float], float]:
    return values, math.fsum(values) / len(values) if values else 0.0


def _along(values: list[float]) -> tuple[list[float], float]:
    """The change over all blocks, once for every block of the first half beside its partner in the second.

    Independent of each other, unlike the residuals of a line, so that Student's t holds for them too.
    """
    half = len(values) // 2
    partners = [late - early for early, late in zip(values[:half], values[-half:], strict=True)]
    changes = [2 * difference for difference in partners]  # partners lie half a run apart
    return _mean(changes)


def _alike(evidence: RunEvidence) -> Iterator[Remark]:
    """F: the differences of neighbouring blocks resemble each other, so the blocks are not independent."""
    from sectax.stats.diagnostics import lag_one, neighbours_alike

    known = {id: values for id, values in evidence.differences.items() if len(values) >= FIRST_LOOK}
    for comparison, values in known.items():
        if len(set(values)) > len(values) // 2 and neighbours_alike(values) < CHANCE / len(known):
            yield fatal(
                comparison,
                f"the differences of neighbouring blocks resemble each other: a correlation of {lag_one(values):.2f} "
                f"over {len(values)} blocks",
                "the blocks are not independent, so the interval is too narrow",
                "see what changes slowly in one of the two alone (a cache that fills, data that grow), and run again",
            )


def _parted(evidence: RunEvidence) -> Iterator[Remark]:
    """W: the mean of all blocks lies where an earlier look of the same run had excluded it."""
    for finding in evidence.findings:
        effect = finding.effect
        if effect is None or not effect.drifted or finding.comparison.standing in CONTROLS:
            continue
        yield warning(
            finding.comparison.id,
            f"the mean cost over all {effect.blocks} blocks, {percent(effect.log_ratio)}, lies where an earlier look "
            "at the same run had excluded it",
            "the effect itself changed during the run; the interval of all blocks is printed, and is about their mean",
            "see what changes in one of the two alone (a cache that fills, a clock speed, other load), and run again",
        )


def _examine(evidence: RunEvidence) -> Iterator[Remark]:
    yield from unwatched(evidence)
    arms = watched(evidence)
    for words, look, meaning, advice in _LOOKS:
        yield from warn(arms, _drifting(arms, look, evidence.margin), _saying(words), meaning, advice)
    yield from _alike(evidence)
    yield from _parted(evidence)


DRIFT: Check[RunEvidence] = Check(
    id="drift",
    rule="F: autocorrelation left in the paired differences; W: time changes along a process, a round or the run, or "
    "the mean of all blocks lies where earlier ones had excluded it",
    examine=_examine,
    applies=lambda evidence: bool(evidence.differences) or has_batches(evidence),
)
