"""The document model of all reports: builders fill it, formats render it.

Texts are plain: control characters are escaped, and there is no markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum, StrEnum
from typing import Any

from sectax.model.finding import Severity
from sectax.model.why_not import WhyNot


class Tone(StrEnum):
    """The kind of answer in a row, which formats may colour."""

    WORSE = "worse"
    BETTER = "better"
    EVEN = "even"
    OPEN = "open"
    VOID = "void"
    NONE = "none"


class ColumnRole(StrEnum):
    """The content of a column, from which a narrow page decides what to leave out."""

    PLAIN = "plain"  # not a table of results
    LABEL = "label"
    VALUE = "value"
    EFFECT = "effect"
    DIFFERENCE = "difference"
    VERDICT = "verdict"


@dataclass(frozen=True)
class Column:
    """The head of a column; an `optional` one is left out if all its cells are empty."""

    head: str
    part: ColumnRole = ColumnRole.PLAIN
    right: bool = False
    optional: bool = False


@dataclass(frozen=True)
class EffectInterval:
    """An effect to draw, as cost ratios (1.04 is 4 % slower) and in words.

    Attributes:
        below, above: whether it goes on beyond a broken axis, once it has its place there.
    """

    low: float
    point: float
    high: float
    words: str
    below: bool = False
    above: bool = False


@dataclass(frozen=True)
class Row:
    """One text per column, and the effect if it can be drawn."""

    cells: tuple[str, ...]
    tone: Tone = Tone.NONE
    interval: EffectInterval | None = None


@dataclass(frozen=True)
class Table:
    """A table of text; its title may be empty.

    If rows have intervals, `margin` is the equivalence margin as a share, and a format may draw them on one axis.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    margin: float | None = None

    @property
    def shown(self) -> tuple[int, ...]:
        """The indices of the columns that are shown."""
        return tuple(
            place
            for place, column in enumerate(self.columns)
            if not column.optional or any(row.cells[place] for row in self.rows)
        )


@dataclass(frozen=True)
class Axis:
    """An axis of a chart; its title has the unit."""

    title: str
    logarithmic: bool = False


@dataclass(frozen=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True)
class ChartSeries:
    """A named series of points in the order of x."""

    name: str
    points: tuple[Point, ...]


class Drawing:
    """A block that only HTML pages show."""


@dataclass(frozen=True)
class Chart(Drawing):
    """Measured points with a line through each series; `caption` explains it."""

    title: str
    caption: str
    x: Axis
    y: Axis
    series: tuple[ChartSeries, ...]


@dataclass(frozen=True)
class ForestRow:
    """One comparison of a forest plot; without an interval only its words are shown."""

    label: str
    words: str
    tone: Tone
    interval: EffectInterval | None = None


@dataclass(frozen=True)
class ForestGroup:
    """The comparisons with one baseline; `note` has the baseline's own figure."""

    title: str
    note: str
    rows: tuple[ForestRow, ...]


@dataclass(frozen=True)
class Forest(Drawing):
    """A forest plot of all main comparisons on one cost axis.

    Attributes:
        title: the answer, in a sentence or two.
        margin: the equivalence margin as a share.
        left_out: number of comparisons without room.
        foot: place and date of the measurement, and the result of the self-check.
        is_titled: whether the title is drawn, and not written above the plot.
    """

    title: str
    question: str
    groups: tuple[ForestGroup, ...]
    margin: float
    left_out: int
    foot: tuple[str, ...]
    is_titled: bool = True


@dataclass(frozen=True)
class Attachment(Drawing):
    """A file inside the report."""

    name: str
    media_type: str
    content: bytes
    description: str


@dataclass(frozen=True)
class Text:
    """A paragraph; a `strong` one must not be missed."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Lines:
    """Short texts, one per line; `long` ones fill several lines."""

    texts: tuple[str, ...]
    long: bool = False


@dataclass(frozen=True)
class Command:
    """A command to copy, with an optional caption."""

    text: str
    caption: str = ""


@dataclass(frozen=True)
class Footnotes:
    """Explanations below tables."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class WarningBlock:
    """One warning; `consequence` is its effect on the verdict."""

    check: str
    severity: Severity
    consequence: str
    observations: tuple[str, ...]
    meaning: str
    hint: str


@dataclass(frozen=True)
class MissingItems:
    """What is missing for one reason, with the hint that may change it."""

    what: tuple[str, ...]
    why: WhyNot


Block = Table | Drawing | Text | Lines | Command | Footnotes | WarningBlock | MissingItems


class SectionKind(StrEnum):
    """The role of a section, in the order of a page; it decides place and heading."""

    ANSWER = "answer"  # first on a page, last on a terminal
    RESULTS = "results"  # tables; without a heading on a terminal
    BODY = "body"
    ASIDE = "aside"  # additional results; folded on a page
    PICTURES = "pictures"
    DIAGNOSTICS = "diagnostics"  # self-check, warnings, failures
    DETAIL = "detail"  # folded on a page
    END = "end"  # how to continue


@dataclass(frozen=True)
class Section:
    title: str
    blocks: tuple[Block, ...]
    kind: SectionKind = SectionKind.BODY


@dataclass(frozen=True)
class Document:
    """A whole report; an `is_brief` one is set to fit on a screen."""

    title: str
    lead: tuple[Block, ...]
    sections: tuple[Section, ...]
    foot: str = ""
    is_brief: bool = False

    @property
    def answers(self) -> tuple[Section, ...]:
        return tuple(section for section in self.sections if section.kind is SectionKind.ANSWER)

    @property
    def others(self) -> tuple[Section, ...]:
        return tuple(section for section in self.sections if section.kind is not SectionKind.ANSWER)


def sections(*candidates: Section) -> tuple[Section, ...]:
    """The sections that are not empty."""
    return tuple(section for section in candidates if section.blocks)


def lines(texts: Iterable[str], *, long: bool = False) -> tuple[Block, ...]:
    """One block of lines; none if there are no texts."""
    texts = tuple(texts)
    return (Lines(texts, long),) if texts else ()


def result_table(
    title: str, heads: tuple[str, str, str, str], rows: Iterable[Row], margin: float | None = None
) -> Table:
    """A table with the columns label, value, effect, difference and verdict.

    Args:
        heads: of the first four columns; an empty head of the effect means that nothing is compared.
    """
    label, value, effect, difference = heads
    columns = (
        Column(label, ColumnRole.LABEL),
        Column(value, ColumnRole.VALUE, right=True),
        Column(effect, ColumnRole.EFFECT),
        Column(difference, ColumnRole.DIFFERENCE, right=True, optional=True),
        Column("verdict" if effect else "", ColumnRole.VERDICT),
    )
    return Table(title, columns, tuple(rows), margin)


def grid(title: str, heads: Iterable[str], rows: Iterable[Iterable[str]], *, words: int = 1) -> Table:
    """A table whose first `words` columns are text, the others figures."""
    columns = tuple(Column(head, right=place >= words) for place, head in enumerate(heads))
    return Table(title, columns, tuple(Row(tuple(cells)) for cells in rows))


def tables(section: Section) -> Iterator[Table]:
    return (block for block in section.blocks if isinstance(block, Table))


def map_texts(document: Document, change: Callable[[str], str]) -> Document:
    """The same document with every text replaced by `change(text)`."""
    changed: Document = _changed(document, change)
    return changed


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return value if isinstance(value, Enum) else change(value)
    if isinstance(value, tuple):
        return tuple(_changed(item, change) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        members = {field.name: getattr(value, field.name) for field in fields(value)}
        return replace(value, **{name: _changed(member, change) for name, member in members.items()})
    return value
