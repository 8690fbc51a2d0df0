"""Charts laid out: where their axes, ticks and points stand."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sectax.reports.document import Axis, Chart, Point, Series
from sectax.reports.scale import Scale, around, ticks

WIDTH = 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 14, 22, 34
_HEIGHT = 210
_ROW_HEIGHT = 30
_LONGEST_NAME = 52
_LETTER = 6.6  # about how wide one is

# One shape per series, so that series differ without their colours too. Drawn from the middle in relative steps:
# moving it means changing its first step alone.
SHAPES = (
    "M0 0m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
    "M0 0m-3.2-3.2h6.4v6.4h-6.4z",
    "M0 0m0-4.2l4 7.2h-8z",
    "M0 0m0-4.6l4.6 4.6l-4.6 4.6l-4.6-4.6z",
    "M0 0m-3.4-3.4l6.8 6.8m0-6.8l-6.8 6.8",
    "M0 0m0-4.4v8.8m-4.4-4.4h8.8",
    "M0 0m0 4.2l4-7.2h-8z",
    "M0 0m-4.4 0h8.8",
)


@dataclass(frozen=True)
class Tick:
    place: float
    text: str


@dataclass(frozen=True)
class DrawnSeries:
    name: str
    number: int  # of its colour and shape, from 0
    shape: str
    marks: tuple[Point, ...]  # in units of the drawing
    path: str  # from mark to mark; empty where they are not joined


@dataclass(frozen=True)
class DrawnChart:
    """A chart in units of its drawing; the plot is the rectangle in which marks stand."""

    chart: Chart
    height: float
    left: float
    right: float
    top: float
    bottom: float
    across: tuple[Tick, ...]
    upward: tuple[Tick, ...]
    names: tuple[Tick, ...]  # of rows, written above what stands in them
    line: float | None
    series: tuple[DrawnSeries, ...]


def draw(chart: Chart) -> DrawnChart:
    """Lay a chart out."""
    named = chart.y.names
    left = float(_RIGHT) if named else float(_LEFT)
    height = _TOP + _BOTTOM + (_ROW_HEIGHT * len(named) if named else _HEIGHT)
    top, bottom = (float(_TOP) / 2 if named else float(_TOP)), float(height - _BOTTOM)
    across = _scale(chart.x, [point.x for line in chart.series for point in line.points], left, WIDTH - _RIGHT)
    ends = [
        end
        for line in chart.series
        for point in line.points
        for end in (point.y, point.low, point.high)
        if end is not None and (end > 0 or not chart.y.logarithmic)
    ]
    upward = Scale(-0.75, len(named) - 0.5, top, bottom) if named else _scale(chart.y, ends, bottom, top)
    return DrawnChart(
        chart,
        height,
        left,
        WIDTH - _RIGHT,
        top,
        bottom,
        _ticks(chart.x, across),
        () if named else _ticks(chart.y, upward),
        tuple(Tick(upward.place(place - 0.4), cut(name)) for place, name in enumerate(named)),
        None if chart.y.line is None or named else upward.place(chart.y.line),
        tuple(_series(series, number, across, upward, chart.joined) for number, series in enumerate(chart.series)),
    )


def _scale(axis: Axis, values: list[float], first: float, last: float) -> Scale:
    if axis.names:
        return Scale(-0.5, len(axis.names) - 0.5, first, last)
    with_line = values if axis.line is None else [*values, axis.line]
    return around(with_line, first, last, logarithmic=axis.logarithmic)


def _ticks(axis: Axis, scale: Scale) -> tuple[Tick, ...]:
    if axis.names:
        longest = int((WIDTH - _LEFT) / len(axis.names) / _LETTER)
        return tuple(Tick(scale.place(place), cut(name, longest)) for place, name in enumerate(axis.names))
    return tuple(Tick(scale.place(value), text) for value, text in axis.at or ticks(scale))


def _series(series: Series, number: int, across: Scale, upward: Scale, joined: bool) -> DrawnSeries:
    marks = tuple(
        Point(
            across.place(point.x),
            upward.place(point.y),
            None if point.low is None else upward.place(point.low),
            None if point.high is None else upward.place(point.high),
        )
        for point in series.points
        if math.isfinite(point.x) and math.isfinite(point.y)
    )
    path = "M" + "L".join(f"{mark.x:.1f} {mark.y:.1f}" for mark in marks) if joined and len(marks) > 1 else ""
    return DrawnSeries(series.name, number, SHAPES[number % len(SHAPES)], marks, path)


def cut(name: str, longest: int = _LONGEST_NAME) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"
