"""The column of a table with drawn intervals on one cost axis."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.reports.document import EffectInterval, Section, Table, Tone, tables
from sectax.reports.scale import IntervalAxis, interval_axis
from sectax.text import units

WIDTH, HEIGHT = 220, 24
_EDGE = 8.0
# Tick labels nearer to each other than this would overlap.
_APART = 38.0
# About the width of the longest label.
_NAME = 44.0

# Each kind of verdict has its own shape (around 0, 0), since colour alone is not enough.
SHAPES = {
    Tone.WORSE: "M-5-6L7 0L-5 6Z",  # points towards higher cost
    Tone.BETTER: "M5-6L-7 0L5 6Z",
    Tone.EVEN: "M-5-5H5V5H-5Z",
    Tone.OPEN: "M0-6A6 6 0 1 0 0 6A6 6 0 1 0 0-6Z",  # hollow
    Tone.VOID: "M-5-5L5 5M5-5L-5 5",
    Tone.NONE: "M0-6L6 0L0 6L-6 0Z",
}

# Width of a shape, and its smallest size.
_SHAPE, _SMALLEST = 12.0, 0.4


def mark_size(interval: EffectInterval) -> float:
    """The relative size of a mark: small enough to show both ends of its interval."""
    return round(min(1.0, max(_SMALLEST, (interval.high - interval.low) / (2 * _SHAPE))), 2)


def ends(interval: EffectInterval, y: float) -> str:
    """The path of both ends: a stroke, or two slanted ones where a broken axis ends before the interval."""

    def end(x: float, inwards: float, *, broken: bool) -> str:
        if not broken:
            return f"M{x:.1f} {y - 5:g}v10"
        return f"M{x:.1f} {y - 5:g}l-4 10M{x + inwards:.1f} {y - 5:g}l-4 10"

    return end(interval.low, 4, broken=interval.below) + end(interval.high, -4, broken=interval.above)


@dataclass(frozen=True)
class AnchoredTick:
    place: float
    text: str
    anchor: str


@dataclass(frozen=True)
class IntervalColumn:
    """A column in drawing units: margin band, line of zero, ticks and intervals."""

    band: tuple[float, float]
    zero: float
    ticks: tuple[AnchoredTick, ...]
    rows: tuple[EffectInterval | None, ...]


@dataclass(frozen=True)
class Legend:
    """The tones and margins in the tables of a section, and whether an axis is broken."""

    tones: tuple[Tone, ...]
    margin: str
    is_broken: bool


def legend(section: Section) -> Legend | None:
    """The legend of a section; None without drawn intervals."""
    drawn = [table for table in tables(section) if table.margin is not None]
    tones = {row.tone for table in drawn for row in table.rows if row.interval is not None}
    margins = " and ".join(dict.fromkeys(f"± {units.margin(table.margin)}" for table in drawn if table.margin))
    columns = [column for table in drawn if (column := interval_column(table))]
    is_broken = any(row and (row.below or row.above) for column in columns for row in column.rows)
    return Legend(tuple(tone for tone in Tone if tone in tones), margins, is_broken) if tones else None


def interval_column(table: Table) -> IntervalColumn | None:
    """Lay out the intervals of a table; None without intervals."""
    axis = interval_axis(table, _EDGE, WIDTH - _EDGE)
    if axis is None:
        return None
    rows = tuple(row.interval and axis.scale.placed(row.interval) for row in table.rows)
    return IntervalColumn(axis.band, axis.zero, _ticks(axis), rows)


def _ticks(axis: IntervalAxis) -> tuple[AnchoredTick, ...]:
    return tuple(
        AnchoredTick(place, text, "start" if place < _NAME / 2 else "end" if place > WIDTH - _NAME / 2 else "middle")
        for place, text in axis.ticks(_APART)
    )
