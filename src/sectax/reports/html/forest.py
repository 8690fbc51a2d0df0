"""A forest plot laid out for two widths: one for sharing and wide pages, one for a phone."""

from __future__ import annotations

import itertools
import textwrap
from dataclasses import dataclass, replace

from sectax.reports.document import Forest, ForestRow, Interval, Tone
from sectax.reports.scale import AxisScale, around, ratio_ticks

_EDGE = 14.0  # between the plot's ends and its first and last places
_BEYOND = 24.0  # from the plot's end to the words beside it
_LETTER = 0.58  # how wide a letter is for its height
_LABEL = 64.0  # where labels begin beside a plot
_NARROWEST = 240.0  # a plot that gives way to its labels; a label that is longer still is pressed together
# Rows move together and apart by so much, to fill a picture of one height; where they do not fit, it is higher.
_NEAREST, _FARTHEST = 0.7, 2.6


@dataclass(frozen=True)
class Sizes:
    """Of one form of the plot, in units of the drawing.

    Attributes:
        width, height: without a height it is as high as it needs; with one the rows move together.
        title, text: sizes of the letters, and how many of the title's and the text's fit into a line.
        plot: from where to where intervals are drawn; words stand right of it, or below where there is no room.
        row, group: heights of a row and of a group's heading.
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
    def beside(self) -> bool:
        """Whether a row's label and words stand beside its interval."""
        return self.plot[0] > self.width / 10


TONES = {
    Tone.WORSE: "costs more",
    Tone.BETTER: "costs less",
    Tone.EVEN: "no difference that matters",
    Tone.OPEN: "undecided",
    Tone.VOID: "no verdict",
    Tone.NONE: "not judged",
}

WIDE = Sizes(1200, 630, 24, 70, 16, 125, (250, 770), 26, 32)
NARROW = Sizes(390, None, 17, 36, 12, 52, (8, 382), 46, 40)


@dataclass(frozen=True)
class Line:
    """Text at a place."""

    x: float
    y: float
    text: str
    role: str
    anchor: str = "start"
    room: float | None = None  # into which it is pressed, where it would be longer


@dataclass(frozen=True)
class Mark:
    """An interval at the height of its row."""

    y: float
    tone: Tone
    interval: Interval  # in units of the drawing


@dataclass(frozen=True)
class DrawnForest:
    """Everything that is drawn."""

    width: float
    height: float
    sizes: Sizes
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...]
    grid: tuple[float, ...]
    band: tuple[float, float]
    zero: float
    plot: tuple[float, float]  # from which height to which
    tones: tuple[tuple[Tone, float, float], ...]  # of the legend, with their places


def draw(forest: Forest, sizes: Sizes) -> DrawnForest:
    """Lay a forest plot out."""
    if sizes.beside:
        # The plot gives way to the longest words right of it and the longest label left of it, as far as it can.
        every = [row for group in forest.groups for row in group.rows]
        words = max((len(row.words) for row in every), default=0)
        label = max((len(row.label) for row in every), default=0)
        last = min(sizes.plot[1], sizes.width - sizes.text * _LETTER * words - _BEYOND - _EDGE)
        first = min(_LABEL + sizes.text * _LETTER * label, last - _NARROWEST)
        sizes = replace(sizes, plot=(max(sizes.plot[0], first), last))
    drawn = _draw(forest, sizes)
    if sizes.height is None:
        return drawn
    # Rows move together, or apart, until the picture is as high as one that is shared.
    rows = sizes.row * sum(len(group.rows) for group in forest.groups) + sizes.group * len(forest.groups)
    apart = min(_FARTHEST, max(_NEAREST, (rows - (drawn.height - sizes.height)) / rows))
    drawn = _draw(forest, replace(sizes, row=sizes.row * apart, group=sizes.group * apart))
    return replace(drawn, height=max(drawn.height, sizes.height))


def _draw(forest: Forest, sizes: Sizes) -> DrawnForest:
    left = 48.0 if sizes.beside else 12.0
    lines: list[Line] = []
    marks: list[Mark] = []
    y = left / 2
    for text in _wrapped(forest.title, sizes.title_letters):
        y += sizes.title * 1.25
        lines.append(Line(left, y, text, "title"))
    for text in _wrapped(forest.question, sizes.text_letters):
        y += sizes.text * 1.5
        lines.append(Line(left, y, text, "soft"))
    top = y = y + sizes.text * 0.5
    scale = _scale(forest, sizes)
    for group in forest.groups:
        y += sizes.group
        if sizes.beside:
            lines.append(Line(left, y - 8, " · ".join(filter(None, (group.title, group.note))), "group"))
        else:
            lines += [Line(left, y - 20, group.title, "group"), Line(left, y - 4, group.note, "soft")]
        for row in group.rows:
            lines += _row(row, y, sizes, left)
            if row.interval is not None:
                low, point, high = map(scale.place, (row.interval.low, row.interval.point, row.interval.high))
                middle = y + (sizes.row / 2 if sizes.beside else 26)
                marks.append(Mark(middle, row.tone, Interval(low, point, high, row.interval.words)))
            y += sizes.row
    bottom = y + 4
    ticks = [(scale.place(value), text) for value, text in ratio_ticks(scale, sizes.text * _LETTER)]
    lines += [Line(place, bottom + sizes.text * 1.1, text, "soft", "middle") for place, text in ticks]
    y = bottom + sizes.text * 1.1
    if forest.left_out:
        y += sizes.text * 1.4
        lines.append(Line(left, y, f"and {forest.left_out} more, in the report", "soft"))
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
        (top, bottom),
        tuple((tone, line.x - 14, line.y - sizes.text * 0.35) for tone, line in legend),
    )


def _wrapped(text: str, letters: int) -> list[str]:
    """Names such as verify-full stay whole."""
    return textwrap.wrap(text, letters, break_on_hyphens=False)


def _row(row: ForestRow, y: float, sizes: Sizes, left: float) -> list[Line]:
    if sizes.beside:
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
    ends = itertools.chain.from_iterable((interval.low, interval.high) for interval in drawn)
    margin = 1 + forest.margin
    first, last = sizes.plot
    return around((*ends, 1 / margin, margin), first + _EDGE, last - _EDGE, logarithmic=True)


def _legend(forest: Forest, sizes: Sizes, left: float, y: float) -> tuple[list[tuple[Tone, Line]], float]:
    """The kinds of answers that are there, with their words; and the height below which they end."""
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
