"""One document for every report: what it says, in which order. A builder makes it, and each format only sets it.

All text in a document is plain: control characters are escaped, nothing is marked up yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum, StrEnum
from typing import Any

from sectax.model.finding import Severity
from sectax.model.why_not import WhyNot


class Tone(StrEnum):
    """What kind of answer a row holds; a format may colour it, but never says anything by colour alone."""

    WORSE = "worse"
    BETTER = "better"
    EVEN = "even"
    OPEN = "open"
    VOID = "void"
    NONE = "none"


class ColumnRole(StrEnum):
    """What a column of a table of results holds, so that a narrow page knows what it may leave out."""

    PLAIN = "plain"  # no table of results
    LABEL = "label"
    VALUE = "value"
    EFFECT = "effect"
    DIFFERENCE = "difference"
    VERDICT = "verdict"


@dataclass(frozen=True)
class Column:
    """The head of a column.

    Attributes:
        right: whether the cells are set to the right.
        optional: whether the column is left out where no row fills it.
    """

    head: str
    part: ColumnRole = ColumnRole.PLAIN
    right: bool = False
    optional: bool = False


@dataclass(frozen=True)
class Interval:
    """One effect to be drawn: costs as ratios, 1.04 is 4 % slower; `words` say the same."""

    low: float
    point: float
    high: float
    words: str


@dataclass(frozen=True)
class Row:
    """One cell per column, and the effect that they speak of where it can be drawn."""

    cells: tuple[str, ...]
    tone: Tone = Tone.NONE
    interval: Interval | None = None


@dataclass(frozen=True)
class Table:
    """A table of text; its title may be empty.

    `margin` is the share on both sides of no cost that does not matter, where rows have intervals: a format that draws
    puts them all on one axis. The cells say the same in words.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    margin: float | None = None

    @property
    def shown(self) -> tuple[int, ...]:
        """The places of the columns that are shown: an optional one only where a row fills it."""
        return tuple(
            place
            for place, column in enumerate(self.columns)
            if not column.optional or any(row.cells[place] for row in self.rows)
        )


@dataclass(frozen=True)
class Axis:
    """One side of a chart: what it is, with its unit; where it is logarithmic, all values are positive."""

    title: str
    logarithmic: bool = False


@dataclass(frozen=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True)
class Series:
    """Points that belong together, in the order of x."""

    name: str
    points: tuple[Point, ...]


class Drawing:
    """What pages alone have; other formats leave it out."""


@dataclass(frozen=True)
class Chart(Drawing):
    """Measured points, with a thin line from each to the next of its series; `says` is how to read it."""

    title: str
    says: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]


@dataclass(frozen=True)
class ForestRow:
    """One comparison of a forest plot: without an interval its words alone are shown."""

    label: str
    words: str
    tone: Tone
    interval: Interval | None = None


@dataclass(frozen=True)
class ForestGroup:
    """The comparisons with one baseline; `note` says what that takes by itself."""

    title: str
    note: str
    rows: tuple[ForestRow, ...]


@dataclass(frozen=True)
class Forest(Drawing):
    """All comparisons that answer the question, on one axis of costs: the picture to decide by.

    Attributes:
        title: the answer, in a sentence or two; `question` is what was asked.
        margin: the share on both sides of no cost that does not matter.
        left_out: how many comparisons there was no room for.
        foot: where and when it was measured, and whether the run's check of itself passed.
    """

    title: str
    question: str
    groups: tuple[ForestGroup, ...]
    margin: float
    left_out: int
    foot: tuple[str, ...]


@dataclass(frozen=True)
class Attachment(Drawing):
    """A file inside the report."""

    name: str
    media_type: str
    content: bytes
    says: str


@dataclass(frozen=True)
class Text:
    """A paragraph; the one that is `strong` is what a reader must not miss."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Lines:
    """Short texts, each on a line of its own; `long` ones are sentences that fill several lines."""

    texts: tuple[str, ...]
    long: bool = False


@dataclass(frozen=True)
class Command:
    """Something to copy; `caption` says what for, where that is not clear from what stands before it."""

    text: str
    caption: str = ""


@dataclass(frozen=True)
class Footnotes:
    """What the tables before it need to be read rightly."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Warned:
    """One check's answer: what it saw, what that means, what to do; `consequence` is what it does to the verdict."""

    check: str
    severity: Severity
    consequence: str
    seen: tuple[str, ...]
    meaning: str
    hint: str


@dataclass(frozen=True)
class NotThere:
    """What is missing for one reason, and the command that may change it."""

    what: tuple[str, ...]
    why: WhyNot


Block = Table | Drawing | Text | Lines | Command | Footnotes | Warned | NotThere


class SectionKind(StrEnum):
    """What a section is to its reader; it decides about its place and its heading, not about what it says.

    In the order of a page: the answer, what it rests on, then what may be wrong with it.
    """

    ANSWER = "answer"  # first on a page, which is read from the top, and last on a terminal, where the eye is
    RESULTS = "results"  # the tables: on a terminal they need no heading
    BODY = "body"
    ASIDE = "aside"  # results beside the answer: a page folds them
    PICTURES = "pictures"
    DIAGNOSTICS = "diagnostics"  # what a reader must know before the results are believed
    DETAIL = "detail"  # what few readers look for: a page may fold it
    END = "end"  # how to go on from here


@dataclass(frozen=True)
class Section:
    title: str
    blocks: tuple[Block, ...]
    kind: SectionKind = SectionKind.BODY


@dataclass(frozen=True)
class Document:
    """A whole report; `lead` follows the title, `foot` names the file that it was made from.

    One that `is_brief` is set close, so that it fits on a screen.
    """

    title: str
    lead: tuple[Block, ...]
    sections: tuple[Section, ...]
    foot: str = ""
    is_brief: bool = False

    @property
    def answers(self) -> tuple[Section, ...]:
        """What a page that is read from the top begins with."""
        return tuple(section for section in self.sections if section.kind is SectionKind.ANSWER)

    @property
    def others(self) -> tuple[Section, ...]:
        """All but the answers."""
        return tuple(section for section in self.sections if section.kind is not SectionKind.ANSWER)


def sections(*every: Section) -> tuple[Section, ...]:
    """Those of them that have something to say."""
    return tuple(section for section in every if section.blocks)


def lines(texts: Iterable[str], *, long: bool = False) -> tuple[Block, ...]:
    """One block of lines; none where there is no line."""
    texts = tuple(texts)
    return (Lines(texts, long),) if texts else ()


def result_table(
    title: str, heads: tuple[str, str, str, str], rows: Iterable[Row], margin: float | None = None
) -> Table:
    """A table of treatments with five columns: label, value, effect, difference, verdict.

    Args:
        heads: of the first four columns; without a head for the effect nothing is compared.
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
    """A table of text whose first columns, so many, hold words; those behind them hold figures, set to the right."""
    columns = tuple(Column(head, right=place >= words) for place, head in enumerate(heads))
    return Table(title, columns, tuple(Row(tuple(cells)) for cells in rows))


def tables(section: Section) -> Iterator[Table]:
    return (block for block in section.blocks if isinstance(block, Table))


def with_texts(document: Document, say: Callable[[str], str]) -> Document:
    """The same document with all of its texts said otherwise."""
    translated: Document = _translated(document, say)
    return translated


def _translated(value: Any, say: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return value if isinstance(value, Enum) else say(value)
    if isinstance(value, tuple):
        return tuple(_translated(item, say) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _translated(getattr(value, field.name), say) for field in fields(value)})
    return value
