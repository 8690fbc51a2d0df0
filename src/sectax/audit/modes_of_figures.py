"""Single values of somebody's figure in two modes, or so few slow ones among them that these decide."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import by_table, ids, named, sides, speeds, untold
from sectax.audit.single_values import UNTOLD, slowness, told_singly
from sectax.model.finding import Severity, Warning

if TYPE_CHECKING:
    from sectax.stats.single_values import Modes

# The chance that a source of values with one mode is warned of, and that one with equal modes loses a median.
CHANCE = 0.004
# Modes that are nearer change no conclusion.
LEAST_APART = 0.05
# Shares of the slow mode that differ by less move no median.
LEAST_SHARE = 0.1
# Of fewer values the slowest hundredth is one or two.
FEWEST_FOR_A_TAIL = 200
# Of the total time, in the slowest hundredth: lognormal times with a deviation of 1 in logs have 9 %.
LARGEST_TAIL = 0.25


def figures_in_modes(check: str, evidence: Evidence) -> Iterator[Warning]:
    from sectax.stats.single_values import tail_share

    singly, bare = told_singly(speeds(evidence))
    modes = {figure.id: found for figure in singly if (found := _modes(figure, CHANCE / len(singly))) is not None}
    tails = {
        figure.id: share
        for figure in singly
        if figure.id not in modes and len(figure.values) >= FEWEST_FOR_A_TAIL
        if (share := tail_share(slowness(figure))) > LARGEST_TAIL
    }
    yield from _medians(check, evidence, modes)
    for table in by_table(figure for figure in singly if figure.id in modes):
        worst = max(table, key=lambda figure: modes[figure.id].slow - modes[figure.id].fast)
        slower = 100 * math.expm1(modes[worst.id].slow - modes[worst.id].fast)
        yield Warning(
            check,
            Severity.WARNING,
            table[0].table,
            f"{len(worst.values)} values come in two modes: {100 * modes[worst.id].slow_share:.0f} % of them are "
            f"{slower:.2g} % slower than the others ({worst.id}). So in {named(table)}",
            "a median is in one mode or the other, and a mean in neither",
            "report the modes one by one, with how often each comes",
            ids(table),
        )
    for table in by_table(figure for figure in singly if figure.id in tails):
        worst = max(table, key=lambda figure: tails[figure.id])
        yield Warning(
            check,
            Severity.WARNING,
            table[0].table,
            f"the slowest hundredth of {len(worst.values)} values holds {100 * tails[worst.id]:.0f} % of their time "
            f"({worst.id}). So in {named(table)}",
            "a few values decide the mean, and the median does not show them",
            "report the median and a quantile of the tail, from enough values for both",
            ids(table),
        )
    yield from untold(check, bare, UNTOLD)


def _modes(figure: Figure, chance: float) -> Modes | None:
    import numpy as np

    from sectax.stats.single_values import two_modes

    found = two_modes(np.log(slowness(figure)))
    if found is None or found.chance >= chance or found.slow - found.fast < math.log1p(LEAST_APART):
        return None
    return found


def _medians(check: str, evidence: Evidence, modes: dict[str, Modes]) -> Iterator[Warning]:
    """F: medians that stand against each other, of values in two modes, the slow one not equally often."""
    groups = [[one for one in group if one.id in modes and _is_median(one)] for group in sides(evidence)]
    chance = CHANCE / max(1, sum(math.comb(len(group), 2) for group in groups))
    unequal = [pair for group in groups for pair in _farthest(group, modes) if _unequal(pair, modes, chance)]
    if unequal:
        one, other = max(unequal, key=lambda pair: _apart(pair, modes))
        both = [figure for pair in unequal for figure in pair]
        shares = [100 * modes[figure.id].slow_share for figure in (one, other)]
        yield Warning(
            check,
            Severity.FATAL,
            one.table,
            f"the values come in two modes; the slow one holds {shares[0]:.0f} % of {one.id} and {shares[1]:.0f} % of "
            f"{other.id}. So in {named(both)}",
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
