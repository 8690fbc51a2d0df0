"""The layout of forest plots, for wide pages and for phones."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace

from sectax.reports.document import EffectInterval, Forest, ForestRow, Tone
from sectax.reports.scale import AxisScale, interval_scale, ratio_ticks

_EDGE = 14.0  # padding inside the plot
_BEYOND = 24.0  # from the plot to the words right of it
_LETTER = 0.58  # width of a letter relative to its height
_LABEL = 64.0  # left edge of the labels
_WORDS = 17.0  # height of the words above an interval, where they are not beside it
_NARROWEST = 240.0  # minimum width of the plot; longer labels are compressed
# Row heights are scaled within these factors to fill the given height; more rows make the picture higher.
_NEAREST, _FARTHEST = 0.7, 2.6


@dataclass(frozen=True)
class Sizes:
    """The sizes of one form of the plot, in drawing units.

    Attributes:
        height: the height of the picture; None for as high as needed.
        title, text: font sizes; `title_letters` and `text_letters` fit into a line.
        plot: the horizontal range of the intervals.
        row, group: the heights of a row and of a group's heading.
    """

    width: float
    height: float | None
    title: float
    title_letters: int
    text: float
    text_letters: int
    plot: tuple[float, float]
    row: float
    group: float

    @property
    def one_line(self) -> bool:
        """Whether label, interval and words are on one line."""
        return self.plot[0] > self.width / 10


TONES = {
    Tone.WORSE: "costs more",
    Tone.BETTER: "costs less",
    Tone.EVEN: "within the margin",
    Tone.OPEN: "undecided",
    Tone.VOID: "no verdict",
    Tone.NONE: "not judged",
}

WIDE = Sizes(1200, 630, 24, 70, 16, 125, (250, 770), 26, 32)
NARROW = Sizes(390, None, 17, 36, 12, 52, (8, 382), 46, 40)


@dataclass(frozen=True)
class Line:
    """A line of text."""

    x: float
    y: float
    text: str
    role: str
    anchor: str = "start"
    room: float | None = None  # compressed to this width if longer


@dataclass(frozen=True)
class Mark:
    """A drawn interval, in drawing units."""

    y: float
    tone: Tone
    interval: EffectInterval


@dataclass(frozen=True)
class DrawnForest:
    """A forest plot in drawing units."""

    width: float
    height: float
    sizes: Sizes
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...]
    grid: tuple[float, ...]
    band: tuple[float, float]
    zero: float
    plots: tuple[tuple[float, float], ...]  # top and bottom of what is drawn between two headings
    tones: tuple[tuple[Tone, float, float], ...]  # legend: tone, x, y


def draw(forest: Forest, sizes: Sizes) -> DrawnForest:
    """Lay a forest plot out."""
    if sizes.one_line:
        # The plot is narrowed for long words and labels, down to its minimum.
        rows = [row for group in forest.groups for row in group.rows]
        words = max((len(row.words) for row in rows), default=0)
        label = max((len(row.label) for row in rows), default=0)
        last = min(sizes.plot[1], sizes.width - sizes.text * _LETTER * words - _BEYOND - _EDGE)
        first = min(_LABEL + sizes.text * _LETTER * label, last - _NARROWEST)
        sizes = replace(sizes, plot=(max(sizes.plot[0], first), last))
    drawn = _draw(forest, sizes)
    if sizes.height is None:
        return drawn
    # Row heights are scaled to fill the given height.
    height = sizes.row * sum(len(group.rows) for group in forest.groups) + sizes.group * len(forest.groups)
    factor = min(_FARTHEST, max(_NEAREST, (height - (drawn.height - sizes.height)) / height))
    drawn = _draw(forest, replace(sizes, row=sizes.row * factor, group=sizes.group * factor))
    return replace(drawn, height=max(drawn.height, sizes.height))


def _draw(forest: Forest, sizes: Sizes) -> DrawnForest:
    left = 48.0 if sizes.one_line else 12.0
    lines: list[Line] = []
    marks: list[Mark] = []
    y = left / 2
    for text in _wrapped(forest.title, sizes.title_letters) if forest.is_titled else ():
        y += sizes.title * 1.25
        lines.append(Line(left, y, text, "title"))
    for text in _wrapped(forest.question, sizes.text_letters):
        y += sizes.text * 1.5
        lines.append(Line(left, y, text, "soft"))
    y += sizes.text * 0.5
    scale = _scale(forest, sizes)
    plots: list[tuple[float, float]] = []
    broken: list[str] = []
    for group in forest.groups:
        y += sizes.group
        if sizes.one_line:
            lines.append(Line(left, y - 8, " · ".join(filter(None, (group.title, group.note))), "group"))
        else:
            lines += [Line(left, y - 20, group.title, "group"), Line(left, y - 4, group.note, "soft")]
        for row in group.rows:
            lines += _row(row, y, sizes, left)
            if row.interval is not None:
                middle = y + (sizes.row / 2 if sizes.one_line else 26)
                marks.append(Mark(middle, row.tone, placed := scale.placed(row.interval)))
                broken += [f"{group.title} {row.label}".strip()] if placed.below or placed.above else []
            if not sizes.one_line:
                plots.append((y + _WORDS, y + sizes.row))
            y += sizes.row
        if sizes.one_line:
            plots.append((y - sizes.row * len(group.rows), y))
    bottom = y + 4
    ticks = [(scale.place(value), text) for value, text in ratio_ticks(scale, sizes.text * _LETTER)]
    lines += [Line(place, bottom + sizes.text * 1.1, text, "soft", "middle") for place, text in ticks]
    y = bottom + sizes.text * 1.1
    if forest.left_out:
        y += sizes.text * 1.4
        lines.append(Line(left, y, f"and {forest.left_out} more, in the report", "soft"))
    for text in _wrapped(f"// the axis is broken: {', '.join(broken)} goes on", sizes.text_letters) if broken else ():
        y += sizes.text * 1.4
        lines.append(Line(left, y, text, "soft"))
    legend, y = _legend(forest, sizes, left, y + sizes.text * 1.8)
    lines += [line for _, line in legend]
    for text in (text for line in forest.foot for text in _wrapped(line, sizes.text_letters)):
        y += sizes.text * 1.4
        lines.append(Line(left, y, text, "soft"))
    return DrawnForest(
        sizes.width,
        y + sizes.text,
        sizes,
        tuple(lines),
        tuple(marks),
        tuple(place for place, _ in ticks),
        (scale.place(1 / (1 + forest.margin)), scale.place(1 + forest.margin)),
        scale.place(1.0),
        tuple(plots),
        tuple((tone, line.x - 14, line.y - sizes.text * 0.35) for tone, line in legend),
    )


def _wrapped(text: str, letters: int) -> list[str]:
    return textwrap.wrap(text, letters, break_on_hyphens=False)


def _row(row: ForestRow, y: float, sizes: Sizes, left: float) -> list[Line]:
    if sizes.one_line:
        beyond = sizes.plot[1] + _BEYOND
        base = y + sizes.row / 2 + sizes.text * 0.35
        free = sizes.plot[0] - _LABEL
        room = free if len(row.label) * sizes.text * _LETTER > free + 1 else None
        return [Line(_LABEL, base, row.label, "label", room=room), Line(beyond, base, row.words, row.tone.value)]
    text, room = f"{row.label}: {row.words}", sizes.width - 2 * left
    too_long = len(text) * sizes.text * _LETTER > room
    return [Line(left, y + 13, text, row.tone.value, room=room if too_long else None)]


def _scale(forest: Forest, sizes: Sizes) -> AxisScale:
    drawn = [row.interval for group in forest.groups for row in group.rows if row.interval is not None]
    first, last = sizes.plot
    return interval_scale(drawn, forest.margin, first + _EDGE, last - _EDGE)


def _legend(forest: Forest, sizes: Sizes, left: float, y: float) -> tuple[list[tuple[Tone, Line]], float]:
    """The tones that occur, with their words, and the y below them."""
    there = {row.tone for group in forest.groups for row in group.rows if row.interval is not None}
    placed: list[tuple[Tone, Line]] = []
    x = left + 14
    for tone in (tone for tone in Tone if tone in there):
        width = sizes.text * 0.55 * len(TONES[tone]) + 44
        if placed and x + width > sizes.width - left:
            x, y = left + 14, y + sizes.text * 1.5
        placed.append((tone, Line(x, y, TONES[tone], "soft")))
        x += width
    return placed, y
