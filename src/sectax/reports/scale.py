"""From values to places on a drawing, and where an axis says which value stands where."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

from sectax.reports.document import Table

_FEW = 5
# At both ends of an axis, as a share of what it spans.
_ROOM = 0.05
# Values further apart than this ratio are drawn in equal ratios.
_FAR = 4.0
_STEPS = (1.0, 2.0, 5.0, 10.0)
# Decades further apart than this get one tick each, and no 2 and 5 between them.
_DECADES = 1.5
# Effects at which an axis of costs may have a tick.
_COSTS = (
    *(1 + share for share in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)),
    *(times * 10.0**power for power in range(0, 13) for times in (1, 2, 5) if (times, power) != (1, 0)),
)
# From where to where an axis is in per cent: further down people read −50 % as half, and further up times are shorter.
_IN_PERCENT = (1 / 1.1, 2.0)
EQUAL = "="  # what no difference is called where there is little room


@dataclass(frozen=True)
class AxisScale:
    """A straight or a logarithmic scale from values to places.

    Attributes:
        low, high: the values at its ends; `first` and `last` are their places, and may run downward.
    """

    low: float
    high: float
    first: float
    last: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Where a value stands; what lies beyond an end stands at that end."""
        low, unit = self._laid_out
        return self.first + unit * (self._flat(min(max(value, self.low), self.high)) - low)

    @functools.cached_property
    def _laid_out(self) -> tuple[float, float]:
        """The lower end as it is laid out, and how many places one of its units is long."""
        low, high = self._flat(self.low), self._flat(self.high)
        return low, (self.last - self.first) / (high - low)

    def _flat(self, value: float) -> float:
        return math.log(value) if self.logarithmic else value


def around(values: Iterable[float], first: float, last: float, *, logarithmic: bool) -> AxisScale:
    """A scale that holds all values, with a little room at both ends."""
    finite = [value for value in values if math.isfinite(value) and (value > 0 or not logarithmic)]
    low, high = (min(finite), max(finite)) if finite else (1.0, 1.0)
    if logarithmic:
        room = max(math.log(high / low) * _ROOM, 0.005)
        return AxisScale(low * math.exp(-room), high * math.exp(room), first, last, True)
    room = (high - low) * _ROOM or abs(high) * _ROOM or 1.0
    return AxisScale(low - room, high + room, first, last)


def is_far(values: Iterable[float]) -> bool:
    """Whether values are so far apart that small ones could not be told from each other on a straight scale."""
    sizes = [value for value in values if math.isfinite(value)]
    return bool(sizes) and min(sizes) > 0 and max(sizes) / min(sizes) > _FAR


def ticks(scale: AxisScale) -> list[tuple[float, str]]:
    """About five round values within a scale, and how each is written."""
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
    """No cost, and the outermost round costs on both sides of it: '−2 %', '=', '+5 %'."""
    inside = _round_costs(scale)
    below, above = [tick for tick in inside if tick[0] < 1], [tick for tick in inside if tick[0] > 1]
    return [*below[:1], (1.0, EQUAL), *above[-1:]]


def _round_costs(scale: AxisScale) -> list[tuple[float, str]]:
    """Every cost at which an axis may have a tick, in their order, and how it is written: in one form on one axis."""
    in_percent = scale.low >= _IN_PERCENT[0] and scale.high <= _IN_PERCENT[1]

    def written(cost: float, signs: str) -> str:
        if in_percent:
            return f"{signs[0]}{100 * (cost - 1):g} %"
        return f"{signs[1]}{cost:g}" if cost < 2 else f"{signs[1]}{_short(cost)}"

    every = [*((1 / cost, written(cost, "−÷")) for cost in _COSTS), *((cost, written(cost, "+×")) for cost in _COSTS)]
    return sorted(tick for tick in every if scale.low <= tick[0] <= scale.high)


def ratio_ticks(scale: AxisScale, letter: float) -> list[tuple[float, str]]:
    """No difference, and round costs on both sides: powers of ten first on a long axis.

    Args:
        letter: how wide one is: names that would be printed over each other are left out.
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
    every = max(1, round(decades / _FEW))
    powers = range(math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high)) + 1, every)
    round_values = [factor * 10.0**power for power in powers for factor in factors]
    return [tick for tick in round_values if scale.low <= tick <= scale.high]


def _short(value: float) -> str:
    return _decimal(value, 0) if 1 <= value < 1e7 and value == int(value) else f"{value:.3g}"


def _decimal(value: float, places: int) -> str:
    text = f"{abs(value):,.{places}f}"
    return f"−{text}" if value < 0 and text.strip("0.,") else text


@dataclass(frozen=True)
class IntervalAxis:
    """An axis from cost ratios to places; `margin` is the share on both sides of no cost that does not matter."""

    scale: AxisScale
    margin: float

    @property
    def zero(self) -> float:
        """Where nothing costs more or less."""
        return self.scale.place(1.0)

    @property
    def band(self) -> tuple[float, float]:
        """From where to where a cost does not matter."""
        return self.scale.place(1 / (1 + self.margin)), self.scale.place(1 + self.margin)

    def ticks(self, apart: float) -> list[tuple[float, str]]:
        """No cost, and what else is named and at least so far from it."""
        places = [(self.scale.place(value), text) for value, text in cost_ticks(self.scale)]
        return [(place, text) for place, text in places if text == EQUAL or abs(place - self.zero) >= apart]


def interval_axis(table: Table, first: float, last: float) -> IntervalAxis | None:
    """The axis of a table between two places; None where it has no interval."""
    intervals = [row.interval for row in table.rows if row.interval is not None]
    if not intervals or table.margin is None:
        return None
    ends = itertools.chain.from_iterable((interval.low, interval.point, interval.high) for interval in intervals)
    margin = 1 + table.margin
    return IntervalAxis(around((*ends, 1 / margin, margin), first, last, logarithmic=True), table.margin)
