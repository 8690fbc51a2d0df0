"""Numbers as text: one scale per column, only digits that the interval supports."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sectax.model.finding import Estimate

_TIMES = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
_SIZES = (("GiB", 2.0**30), ("MiB", 2.0**20), ("KiB", 2.0**10), ("B", 1.0))
# An interval spans at least this many steps of the last printed digit: enough to show where the point lies in it,
# without invented digits.
_STEPS = 5.0
_WIDENED = 1.2
# Additional digits that keep an end from being rounded onto a limit.
_MORE_DIGITS = 3
_DIGITS_WITHOUT_INTERVAL = 4
# Places between a number and its unit, or a sign and its number, where no line is broken.
_TIED = re.compile(r"(?<=\d) (?=(?:%|s|ms|µs|ns|min|h|B|KiB|MiB|GiB|block|blocks|times)(?![\w]))|(?<=±) (?=\d)")
# An interval whose ends are further apart than this, as a ratio, is useless.
_KNOWN_WITHIN = 1000.0
_LARGEST_SHARE = 10.0
# Of a larger logarithm the ratio does not fit into a float.
LARGEST_LOG_RATIO = 700.0


@dataclass(frozen=True)
class UnitScale:
    """Unit of a column as printed, and how many base units one of it is."""

    unit: str
    size: float = 1.0


def tied(text: str, tie: str) -> str:
    """Text with a *tie* in place of every space between a number and its unit."""
    return _TIED.sub(tie, text)


def scale(unit: str, values: Iterable[float]) -> UnitScale:
    """The scale in which all *values* (in the base *unit*) of a column are printed.

    Seconds, bytes and what is counted in them per something are scaled; operations per second are not, they get
    thousands separators.
    """
    base, slash, per = unit.partition("/")
    steps = _TIMES if base == "s" else _SIZES if base == "B" else ()
    sizes = [abs(value) for value in values if math.isfinite(value) and value != 0]
    if not steps or not sizes:
        return UnitScale(unit)
    # The middle, in logs, of the column's values.
    middle = math.sqrt(min(sizes)) * math.sqrt(max(sizes))
    name, size = next((step for step in steps if middle >= step[1]), steps[-1])
    return UnitScale(name + slash + per, size)


def decimals(width: float) -> int:
    """Decimals supported by an interval of this width; negative for tens or hundreds."""
    # Slightly less, so that a width of exactly that many steps is not lost to rounding.
    return max(-15, min(15, math.ceil(math.log10(_STEPS) - math.log10(width) - 1e-9)))


def fixed(value: float, places: int) -> str:
    """With this many decimals, thousands separated, and a real minus sign."""
    rounded = round(value, places)
    text = f"{abs(rounded):,.{max(0, places)}f}"
    return f"−{text}" if rounded < 0 else text


def signed(text: str) -> str:
    """A printed number with its plus sign; a zero has none."""
    return text if text.startswith("−") or not text.strip("0.,") else f"+{text}"


def number(value: float, width: float | None = None) -> str:
    """One number with the digits that an interval of *width* supports, otherwise four."""
    if width is not None and 0 < width < math.inf:
        return fixed(value, decimals(width))
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    places = _DIGITS_WITHOUT_INTERVAL - 1 - math.floor(math.log10(abs(value)))
    if float(value).is_integer() and places < 0:
        places = 0
    return _without_zeros(fixed(value, places))


def digits(value: float, count: int) -> str:
    """A number with at most so many digits, and never with an exponent: '100', '3,600', '0.00012'."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    return _without_zeros(fixed(value, count - 1 - math.floor(math.log10(abs(value)))))


def outward(low: float, high: float, nothing: float = 0.0, limit: float | None = None) -> tuple[str, str]:
    """Round both ends of a finite interval away from each other.

    It is at most a fifth wider; where rounding would cost more, one digit more is printed. An interval that leaves out
    *nothing* (0, or a ratio of 1) is printed as one that does, so its near end keeps a digit at least. An end that is
    within *limit*, or beyond it, gets more digits where rounding would move it there.
    """
    if not high > low:
        return number(low), number(high)
    coarse = places = decimals(high - low)
    down, up = _rounded_away(low, high, places)
    if up - down > _WIDENED * (high - low) or _touches(low, high, down, up, nothing):
        places += 1
        down, up = _rounded_away(low, high, places)
    for _ in range(_MORE_DIGITS):
        if limit is None or not _touches(low, high, down, up, limit):
            break
        coarse = places = places + 1
        down, up = _rounded_away(low, high, places)
    first, last = fixed(down, places), fixed(up, places)
    if _touches(low, high, down, up, nothing):
        # One digit of the distance for the near end, and of the far end what its own width supports.
        near = decimals(_STEPS * min(abs(low - nothing), abs(high - nothing)))
        if low > nothing:
            return fixed(_rounded_away(low, low, near)[0], near), fixed(_rounded_away(high, high, coarse)[1], coarse)
        return fixed(_rounded_away(low, low, coarse)[0], coarse), fixed(_rounded_away(high, high, near)[1], near)
    while places > 0 and first[-1] == last[-1] == "0":
        places -= 1
        first, last = fixed(down, places), fixed(up, places)
    return first, last


def span(low: float, high: float, nothing: float = 0.0) -> str:
    """Both ends of a finite interval as `outward` rounds them: `18 to 21`."""
    return between(*outward(low, high, nothing))


def between(first: str, last: str) -> str:
    """`40 to 60 s`, or one value where both print the same."""
    return first if first == last else f"{first} to {last}"


def _touches(low: float, high: float, down: float, up: float, nothing: float) -> bool:
    """Whether rounding has moved an end onto *nothing*, or beyond it."""
    return (low > nothing >= down) or (high < nothing <= up)


def _rounded_away(low: float, high: float, places: int) -> tuple[float, float]:
    step = 10.0**-places
    # A small tolerance, so that a bound that is exact in decimals is not pushed out by its binary representation.
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def roughly(value: float) -> str:
    """A rough figure without an interval: about two digits."""
    return number(value, abs(value) / 2)


def downward(value: float) -> str:
    """A lower bound of a positive figure, to about two digits: '23' of 23.9."""
    places = decimals(value / 2)
    return fixed(_rounded_away(value, value, places)[0], places)


def upward(value: float) -> str:
    """An upper bound of a figure, to about two digits."""
    places = decimals(abs(value) / 2)
    return fixed(_rounded_away(value, value, places)[1], places)


def estimate(estimate: Estimate, column: UnitScale) -> str:
    """A treatment's own figure with its uncertainty: `54,610 ± 0.4 %`; never negative."""
    if estimate.low is None or estimate.high is None:
        return with_interval(estimate.point / column.size, None, None)
    low = estimate.low if estimate.point < 0 else max(0.0, estimate.low)
    return with_interval(estimate.point / column.size, low / column.size, estimate.high / column.size)


def with_interval(point: float, low: float | None, high: float | None) -> str:
    """A number with its interval in per cent, or with both ends where that is unclear."""
    if low is None or high is None or low == high == point:
        return number(point)
    reach = max(high - point, point - low)
    if low > 0 and high > _KNOWN_WITHIN * low:
        return f"{roughly(point)} (how far off is not known)"
    if low > 0 and reach >= point:
        # By the width of the interval a low end that is far from 0 would be printed as 0.
        places = [decimals(end / 2) for end in (low, high)]
        down, up = _rounded_away(low, low, places[0])[0], _rounded_away(high, high, places[1])[1]
        return f"{roughly(point)} ({fixed(down, places[0])} to {fixed(up, places[1])})"
    if point <= 0 or reach >= point:
        return f"{number(point, high - low)} ({span(low, high)})"
    return f"{number(point, high - low)} ± {share(reach / point)}"


def as_printed(value: float) -> str:
    """A published figure with exactly its digits, thousands separated."""
    # A float below 0.0001 would print as 6e-05.
    text = f"{abs(value):,}" if abs(value) >= 1e-4 or value == 0 else f"{abs(value):.12f}".rstrip("0")
    return f"−{text}" if value < 0 else text


def ratio(value: float) -> str:
    """A ratio without an interval: three digits."""
    return fixed(value, 2 - math.floor(math.log10(abs(value)))) if value and math.isfinite(value) else str(value)


def share(value: float) -> str:
    """A share as per cent, rounded up, since it is an uncertainty or a bound."""
    if abs(value) > _LARGEST_SHARE:
        return f"more than {_LARGEST_SHARE * 100:,.0f} %"
    hundredths = abs(value) * 100
    places = 2 if hundredths < 0.1 else 1 if hundredths < 10 else 0
    step = 10.0**-places
    return f"{_without_zeros(fixed(math.ceil(hundredths / step - 1e-9) * step, places))} %"


def whole_percents(parts: Sequence[float]) -> list[int]:
    """Parts of a whole in whole per cent that add up to 100 (largest remainders)."""
    whole = sum(parts)
    exact = [100 * part / whole for part in parts] if whole > 0 else [0.0 for _ in parts]
    rounded = [math.floor(share) for share in exact]
    lost = sorted(range(len(parts)), key=lambda place: rounded[place] - exact[place])
    for place in lost[: round(sum(exact)) - sum(rounded)]:
        rounded[place] += 1
    return rounded


def margin(value: float) -> str:
    """A margin as the user stated it: `2 %`."""
    return f"{value * 100:g} %"


def known_cost(value: float) -> str:
    """A cost that was added on purpose, to a hundredth of a per cent: `11.76 %`."""
    return margin(round(value, 4))


def cost_ratio(log_ratio: float) -> float:
    """e to this power, and infinite (missing) where there is no bound, instead of 0."""
    return math.exp(log_ratio) if abs(log_ratio) < LARGEST_LOG_RATIO else math.inf


def seconds(value: float) -> str:
    """A length of time to read: `62 s`, `4 min 12 s`, `3 h 12 min`."""
    if value < 10:
        return f"{_without_zeros(roughly(value)) if value < 0.1 else _without_zeros(fixed(value, 1))} s"
    whole = round(value)
    if whole < 120:
        return f"{whole} s"
    if whole < 7200:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    minutes = round(whole / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"


def seconds_range(low: float, high: float) -> str:
    """A range of time: `40 to 100 s`, `31 s to 4.2 min`; two digits, rounded outward."""
    first, first_unit = _two_digits(low, math.floor)
    last, last_unit = _two_digits(high, math.ceil)
    if first_unit == last_unit:
        return f"{between(first, last)} {last_unit}"
    return f"{first} {first_unit} to {last} {last_unit}"


def _two_digits(length: float, rounding: Callable[[float], int]) -> tuple[str, str]:
    """A length of time as number and unit."""
    if length <= 0:
        return "0", "s"
    unit, size = ("s", 1.0) if length < 180 else ("min", 60.0) if length < 3 * 3600 else ("h", 3600.0)
    value = length / size
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    # A number of exactly two digits must not be rounded up because of its binary representation.
    rounded = rounding(round(value / step, 9)) * step
    return (number(rounded) if rounded < 10 else fixed(rounded, 0)), unit


def count(number: float, noun: str) -> str:
    """'1 figure', '2 figures'."""
    return f"{number:,.12g} {noun}{'' if number == 1 else 's'}"


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def more(estimate: Estimate) -> str:
    """Additional cost: '+12 ms (8 to 16)'."""
    ends = [] if estimate.low is None or estimate.high is None else [estimate.low, estimate.high]
    column = scale(estimate.unit, [estimate.point, *ends])
    point, unit = estimate.point / column.size, column.unit
    if len(ends) < 2 or ends[0] == ends[1]:
        return f"{signed(number(point))} {unit}"
    low, high = (end / column.size for end in ends)
    return f"{signed(number(point, high - low))} {unit} ({span(low, high)})"
