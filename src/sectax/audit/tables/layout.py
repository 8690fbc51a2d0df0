"""Find the tables in a text: their names, separators and rows."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, filterfalse, islice, takewhile
from operator import itemgetter, methodcaller

from sectax.audit.reading.plain import unpasted
from sectax.audit.reading.units import Unit, base_unit
from sectax.audit.tables.cells import parse_cell, unmarked
from sectax.audit.tables.columns import column_unit, statistic_name
from sectax.audit.tables.turned import is_unit_row
from sectax.formats.bad_input import BadInput

MOST_COLUMNS = 2000
# The most lines of text above the line of names of a doubtful table, and lines that are searched together.
_MOST_ABOVE, _WINDOW, _OVERLAP = 50, 1000, 6
_MOST_WITHOUT, _MOST_TABLES = 10_000, 500
_RULE = re.compile(r"[:+|_ \t─-╿]*+[-=─━═][-:=+|_ \t─-╿]*+|[─-╿+|\s]*+")
_BAR = re.compile(r"(?<!\\)[|│┃║]")
_NUMBER = re.compile(r"\s*(?:[^\w\s]{0,3}\s?[+-]?\.?\d|nan$)", re.IGNORECASE)
_DIGIT = re.compile(r"\d|\bnan\b", re.IGNORECASE)
_TITLE = re.compile(
    r"\s*(?:#{1,6}\s+(\S.*?)[#\s]*|(\S.{0,78}):|\*\*(\S.{0,78})\*\*:?|=+\s(\S.{0,78}?)\s=+|(\w[^.!?|,;]{0,50}))\s*"
)
_ALL_IN = re.compile(
    r"\b(?:in|units?:?(?: is| are)?) ([A-Za-zµμ]{1,15}(?:\s?(?:/|per) ?[A-Za-z]{1,15})?)(?![\w-])", re.IGNORECASE
)
# The rule of a table of Markdown in an answer or a log.
_PREFIXED = re.compile(r"[^|]{1,100}(?<=[> ])\|[-: ]{3,}\|[-: |]*")
_SHORT_NOTE = 120


class Source:
    """The lines of a text, of which some can be put back."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.raw, self.pending = iter(lines), deque[str]()
        self.place = 1  # of the next line

    def take(self, count: int) -> list[str]:
        """Return the next lines, at most so many."""
        lines = [self.pending.popleft() for _ in range(min(count, len(self.pending)))]
        lines += islice(self.raw, count - len(lines))
        self.place += len(lines)
        return lines

    def put_back(self, lines: Collection[str]) -> None:
        self.pending.extendleft(reversed([*lines]))
        self.place -= len(lines)

    def below(self, count: int) -> list[str]:
        """Return the next non-empty lines without rules, and put all lines back."""
        lines = self.take(count + _OVERLAP)
        self.put_back(lines)
        return [line for line in lines if line.strip() and not _is_rule(line)][:count]


@dataclass
class Layout:
    """A table whose rows are still to be read."""

    names: list[str]  # of the columns
    separator: str  # between fields; a blank stands for any run of two or more blanks
    fits: bool  # whether the line below the names has as many fields, one of them a number
    place: int  # of the line of names, from 1
    source: Source  # the following lines, unchanged
    certain: bool = False  # whether more than one line shows that it is a table
    title: str = ""  # the heading above it
    unit: Unit | None = None  # which a line above it, or below, gives for all
    reader: Iterator[list[str]] | None = None

    def rows(self) -> Iterator[list[str]]:
        """Yield rows without rules, comments and repeated names; raises `csv.Error`."""
        if self.separator not in ("|", " "):
            lines = filterfalse(methodcaller("startswith", "#"), chain.from_iterable(self._paragraphs()))
            self.reader = csv.reader(lines, delimiter=self.separator, strict=True, skipinitialspace=True)
        else:
            self.reader = (row for row in map(self._fields, self._lines()) if row != self.names)
        return self.reader

    def leave(self) -> None:
        """Skip the rest of the table."""
        try:
            deque(self.reader or self.rows(), 0)
        except csv.Error:
            self.source.raw = iter(())
        self.source.place += getattr(self.reader, "line_num", 0)

    def unit_below(self) -> Unit | None:
        """Return the unit that a line below the table gives for all its numbers."""
        below = self.source.below(1)
        return _unit_for_all(below[0]) if below else None

    def _fields(self, line: str) -> list[str]:
        cells = fields(line, self.separator)
        missing = len(self.names) - len(cells)
        if self.separator == " " and missing and len(words := line.split()) == len(self.names):
            return words
        # Markdown allows rows to be short.
        return cells + [""] * missing if self.separator == "|" and len(cells) > 1 else cells

    def _paragraphs(self) -> Iterator[Iterable[str]]:
        """Yield the lines of CSV up to an empty one behind which something else begins."""
        pending = self.source.pending
        while True:
            while pending and pending[0]:
                yield (pending.popleft(),)
            if pending:
                pending.popleft()
            else:
                yield takewhile(bool, self.source.raw)
            self.source.place += 1
            if not (below := self.source.below(2)) or self._ends(*below):
                return

    def _lines(self) -> Iterator[str]:
        """Yield the lines of rows up to the first other line."""
        while lines := self.source.take(1):
            if _is_rule(lines[0]) or (lines[0].startswith("#") and self.separator == " "):
                continue
            if not lines[0].strip():
                if not (below := self.source.below(2)) or self._ends(*below) or self._begins():
                    return
            elif self._fits(lines[0]) or (any(map(self._fits, self.source.below(1))) and not self._begins()):
                yield lines[0]
            else:
                self.source.put_back(lines)
                return

    def _begins(self) -> bool:
        """Whether the next lines are the names of another table of Markdown, or its upper border."""
        self.source.put_back(every := self.source.take(_OVERLAP))
        lines = [line for line in every if line.strip()]
        return self.separator == "|" and any(_is_rule(line, "-─━═") for line in lines[:2])

    def _fits(self, line: str) -> bool:
        cells = self._fields(line)
        return len(cells) == len(self.names) or (self.separator == "|" and _BAR.search(line) is not None)

    def _ends(self, line: str, below: str = "") -> bool:
        """Whether this line, below an empty one, is no further row."""
        cells = fields(line, self.separator)
        if line.startswith("#") and below:
            return self._ends(below)
        if len(cells) != len(self.names) and not (self.separator == " " and self._fits(line)):
            return True
        if cells == self.names or any(map(_NUMBER.match, cells)) or len(cells) == 1:
            return False
        heading = any(name in self.names or column_unit(name) or statistic_name(name) for name in cells)
        return heading and any(map(_NUMBER.match, fields(below, self.separator)))


def find_tables(lines: Iterable[str], wanted: Collection[str] = ()) -> Iterator[Layout]:
    """Yield the tables of a text in order, each to be read before the next; raises `BadInput` for none."""
    source = Source(_unmargined(lines))
    unit: Unit | None = None
    for count in range(_MOST_TABLES):
        above, layout = _next_table(source, wanted, is_first=not count)
        if layout is None:
            return
        layout.place = source.place - 1
        layout.title = _title(above)
        unit = layout.unit = next(filter(None, map(_unit_for_all, reversed(above))), column_unit(layout.title) or unit)
        yield layout
        layout.leave()


def _next_table(source: Source, wanted: Collection[str], *, is_first: bool) -> tuple[list[str], Layout | None]:
    """Return the next table that is certain, and the lines above it; a doubtful one where the first has no other."""
    above: list[str] = []
    while window := source.take(_WINDOW):
        at, layout = _first_table(window, source, wanted)
        if layout is not None:
            source.put_back(window[at + 1 :])
            return above + window[:at], layout
        # A line of names may be at the end of these lines.
        last = window[-_OVERLAP:] if len(window) == _WINDOW else []
        source.put_back(last)
        above += window[: len(window) - len(last)]
        if is_first and len(above) > _MOST_WITHOUT:
            break
        above = above if is_first else above[-_MOST_ABOVE:]
    if not is_first:
        return above, None
    source.put_back(above)
    above = source.take(_MOST_ABOVE)
    at, layout = _doubtful(above, source, wanted)
    if layout is None:
        raise BadInput("the table has no line of column names", "put a line of column names above the first row")
    source.put_back(above[at + 1 :])
    return above[:at], layout


def _first_table(window: list[str], source: Source, wanted: Collection[str]) -> tuple[int, Layout | None]:
    """Return the first line of names that more than one line shows to be one."""
    for at, line in enumerate(window):
        if not line.strip() or _is_rule(line):
            continue
        below = [*islice(filterfalse(_is_rule, window[at + 1 : at + 1 + _OVERLAP]), 3)]
        rows = [*takewhile(str.strip, below)] or below[1:2]
        ruled = bool(_BAR.search(line)) and any(_is_rule(rule, "|+┼╪╇╋╫╬") for rule in window[at + 1 : at + 2])
        if not ruled and not any(map(_DIGIT.search, rows)):
            continue
        layouts = [
            (not {*wanted}.isdisjoint(layout.names), ruled and separator == "|", len(layout.names), layout)
            for separator in ",;\t| "
            if separator in line or (separator in "| " and re.search(r"[\t│┃║]", line))
            if (layout := _layout(line, separator, rows, source, wanted, ruled=ruled and separator == "|")).certain
        ]
        if layouts:
            return at, max(layouts, key=itemgetter(0, 1, 2))[3]
    return 0, None


def _doubtful(window: list[str], source: Source, wanted: Collection[str]) -> tuple[int, Layout | None]:
    """Return the line that is most likely one of names."""
    texts = [at for at, line in enumerate(window) if line.strip() and not _is_rule(line)]
    candidates: list[tuple[tuple[object, ...], int, Layout]] = []
    for at, below in zip(texts, [*texts[1:], *texts[-1:]], strict=True):
        for separator in ",;\t| ":
            layout = _layout(window[at], separator, [window[below]], source, wanted)
            likely = layout.fits and len(layout.names) > 1, not window[at].startswith("#"), -at, len(layout.names)
            candidates.append(((not {*wanted}.isdisjoint(layout.names), *likely), at, layout))
    _, at, layout = max(candidates, key=lambda candidate: candidate[0], default=((), 0, None))
    return (0, None) if layout is None or all(_NUMBER.match(name) for name in layout.names if name) else (at, layout)


def _layout(
    line: str, separator: str, rows: list[str], source: Source, wanted: Collection[str], *, ruled: bool = False
) -> Layout:
    """Return the layout of which this line has the names, and whether the rows below agree."""
    names, cells = fields(line, separator), [fields(row, separator) for row in rows[:2]] or [[""]]
    # Nothing above the names of rows.
    if len(cells[0]) == len(names) + 1 and line[:1] in " \t" and separator in " |\t":
        names = ["", *names]
    if names[0] not in wanted:
        names[0] = names[0].lstrip("# ")
    # Text may resemble a table by chance: a number is not a column name.
    named = separator != " " or not any(map(_NUMBER.match, names))
    numbers = [any(map(_NUMBER.match, row)) for row in cells]
    unit = any(map(column_unit, names[:MOST_COLUMNS]))
    # A first row without a number may be the line of names itself.
    known = numbers[0] or (any(numbers) and (unit or is_unit_row(cells[0])))
    fits = named and known and len(names) == len(cells[0])
    agree = fits and len(names) > 1 and all(len(row) == len(names) for row in cells)
    if agree and separator == " " and not unit:
        parsed = (parse_cell(cell) for row in cells for cell in row[1:MOST_COLUMNS])
        agree = any(cell is not None and cell.unit and base_unit(cell.unit) for cell in parsed)
    likely = ruled or agree or not {*wanted}.isdisjoint(names)
    return Layout(names, separator, fits, 0, source, likely and not all(map(_NUMBER.match, filter(None, names))))


def _is_rule(line: str, crossing: str = "") -> bool:
    """Whether a line has no text; with one of these signs where lines cross."""
    rule = bool(line.strip()) and _RULE.fullmatch(line) is not None
    return rule and (not crossing or any(sign in line for sign in crossing))


def _title(above: list[str]) -> str:
    """Return the heading above a table: the last one of Markdown, or else the line right above."""
    lines = [line for line in reversed(above) if line.strip() and len(line) <= _SHORT_NOTE]
    titles = [match for line in lines if (match := _TITLE.fullmatch(line)) is not None]
    best = next(
        (title for title in titles if title[1]), next((title for title in titles[:1] if title[0] == lines[0]), None)
    )
    return unmarked(next(filter(None, best.groups()), "")) if best else ""


def _unit_for_all(line: str) -> Unit | None:
    """Return the unit of 'all times in ms', in a short line."""
    if len(line) > _SHORT_NOTE or any(map(str.isdigit, line)):
        return None
    found = (base_unit(match[1]) or base_unit(match[1].split()[0]) for match in _ALL_IN.finditer(line))
    return None if _BAR.search(line) else next(filter(None, found), None)


def _unmargined(lines: Iterable[str]) -> Iterator[str]:
    """Return the lines with bars for MediaWiki's marks, and without prefixes of a table with bars."""
    every = iter(lines)
    first = [*islice(every, _WINDOW)]
    if any(line.lstrip().startswith("{|") for line in first):
        return _from_wiki(chain(first, every))
    ruled = [line for line in first if _PREFIXED.fullmatch(line)]
    if ruled and not any(line.lstrip().startswith("|") for line in first):
        first = unpasted("\n".join(first), lambda line: line.startswith("|"))
    return chain(first, every)


def _from_wiki(lines: Iterable[str]) -> Iterator[str]:
    """Yield a line for each row, and empty ones in place of its others."""
    cells: list[str] = []
    inside = False
    for line in map(str.strip, lines):
        begins, ends = line.startswith("{|"), line.startswith("|}")
        if begins or ends or (inside and line.startswith(("|-", "|+"))):
            yield "| " + " | ".join(cells) + " |" if cells else ""
            cells, inside = [], (inside or begins) and not ends
        elif inside and line.startswith(("|", "!")):
            parts = re.split(r"\|\||!!", line[1:])
            cells += [part.rpartition("|")[2].strip() for part in parts]
        else:
            yield line


def fields(line: str, separator: str) -> list[str]:
    """Split a line into fields, without blanks and quotes; at least one."""
    if separator == "|":
        # Tables have bars at both ends, at one, or at none.
        cells = _BAR.split(line.strip())
        cells = cells[1:] if len(cells) > 1 and not cells[0] else cells
        return [*map(unmarked, cells[:-1] if len(cells) > 1 and not cells[-1] else cells)]
    if separator == " ":
        return re.split(r"\s{2,}|\t", line.strip()) if re.search(r"\s{2,}|\t", line.strip()) else line.split() or [""]
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True))] or [""]
    except (csv.Error, StopIteration):
        return [""]
