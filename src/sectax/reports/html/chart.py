"""The layout of charts: axes, ticks and points."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sectax.reports.document import Chart, ChartSeries, Point
from sectax.reports.scale import AxisScale, fit_scale, ticks

WIDTH = 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 14, 22, 34
_HEIGHT = 210

# One shape per series, since colour alone is not enough. All steps but the first are relative, so that a shape moves
# by its first step.
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
    path: str  # from mark to mark; empty for one mark


@dataclass(frozen=True)
class DrawnChart:
    """A chart in drawing units; left, right, top and bottom are the edges of the plot."""

    chart: Chart
    height: float
    left: float
    right: float
    top: float
    bottom: float
    across: tuple[Tick, ...]
    upward: tuple[Tick, ...]
    series: tuple[DrawnSeries, ...]


def draw(chart: Chart) -> DrawnChart:
    left, right, top, bottom = float(_LEFT), float(WIDTH - _RIGHT), float(_TOP), float(_TOP + _HEIGHT)
    points = [point for line in chart.series for point in line.points]
    across = fit_scale([point.x for point in points], left, right, logarithmic=chart.x.logarithmic)
    upward = fit_scale([point.y for point in points], bottom, top, logarithmic=chart.y.logarithmic)
    return DrawnChart(
        chart,
        bottom + _BOTTOM,
        left,
        right,
        top,
        bottom,
        _ticks(across),
        _ticks(upward),
        tuple(_series(series, number, across, upward) for number, series in enumerate(chart.series)),
    )


def _ticks(scale: AxisScale) -> tuple[Tick, ...]:
    return tuple(Tick(scale.place(value), text) for value, text in ticks(scale))


def _series(series: ChartSeries, number: int, across: AxisScale, upward: AxisScale) -> DrawnSeries:
    marks = tuple(
        Point(across.place(point.x), upward.place(point.y))
        for point in series.points
        if math.isfinite(point.x) and math.isfinite(point.y)
    )
    path = "M" + "L".join(f"{mark.x:.1f} {mark.y:.1f}" for mark in marks) if len(marks) > 1 else ""
    return DrawnSeries(series.name, number, SHAPES[number % len(SHAPES)], marks, path)
