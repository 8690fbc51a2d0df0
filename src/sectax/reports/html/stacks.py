"""Stacks laid out: where the parts of every whole begin and end."""

from __future__ import annotations

from dataclasses import dataclass

from sectax.reports.document import Stacks
from sectax.reports.html.chart import WIDTH, Tick, cut
from sectax.reports.scale import Scale, ticks

_EDGE, _BOTTOM = 14.0, 34.0
_ROW, _THICK = 40.0, 16


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


def draw(stacks: Stacks) -> DrawnStacks:
    """Lay stacks out. What is not known well enough is not drawn, and nothing is drawn in its place."""
    names = tuple(dict.fromkeys(share.name for each in stacks.stacks for share in each.shares))
    wholes = [sum(share.value or 0.0 for share in each.shares) for each in stacks.stacks]
    scale = Scale(0.0, max(wholes, default=0.0) * 1.02 or 1.0, _EDGE, WIDTH - _EDGE)
    rows = []
    for number, each in enumerate(stacks.stacks):
        parts, done = [], 0.0
        for share in each.shares:
            if share.value is not None:
                first, done = done, done + share.value
                parts.append(Part(names.index(share.name), scale.place(first), scale.place(done), share.words))
        rows.append(DrawnStack(cut(each.name), 18.0 + _ROW * number, tuple(parts)))
    bottom = 4.0 + _ROW * len(rows)
    marks = tuple(Tick(scale.place(value), text) for value, text in ticks(scale))
    return DrawnStacks(bottom + _BOTTOM, _EDGE, WIDTH - _EDGE, bottom, _THICK, marks, tuple(rows), names)
