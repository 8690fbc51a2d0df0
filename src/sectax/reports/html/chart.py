"""Charts and stacks laid out: where their axes, ticks, points and parts stand."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sectax.reports.document import Axis, Chart, Point, Series, Stacks
from sectax.reports.scale import Scale, around, ticks

WIDTH = 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 14, 22, 34
_HEIGHT = 210
_ROW_HEIGHT = 30
# Of stacks.
_EDGE = 14.0
_ROW, _THICK = 40.0, 16
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
    fit: str  # the path of the line that was fitted; empty where there is none
    band: str  # the path around it


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
        for point in (*line.points, *line.fit)
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


def _series(given: Series, number: int, across: Scale, upward: Scale, joined: bool) -> DrawnSeries:
    marks = tuple(
        Point(
            across.place(point.x),
            upward.place(point.y),
            None if point.low is None else upward.place(point.low),
            None if point.high is None else upward.place(point.high),
        )
        for point in given.points
        if math.isfinite(point.x) and math.isfinite(point.y)
    )
    path = "M" + "L".join(f"{mark.x:.1f} {mark.y:.1f}" for mark in marks) if joined and len(marks) > 1 else ""
    fit, band = _fitted(given.fit, across, upward)
    return DrawnSeries(given.name, number, SHAPES[number % len(SHAPES)], marks, path, fit, band)


def _fitted(points: tuple[Point, ...], across: Scale, upward: Scale) -> tuple[str, str]:
    """The paths of a fitted line and of its band. A band that reaches beyond the plot ends at its edge."""
    if not points:
        return "", ""
    places = [(across.place(point.x), point) for point in points]
    line = [f"{x:.1f} {upward.place(point.y):.1f}" for x, point in places]
    above = [f"{x:.1f} {upward.place(point.high):.1f}" for x, point in places if point.high is not None]
    below = [f"{x:.1f} {upward.place(point.low):.1f}" for x, point in places if point.low is not None]
    return f"M{'L'.join(line)}", f"M{'L'.join([*above, *below[::-1]])}z" if above else ""


def cut(name: str, longest: int = _LONGEST_NAME) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


@dataclass(frozen=True)
class Part:
    """One part from place to place; `number` is that of its name, from 0."""

    number: int
    first: float
    last: float
    words: str


@dataclass(frozen=True)
class DrawnStack:
    name: str
    top: float
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class DrawnStacks:
    """Stacks in units of their drawing; `names` are those of all parts, in the order of their numbers."""

    height: float
    left: float
    right: float
    bottom: float
    thick: int
    ticks: tuple[Tick, ...]
    rows: tuple[DrawnStack, ...]
    names: tuple[str, ...]


def draw_stacks(stacks: Stacks) -> DrawnStacks:
    """Lay stacks out. What is not known well enough is not drawn, and nothing is drawn in its place."""
    names = tuple(dict.fromkeys(share.name for stack in stacks.stacks for share in stack.shares))
    wholes = [sum(share.value or 0.0 for share in stack.shares) for stack in stacks.stacks]
    scale = Scale(0.0, max(wholes, default=0.0) * 1.02 or 1.0, _EDGE, WIDTH - _EDGE)
    rows = []
    for number, stack in enumerate(stacks.stacks):
        parts, done = [], 0.0
        for share in stack.shares:
            if share.value is not None:
                first, done = done, done + share.value
                parts.append(Part(names.index(share.name), scale.place(first), scale.place(done), share.words))
        rows.append(DrawnStack(cut(stack.name), 18.0 + _ROW * number, tuple(parts)))
    bottom = 4.0 + _ROW * len(rows)
    marks = tuple(Tick(scale.place(value), text) for value, text in ticks(scale))
    return DrawnStacks(bottom + _BOTTOM, _EDGE, WIDTH - _EDGE, bottom, _THICK, marks, tuple(rows), names)
