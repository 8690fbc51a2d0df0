"""Axis scales and ticks of drawings."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sectax.reports.document import EffectInterval, Table
from sectax.text import units

_FEW = 5
# Padding at both ends of an axis, as a share of its span.
_ROOM = 0.05
# Values that differ by more than this ratio get a logarithmic axis.
_FAR = 4.0
# An axis is broken if one interval would squeeze all others, at least so many, to a smaller share of it than this.
_SQUEEZED = 0.2
_OTHERS = 3
_STEPS = (1.0, 2.0, 5.0, 10.0)
# Axes over more decades than this have no ticks at 2 and 5.
_DECADES = 1.5
# Possible ticks of a cost axis.
_COSTS = (
    *(1 + share for share in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)),
    *(times * 10.0**power for power in range(0, 13) for times in (1, 2, 5) if (times, power) != (1, 0)),
)
# The range of axes in per cent: below it −50 % would be read as half, and above it ratios are shorter.
_IN_PERCENT = (1 / 1.1, 2.0)
# From this value on, a label has a unit for its zeros.
_LONG = 1e7
EQUAL = "="  # the short label of no difference


@dataclass(frozen=True)
class AxisScale:
    """A linear or logarithmic scale from [low, high] to positions [first, last]."""

    low: float
    high: float
    first: float
    last: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """The position of a value, clamped to the ends."""
        low, unit = self._origin_and_unit
        return self.first + unit * (self._linear(min(max(value, self.low), self.high)) - low)

    def placed(self, interval: EffectInterval) -> EffectInterval:
        """The positions of an interval; it goes on beyond an axis that is broken for it."""
        low, point, high = map(self.place, (interval.low, interval.point, interval.high))
        return EffectInterval(
            low, point, high, interval.words, below=interval.low < self.low, above=interval.high > self.high
        )

    @functools.cached_property
    def _origin_and_unit(self) -> tuple[float, float]:
        low, high = self._linear(self.low), self._linear(self.high)
        return low, (self.last - self.first) / (high - low)

    def _linear(self, value: float) -> float:
        return math.log(value) if self.logarithmic else value


def fit_scale(values: Iterable[float], first: float, last: float, *, logarithmic: bool) -> AxisScale:
    """A scale of all values with padding at both ends."""
    finite = [value for value in values if math.isfinite(value) and (value > 0 or not logarithmic)]
    low, high = (min(finite), max(finite)) if finite else (1.0, 1.0)
    if logarithmic:
        room = max(math.log(high / low) * _ROOM, 0.005)
        return AxisScale(low * math.exp(-room), high * math.exp(room), first, last, True)
    room = (high - low) * _ROOM or abs(high) * _ROOM or 1.0
    return AxisScale(low - room, high + room, first, last)


def interval_scale(intervals: Sequence[EffectInterval], margin: float, first: float, last: float) -> AxisScale:
    """A logarithmic scale of cost ratios with the margin, broken where one outlier would squeeze the others."""
    band = (1 / (1 + margin), 1 + margin)

    def scale(kept: Iterable[EffectInterval]) -> AxisScale:
        ends = itertools.chain.from_iterable((interval.low, interval.point, interval.high) for interval in kept)
        return fit_scale((*ends, *band), first, last, logarithmic=True)

    def span(scale: AxisScale) -> float:
        return math.log(scale.high / scale.low)

    whole = scale(intervals)
    if len(intervals) <= _OTHERS:
        return whole
    broken = min((scale([*intervals[:place], *intervals[place + 1 :]]) for place in range(len(intervals))), key=span)
    return broken if span(broken) < _SQUEEZED * span(whole) else whole


def needs_log_scale(values: Iterable[float]) -> bool:
    """Return whether small values would be indistinguishable on a linear scale."""
    sizes = [value for value in values if math.isfinite(value)]
    return bool(sizes) and min(sizes) > 0 and max(sizes) / min(sizes) > _FAR


def ticks(scale: AxisScale) -> list[tuple[float, str]]:
    """About five round values of a scale, with their labels."""
    if scale.logarithmic and math.log10(scale.high / scale.low) > _DECADES / 2:
        return [(value, _short(value)) for value in _round_in_decades(scale)]
    span = scale.high - scale.low
    size = 10.0 ** math.floor(math.log10(span / _FEW))
    step = next(step * size for step in _STEPS if span / (step * size) <= _FEW)
    numbers = range(math.ceil(scale.low / step), math.floor(scale.high / step) + 1)
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    values = [number * step for number in numbers if number > 0 or not scale.logarithmic]
    return [(value, _decimal(value, places)) for value in values]


def cost_ticks(scale: AxisScale) -> list[tuple[float, str]]:
    """Zero and the outermost round costs on both sides: '−2 %', '=', '+5 %'."""
    inside = _round_costs(scale)
    below, above = [tick for tick in inside if tick[0] < 1], [tick for tick in inside if tick[0] > 1]
    return [*below[:1], (1.0, EQUAL), *above[-1:]]


def _round_costs(scale: AxisScale) -> list[tuple[float, str]]:
    """All possible ticks of a cost axis in order, with their labels in one form."""
    in_percent = scale.low >= _IN_PERCENT[0] and scale.high <= _IN_PERCENT[1]

    def label(cost: float, signs: str) -> str:
        if in_percent:
            return f"{signs[0]}{100 * (cost - 1):g} %"
        return f"{signs[1]}{cost:g}" if cost < 2 else f"{signs[1]}{_short(cost)}"

    ticks = [*((1 / cost, label(cost, "−÷")) for cost in _COSTS), *((cost, label(cost, "+×")) for cost in _COSTS)]
    return sorted(tick for tick in ticks if scale.low <= tick[0] <= scale.high)


def ratio_ticks(scale: AxisScale, letter: float) -> list[tuple[float, str]]:
    """Zero and round costs on both sides, powers of ten first on a long axis.

    Args:
        letter: the width of a letter; labels that would overlap are left out.
    """
    long = math.log10(scale.high / scale.low) >= 2 * _DECADES
    least = abs(scale.last - scale.first) / (2 * _FEW)

    def first(tick: tuple[float, str]) -> tuple[bool, float]:
        return long and not math.log10(tick[0]).is_integer(), -abs(math.log(tick[0]))

    ticks = [(1.0, "same")]
    for value, text in sorted(_round_costs(scale), key=first):
        if all(
            abs(scale.place(value) - scale.place(tick)) >= max(least, letter * (1 + (len(text) + len(name)) / 2))
            for tick, name in ticks
        ):
            ticks.append((value, text))
    return sorted(ticks)


def _round_in_decades(scale: AxisScale) -> list[float]:
    decades = math.log10(scale.high / scale.low)
    factors = (1.0,) if decades > _FEW else (1.0, 3.0) if decades > _DECADES else (1.0, 2.0, 5.0)
    step = max(1, round(decades / _FEW))
    powers = range(math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high)) + 1, step)
    round_values = [factor * 10.0**power for power in powers for factor in factors]
    return [tick for tick in round_values if scale.low <= tick <= scale.high]


def _short(value: float) -> str:
    for size, unit in ((1e12, " T"), (1e9, " G"), (1e6, " M")):
        if value >= max(size, _LONG):
            return f"{units.digits(value / size, 3)}{unit}"
    return _decimal(value, 0) if value >= 1 and value == int(value) else units.digits(value, 3)


def _decimal(value: float, places: int) -> str:
    text = f"{abs(value):,.{places}f}"
    return f"−{text}" if value < 0 and text.strip("0.,") else text


@dataclass(frozen=True)
class IntervalAxis:
    """An axis of cost ratios with the equivalence margin, a share."""

    scale: AxisScale
    margin: float

    @property
    def zero(self) -> float:
        return self.scale.place(1.0)

    @property
    def band(self) -> tuple[float, float]:
        """The ends of the margin."""
        return self.scale.place(1 / (1 + self.margin)), self.scale.place(1 + self.margin)

    def ticks(self, distance: float) -> list[tuple[float, str]]:
        """The tick of zero, and others at least `distance` from it."""
        places = [(self.scale.place(value), text) for value, text in cost_ticks(self.scale)]
        return [(place, text) for place, text in places if text == EQUAL or abs(place - self.zero) >= distance]


def interval_axis(table: Table, first: float, last: float) -> IntervalAxis | None:
    """The axis of a table between two positions; None without intervals."""
    intervals = [row.interval for row in table.rows if row.interval is not None]
    if not intervals or table.margin is None:
        return None
    return IntervalAxis(interval_scale(intervals, table.margin, first, last), table.margin)
