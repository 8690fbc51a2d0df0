"""Three to nine repetitions: too few for a distribution, and enough for one that is far from all others to show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sectax.audit.check import Remark
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import FEWEST, about, by_table, each_table, gather, slowness, speeds, worst_of_tables
from sectax.audit.grouping import cell as one_cell
from sectax.audit.words import named, number
from sectax.model.finding import Severity

FEWEST_VALUES = 3
# Most of the values lie so near each other, and one is so many times beyond them.
NEAR, BEYOND = 1.05, 1.5
# A single one beyond all others, which are that near each other: by this factor, where Dixon's ratio of the gap to the
# range passes its limit at 99 %.
LEAST_BEYOND = 1.15
_DIXON = {4: 0.926, 5: 0.821, 6: 0.740, 7: 0.680, 8: 0.634, 9: 0.598}
# Of first values: the chance that several of them are called slow, what one of them adds to that at the most, as noise
# has heavier tails than a normal one, and the least spread of the others, in logs.
CHANCE, LEAST_CHANCE, LEAST_SPREAD = 5e-3, 0.01, 1e-3
# How far values that fall at first lie beyond the later ones, and how much of the range of all these may go through.
FALLING, SETTLED = 1.1, 0.2
# No repetitions of one thing are so many times apart.
TWO_THINGS = 100.0
# Half of the interval of a mean at 95 %, as a share of it; or so many times the least, the largest of a few values.
WIDE, APART = 0.25, 1.4
_STUDENT = {3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306}


@dataclass(frozen=True)
class Odd:
    """Values far from most others of their series: which, by their places, and how many times as slow."""

    places: tuple[int, ...]
    ratio: float
    falls: bool = False

    @property
    def is_slow_start(self) -> bool:
        """Whether it is the first value alone, and slower, or the first ones, which fall to the others."""
        return (self.places == (0,) and self.ratio > 1) or self.falls


def few(evidence: Evidence) -> list[Figure]:
    """One figure of each cell with three to nine single values, all above zero."""
    told = (group[0] for group in gather(speeds(evidence), one_cell))
    return [each for each in told if FEWEST_VALUES <= len(each.values) < FEWEST and min(each.values) > 0]


def odd_values(figure: Figure) -> Odd | None:
    """The values far from most others, which are near each other; None where there are none."""
    times = slowness(figure).tolist()
    core = _core(sorted(times))
    if core is None:
        return None
    low, high = core
    far = [at for at, value in enumerate(times) if value >= BEYOND * high or value * BEYOND <= low]
    outside = [at for at, value in enumerate(times) if not low <= value <= high]
    if not far and len(outside) == 1 and len(times) in _DIXON:
        (at,) = outside
        gap = max(times[at] - high, low - times[at])
        apart = max(times[at] / high, low / times[at])
        if apart >= LEAST_BEYOND and gap >= _DIXON[len(times)] * (max(times) - min(times)):
            far = outside
    falls = fall_at_first(times)
    far = outside if falls else far
    if not far:
        return None
    farthest = max(far, key=lambda at: abs(math.log(times[at] / high)))
    return Odd(tuple(far), times[farthest] / (math.sqrt(low) * math.sqrt(high)), falls)


def fall_at_first(times: Sequence[float]) -> bool:
    """Whether the first few, two at the least, fall from one to the next until the others are near each other."""
    core = _core(sorted(times))
    first = next((at for at, value in enumerate(times) if core is not None and value <= core[1]), 0)
    if core is None or first < 2 or not all(core[0] <= each <= core[1] for each in times[first:]):
        return False
    low, high = core
    falls = all(one > other for one, other in pairwise(times[: first + 1])) and times[first - 1] >= FALLING * high
    return falls and times[0] >= LEAST_BEYOND * high and high - low <= SETTLED * (times[0] - low)


def _core(ordered: Sequence[float]) -> tuple[float, float] | None:
    """The ends of the longest run of values that lie near each other; None where it is not most of them."""
    best: tuple[int, float, float] | None = None
    for begin, low in enumerate(ordered):
        inside = [value for value in ordered[begin:] if value <= NEAR * low]
        if best is None or len(inside) > best[0]:
            best = len(inside), low, inside[-1]
    return best[1:] if best is not None and 2 * best[0] > len(ordered) else None


def slow_starts(evidence: Evidence) -> Iterator[Remark]:
    """W: the first of few values is far slower than the others, which are near each other."""
    found = {each.id: odd for each in few(evidence) if (odd := odd_values(each)) is not None and odd.is_slow_start}
    yield from worst_of_tables(
        Severity.WARNING,
        [each for each in few(evidence) if each.id in found],
        lambda figure: found[figure.id].ratio,
        lambda figure: (
            f"the first of {len(figure.values)} values is {number(found[figure.id].ratio)} times the others, which "
            f"are near each other{', and falls to them' if found[figure.id].falls else ''}"
        ),
        "it belongs to the warm-up, and is part of the figure",
        "throw the first trial away, or report it by itself; or warm up for longer",
    )
    yield from _slow_together([each for each in few(evidence) if each.id not in found])


def _slow_together(figures: list[Figure]) -> Iterator[Remark]:
    """First values of several series of a table that are far slower than their others, each maybe by chance."""
    from scipy.special import chdtrc

    tables = [table for table in by_table(figures) if len(table) > 1]
    for table in tables:
        starts = [_start(slowness(figure).tolist()) for figure in table]
        slow = [figure for figure, (excess, _) in zip(table, starts, strict=True) if excess >= NEAR]
        # Fisher (1925): of chances that are all uniform, twice the sum of their logs.
        together = -2 * math.fsum(math.log(max(chance, LEAST_CHANCE)) for _, chance in starts)
        if len(slow) > 1 and float(chdtrc(2 * len(table), together)) <= CHANCE / len(tables):
            yield about(
                Severity.WARNING,
                slow,
                f"the first value of {len(slow)} of {len(table)} series is up to "
                f"{number(max(excess for excess, _ in starts))} times the others of its series, in {named(slow)}",
                "it belongs to the warm-up, and is part of the figures",
                "throw the first value of each away, or report it by itself",
            )


def _start(times: Sequence[float]) -> tuple[float, float]:
    """How many times the slowest of the others the first is, and Student's chance that it is so far above them."""
    from scipy.special import stdtr

    first, *others = map(math.log, times)
    mean = math.fsum(others) / len(others)
    spread = math.sqrt(math.fsum((each - mean) ** 2 for each in others) / (len(others) - 1))
    far = (first - mean) / (max(spread, LEAST_SPREAD) * math.sqrt(1 + 1 / len(others)))
    return math.exp(first - max(others)), float(stdtr(len(others) - 1, -far))


def unlike_values(evidence: Evidence) -> Iterator[Remark]:
    """F where repetitions are of two things; W where one is far from the others, or the mean is hardly known."""
    seen = few(evidence)
    spans = {each.id: max(each.values) / min(each.values) for each in seen}
    mixed = [each for each in seen if spans[each.id] >= TWO_THINGS]
    for severity in (Severity.FATAL, Severity.WARNING):
        yield from each_table(
            severity,
            [each for each in mixed if _repeats(each) is (severity is Severity.FATAL)],
            lambda table: (
                f"values of one series are up to {number(max(spans[each.id] for each in table))} times apart, "
                f"in {named(table)}"
            ),
            "they are of two things, such as a cache that is empty and one that is full: no mean of them stands",
            "see what changed between them, and report each by itself",
        )
    rest = [each for each in seen if each not in mixed]
    odd = {each.id: found for each in rest if (found := odd_values(each)) is not None and not found.is_slow_start}
    yield from worst_of_tables(
        Severity.WARNING,
        [each for each in rest if each.id in odd],
        lambda figure: abs(math.log(odd[figure.id].ratio)),
        lambda figure: (
            f"{len(odd[figure.id].places)} of {len(figure.values)} values is {number(odd[figure.id].ratio)} times most "
            "others, which are near each other"
        ),
        "it decides the mean, and the median does not show it",
        "see what happened then; report the median, and measure more often",
    )
    even = [each for each in rest if odd_values(each) is None]
    summed_up = [each for each in speeds(evidence) if not len(each.values)]
    wide = {each.id: words for each in (*even, *summed_up) if (words := _unlike(each)) is not None}
    yield from worst_of_tables(
        Severity.WARNING,
        [each for each in (*even, *summed_up) if each.id in wide],
        lambda figure: wide[figure.id][0],
        lambda figure: wide[figure.id][1],
        "so few values that are so unlike tell no middle: no cost below that can be seen",
        "see what makes single values so unlike, and measure many more",
    )


def _unlike(figure: Figure) -> tuple[float, str] | None:
    """How many times the least of a few values the largest is, and what to say; None where that is too little."""
    values, count = figure.values, len(figure.values) or figure.trials or 0
    low, high = (min(values), max(values)) if len(values) else (figure.stated.get(name, 0.0) for name in ("min", "max"))
    if count not in _STUDENT or low <= 0:
        return None
    reach = _reach(values) if len(values) else 0.0
    if high < APART * low and reach <= WIDE:
        return None
    known = f", and their mean is known to ± {100 * reach:.0f} % only, at 95 %" if reach > WIDE else ""
    return high / low, f"of {count} values the largest is {number(high / low)} times the least{known}"


def _repeats(figure: Figure) -> bool:
    """Whether its tool repeated one thing; the rows of a table may be of whatever its columns say."""
    return figure.circumstances.calibrated is True or figure.circumstances.batch is not None


def _reach(values: Sequence[float]) -> float:
    """Half of Student's interval of the mean at 95 %, as a share of it."""
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return _STUDENT[len(values)] * deviation / math.sqrt(len(values)) / mean
