"""What rounding did to single values: the step they come in, and repeats that no rounding explains.

Healthy values repeat: two printed digits, whole milliseconds and a clock of 42 ns all make ties. So a share of repeats
accuses nobody. What counts is the step beside the spread and beside the value, and whether the values lie on a grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

# Of a step: how far a value may lie beside a multiple of it. A clock of 15.625 ms is printed as 15.6, 31.3, 46.9.
_BESIDE = 0.05
# Values that are not the commonest one, as a share: fewer do not show a step.
_ENOUGH_OTHERS = 0.1
# Where fewer lie beyond two neighbouring ticks, the variance before rounding cannot be told from the values.
_BEYOND_TWO = 0.05
# A clock ticks seldom more often within what a step would hide.
_MOST_TICKS = 20
# Of fewer values no half can be a copy of the other.
FEWEST_TO_COPY = 12
# So many values in a row come twice by chance in none of ten million series.
_CHANCE_OF_A_COPY = 1e-7
_SHORTEST_COPY = 5
_FEWEST_DIFFERENT = 5
_MOST_DIGITS_OF = 200
# Of a longer series the first so many show the same.
MOST_LOOKED_AT = 2**17
# Gaps near a multiple of the step, where values lie on a grid; anywhere else a fifth are, by chance.
_NEAR, _ON_A_GRID = 0.1, 0.6
_FEWEST_GAPS = 10


class Step(NamedTuple):
    """The step of values, their typical value, and how far the middle half of them reaches; all in one unit.

    `hides` is what a mean of many of them can be off by. Values that take two neighbouring ticks say no more than where
    between both their middle lies: any distance within a step may be hidden. Noise that reaches over several steps
    averages rounding out; with a standard deviation s before rounding, what is left is at most the step times
    exp(-2 pi² s² / step²), the first term of the characteristic function (Widrow and Kollár, Quantization Noise, 2008).
    """

    step: float
    typical: float
    spread: float
    hides: float

    @property
    def hides_the_spread(self) -> bool:
        """Whether the middle half takes one or two neighbouring values: then more of them do not average it out."""
        return self.spread <= self.step


def step_of(values: Sequence[float]) -> Step | None:
    """The step of values above zero; None where they show none that could matter."""
    data = np.asarray(values, dtype=np.float64)[:MOST_LOOKED_AT]
    distinct, counts = np.unique(data, return_counts=True)
    low, typical, high = np.quantile(data, (0.25, 0.5, 0.75), method="nearest")
    if distinct.size < 2 or typical <= 0:
        # Twenty times 30 ms may be whole milliseconds or tens of them: nothing tells.
        return None
    gap = float(np.diff(distinct).min())
    ticks = distinct / gap
    on_grid = np.abs(ticks - np.round(ticks)) <= _BESIDE * np.maximum(1, np.round(ticks) / 4)
    few = typical <= _MOST_TICKS * gap
    others = 1 - counts.max() / data.size
    if not few or others < _ENOUGH_OTHERS or counts[on_grid].sum() < 0.95 * data.size:
        return None
    places = np.round(ticks)
    pairs = np.where(np.diff(places) == 1, counts[:-1] + counts[1:], 0)
    if pairs.max(initial=0) > (1 - _BEYOND_TWO) * data.size:
        hides = gap
    else:
        # Rounding adds a twelfth of a squared step to the variance.
        steps = max(float(np.var(data)) / gap**2 - 1 / 12, 0.0)
        hides = gap * math.exp(-2 * math.pi**2 * steps)
    return Step(gap, float(typical), float(high - low), hides)


def printed_step(values: Sequence[float]) -> float:
    """The place of the last digit of the values above zero, as far as the first of them show it, in their unit."""
    places = [_last_place(each) for each in values[:_MOST_DIGITS_OF] if 0 < each < math.inf]
    return min(places, default=0.0)


def _last_place(value: float) -> float:
    digits, _, exponent = f"{value:.12e}".partition("e")
    return float(10.0 ** (int(exponent) - len(digits.replace(".", "").rstrip("0")) + 1))


class CopiedRun(NamedTuple):
    """Values in a row that come a second time: where first, where again, and how many."""

    first: int
    again: int
    length: int


def copied_run(values: Sequence[float]) -> CopiedRun | None:
    """Values in a row that come a second time, beyond chance.

    With p the share of pairs of values that tie, a run of k ties at one of n² / 2 pairs of places by a chance of
    about p^k n² / 2, for independent values. Of values with many digits the ties that there are may all be copies;
    there p follows from the least difference of two values, which is at least a step of their clock. Runs of a few
    ticks over and over are what a slow change of a coarse clock makes, so a run must show several different values,
    and not in order: sorted values tie with others that are sorted.
    """
    data = np.asarray(values, dtype=np.float64)[:MOST_LOOKED_AT]
    n = data.size
    if n < FEWEST_TO_COPY:
        return None
    _, places, counts = np.unique(data, return_inverse=True, return_counts=True)
    tie = float((counts.astype(float) ** 2 - counts).sum()) / (n * (n - 1))
    if not 0 < tie < 0.5:
        return None
    tie = min(tie, _tie_by_step(data))
    length = max(_SHORTEST_COPY, math.ceil(math.log(2 * _CHANCE_OF_A_COPY / n**2) / math.log(tie)))
    if 2 * length > n:
        return None
    windows = np.lib.stride_tricks.sliding_window_view(places.reshape(-1), length)
    # A random weight for each place: equal sums are equal windows, up to a chance of 2^-64.
    weights = np.random.default_rng(0).integers(1, 2**62, length, dtype=np.int64)
    with np.errstate(over="ignore"):
        sums = (windows * weights).sum(axis=1)
    order = np.argsort(sums, kind="stable")
    same = np.flatnonzero(sums[order][1:] == sums[order][:-1])
    for at in same.tolist():
        one, other = sorted((int(order[at]), int(order[at + 1])))
        window = windows[one]
        in_order = bool(np.all(np.diff(window) >= 0) or np.all(np.diff(window) <= 0))
        if other - one >= length and np.unique(window).size >= _FEWEST_DIFFERENT and not in_order:
            return CopiedRun(one, other, _how_long(data, one, other))
    return None


def _tie_by_step(data: Array) -> float:
    """The chance that two normal values with the spread of the middle half tie, by the least difference of any two."""
    low, high = np.quantile(data, (0.25, 0.75))
    steps = np.diff(np.unique(data))
    # A normal deviation is the middle half over 1.35; two values within a step tie by step / (2 deviation √π).
    return float(1.35 * steps.min() / (2 * (high - low) * math.sqrt(math.pi))) if high > low else 1.0


def _how_long(data: Array, one: int, other: int) -> int:
    size = min(other - one, data.size - other)
    equal = data[one : one + size] == data[other : other + size]
    return size if equal.all() else int(np.argmin(equal))


def off_any_grid(values: Sequence[float]) -> bool:
    """Whether the values lie on no grid, nor do their reciprocals, so that rounding makes no ties among them.

    Digits may be significant ones, so each power of ten has a grid of its own.
    """
    data = np.asarray(values, dtype=np.float64)
    data = data[data > 0][:MOST_LOOKED_AT]
    return data.size > 0 and _share_on_grid(data) < _ON_A_GRID and _share_on_grid(1 / data) < _ON_A_GRID


def _share_on_grid(data: Array) -> float:
    """Of the lesser gaps between neighbouring values: how many are multiples of the least; 1 where too few tell."""
    near = total = 0
    decades = np.floor(np.log10(data) + 1e-9)
    for decade in np.unique(decades):
        gaps = np.diff(np.unique(data[decades == decade]))
        if gaps.size < _FEWEST_GAPS:
            continue
        gaps = gaps[gaps <= np.median(gaps)]
        step = float(np.mean(gaps[gaps <= 1.2 * gaps.min()]))
        # Few values may show no gap of a single step: the least may be two of them, or three.
        multiples = [gaps / step * many for many in (1, 2, 3)]
        near += max(int((np.abs(each - np.round(each)) <= _NEAR).sum()) for each in multiples)
        total += gaps.size
    return near / total if total else 1.0
