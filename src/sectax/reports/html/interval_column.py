"""The column of a table in which the interval of every row is drawn, all of them on one axis of costs."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.reports.document import Interval, Section, Table, Tone, tables
from sectax.reports.scale import IntervalAxis, interval_axis
from sectax.text import units

WIDTH, HEIGHT = 220, 24
_EDGE = 8.0
# Names of ticks that stand nearer to each other than this would be printed over each other.
_APART = 38.0
# About how wide the longest name is.
_NAME = 44.0

# The shape of a mark says what the verdict is, so that nothing is said by colour alone: the paths lie around 0, 0.
SHAPES = {
    Tone.WORSE: "M-5-6L7 0L-5 6Z",  # points at what costs more
    Tone.BETTER: "M5-6L-7 0L5 6Z",
    Tone.EVEN: "M-5-5H5V5H-5Z",
    Tone.OPEN: "M0-6A6 6 0 1 0 0 6A6 6 0 1 0 0-6Z",  # hollow
    Tone.VOID: "M-5-5L5 5M5-5L-5 5",
    Tone.NONE: "M0-6L6 0L0 6L-6 0Z",
}


# A shape is about so wide. Both ends of an interval are seen beside one of half that width.
_SHAPE, _SMALLEST = 12.0, 0.4


def mark_size(interval: Interval) -> float:
    """How large the shape of an interval is drawn: no shape hides the ends of its own."""
    return round(min(1.0, max(_SMALLEST, (interval.high - interval.low) / (2 * _SHAPE))), 2)


@dataclass(frozen=True)
class Tick:
    place: float
    text: str
    anchor: str


@dataclass(frozen=True)
class IntervalColumn:
    """Everything that is drawn: the band of what does not matter, the line of no cost, ticks, and one place per row."""

    band: tuple[float, float]
    zero: float
    ticks: tuple[Tick, ...]
    rows: tuple[Interval | None, ...]  # in units of the drawing


@dataclass(frozen=True)
class Legend:
    """What the shapes and the band in the tables of a section stand for."""

    tones: tuple[Tone, ...]
    margin: str


def legend(section: Section) -> Legend | None:
    """Of a section; None where nothing is drawn in its tables."""
    drawn = [table for table in tables(section) if table.margin is not None]
    tones = {row.tone for table in drawn for row in table.rows if row.interval is not None}
    margins = " and ".join(dict.fromkeys(f"± {units.margin(table.margin)}" for table in drawn if table.margin))
    return Legend(tuple(tone for tone in Tone if tone in tones), margins) if tones else None


def interval_column(table: Table) -> IntervalColumn | None:
    """Lay out the intervals of a table; None where it has none."""
    axis = interval_axis(table, _EDGE, WIDTH - _EDGE)
    if axis is None:
        return None
    place = axis.scale.place
    rows = tuple(
        interval and Interval(place(interval.low), place(interval.point), place(interval.high), interval.words)
        for interval in (row.interval for row in table.rows)
    )
    return IntervalColumn(axis.band, axis.zero, _ticks(axis), rows)


def _ticks(axis: IntervalAxis) -> tuple[Tick, ...]:
    """Those of the axis that leave each other room; no cost always has its own."""
    return tuple(
        Tick(place, text, "start" if place < _NAME / 2 else "end" if place > WIDTH - _NAME / 2 else "middle")
        for place, text in axis.ticks(_APART)
    )
