"""Intervals drawn with characters, all rows of a table on one axis."""

from __future__ import annotations

from sectax.reports.document import EffectInterval, Row, Table, Tone
from sectax.reports.scale import EQUAL, IntervalAxis, interval_axis

# Narrower drawings show nothing; wider ones show no more.
NARROWEST, WIDEST = 13, 27

# The mark shows the kind of answer, as on the HTML page. None of these characters is double-width.
_MARKS = {Tone.WORSE: "►", Tone.BETTER: "◄", Tone.EVEN: "■", Tone.OPEN: "○", Tone.VOID: "×", Tone.NONE: "◆"}
_BAND, _ZERO = "░", "┊"
_REACH, _FIRST, _LAST, _ACROSS = "─", "├", "┤", "┼"
_BELOW, _ABOVE = "«", "»"


def has_intervals(table: Table) -> bool:
    return table.margin is not None and any(row.interval for row in table.rows)


def draw(table: Table, width: int) -> tuple[str, ...]:
    """One text per row of at most this width, empty without an interval.

    An interval on one side of zero never touches the line of zero, however near it is.
    """
    axis = _axis(table, width)
    return tuple(_row(row, row.interval, axis, width) if axis and row.interval else "" for row in table.rows)


def head(table: Table, width: int) -> str:
    """The labels of the axis: zero, and others that leave a space."""
    axis = _axis(table, width)
    signs = [" "] * width
    for place, text in sorted(axis.ticks(0.0) if axis else (), key=lambda tick: tick[1] != EQUAL):
        first = min(max(round(place - (len(text) - 1) / 2), 0), width - len(text))
        if not "".join(signs[max(0, first - 1) : first + len(text) + 1]).strip():
            signs[first : first + len(text)] = text
    return "".join(signs)


def broken(table: Table, width: int) -> str:
    """What the signs of a broken axis mean; empty where none is."""
    axis = _axis(table, width)
    placed = [axis.scale.placed(row.interval) for row in table.rows if axis and row.interval]
    beyond = {_BELOW: any(one.below for one in placed), _ABOVE: any(one.above for one in placed)}
    used = " ".join(sign for sign, is_used in beyond.items() if is_used)
    return f"{used} goes on beyond the axis" if used else ""


def _axis(table: Table, width: int) -> IntervalAxis | None:
    # One free column at either end for intervals just beyond zero.
    return interval_axis(table, 1.0, width - 2.0) if width else None


def _row(row: Row, interval: EffectInterval, axis: IntervalAxis, width: int) -> str:
    zero = round(axis.zero)
    least = zero + 1 if interval.low > 1 else 0
    most = zero - 1 if interval.high < 1 else width - 1
    placed = axis.scale.placed(interval)
    low, point, high = (min(max(round(place), least), most) for place in (placed.low, placed.point, placed.high))
    signs = [" "] * width
    for place in range(round(axis.band[0]), round(axis.band[1]) + 1):
        signs[place] = _BAND
    signs[zero] = _ZERO
    for place in range(low, high + 1):
        signs[place] = _ACROSS if place == zero else _REACH
    signs[low], signs[high] = _FIRST, _LAST
    signs[point] = _MARKS[row.tone]
    if placed.below:
        signs[0:2] = _BELOW, _MARKS[row.tone] if point < 2 else _REACH
    if placed.above:
        signs[-2:] = _MARKS[row.tone] if point > width - 3 else _REACH, _ABOVE
    return "".join(signs)
