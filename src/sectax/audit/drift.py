"""What changes along a run, or along somebody's single values: a figure that goes somewhere is of no one state."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from sectax.audit.check import Check, Remark, fatal, warning
from sectax.audit.evidence import Arm, Evidence
from sectax.audit.grouping import FEWEST, NO_SINGLE_VALUES, slowness, speeds, told_singly, unknown, worst_of_tables
from sectax.audit.over_blocks import Hit, column, has_batches, unwatched, warn, watched
from sectax.audit.words import percent
from sectax.model.finding import Severity
from sectax.model.plan import FIRST_LOOK
from sectax.model.treatment import CONTROLS

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The chances that a healthy run is warned of, and that it loses a verdict.
CHANCE_OF_WARNING = 0.001
CHANCE = 0.004
# The chance that a source of independent single values is warned of, for each of the two reasons.
CHANCE_OF_VALUES = 0.005
# Of so few values a direction shows; whether neighbours are alike does not.
FEWEST_VALUES = 6
# Of values in order throughout, however little they change.
CHANCE_OF_ORDER = 1e-3
# Of single values, less is no reason for doubt, however sure it is.
LEAST_CHANGE = 0.05
# With this correlation of neighbours an interval is a fifth too narrow.
LEAST_ALIKE = 0.2

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


def _examine(evidence: Evidence) -> Iterator[Remark]:
    yield from unwatched(evidence)
    arms = watched(evidence)
    for words, look, meaning, advice in _LOOKS:
        yield from warn(arms, _drifting(arms, look, evidence.margin), _saying(words), meaning, advice)
    yield from _alike(evidence)
    yield from _parted(evidence)
    yield from _figures(evidence)


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


def _alike(evidence: Evidence) -> Iterator[Remark]:
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


def _parted(evidence: Evidence) -> Iterator[Remark]:
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


def _figures(evidence: Evidence) -> Iterator[Remark]:
    """Single values of somebody's figure that go somewhere, or resemble their neighbours."""
    from sectax.stats.far_values import beyond_chance
    from sectax.stats.single_values import change_along, resembling_neighbours

    singly, bare = told_singly(speeds(evidence), FEWEST_VALUES)
    told = [slowness(figure) for figure in singly]
    ways = [_way(values) for values in told]
    along = [math.log(change_along(values)) for values in told]
    # Values in order throughout were sorted, or went somewhere, however little.
    matters = [
        abs(change) >= math.log1p(LEAST_CHANGE) or (way < CHANCE_OF_ORDER and _is_sorted(values))
        for change, way, values in zip(along, ways, told, strict=True)
    ]
    going = beyond_chance([way if matter else 1.0 for way, matter in zip(ways, matters, strict=True)], CHANCE_OF_VALUES)
    changes = {singly[at].id: along[at] for at in going}
    ordered = {singly[at].id for at in going if _is_sorted(told[at])}
    alike = [
        resembling_neighbours(values) if at not in going and values.size >= FEWEST else (0.0, 1.0)
        for at, values in enumerate(told)
    ]
    by_chance = [chance if correlation >= LEAST_ALIKE else 1.0 for correlation, chance in alike]
    correlations = {singly[at].id: alike[at][0] for at in beyond_chance(by_chance, CHANCE_OF_VALUES)}
    advice = "alternate what is compared, in random order and over several processes, and compare neighbours"
    yield from worst_of_tables(
        Severity.WARNING,
        [figure for figure in singly if figure.id in changes],
        lambda figure: abs(changes[figure.id]),
        lambda figure: (
            f"{len(figure.values)} values stand in order, each no "
            f"{'shorter' if changes[figure.id] > 0 else 'longer'} than the one before"
            if figure.id in ordered
            else f"from the first to the last of {len(figure.values)} values the time changes by "
            f"{percent(changes[figure.id])}"
        ),
        "what was measured, or the machine, changed meanwhile (or the values were sorted): the figure is of no one "
        "state, and its interval is too narrow",
        advice,
    )
    yield from worst_of_tables(
        Severity.WARNING,
        [figure for figure in singly if figure.id in correlations],
        lambda figure: correlations[figure.id],
        lambda figure: (
            f"neighbours among {len(figure.values)} values resemble each other, by a correlation of "
            f"{correlations[figure.id]:.2f}"
        ),
        "they are not independent, so an interval that counts each of them is too narrow",
        advice,
    )
    yield from unknown(bare, NO_SINGLE_VALUES)


def _way(values: NDArray) -> float:  # type: ignore[type-arg]
    """The chance that independent values go so far in one direction."""
    from sectax.stats.single_values import going_somewhere, inversions_chance

    return inversions_chance(values) if values.size < FEWEST else going_somewhere(values)


def _is_sorted(values: NDArray) -> bool:  # type: ignore[type-arg]
    import numpy as np

    steps = np.diff(values)
    return bool(np.all(steps >= 0) or np.all(steps <= 0)) and 2 * np.unique(values).size > values.size


DRIFT = Check(
    id="drift",
    rule="F: autocorrelation left in the paired differences; W: time changes along a process, a round or the run, or "
    "the mean of all blocks lies where earlier ones had excluded it; "
    "of single values, they change from the first to the last, or neighbours resemble each other",
    examine=_examine,
    sees=speeds,
    applies=lambda evidence: bool(evidence.differences) or has_batches(evidence),
)
