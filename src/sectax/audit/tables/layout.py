"""Find the tables in a text: their names, separators and rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, filterfalse, islice, takewhile
from operator import itemgetter, methodcaller

from sectax.audit.reading.plain import unpasted
from sectax.audit.reading.units import Unit, base_unit
from sectax.audit.tables.cells import parse_cell, unmarked
from sectax.audit.tables.columns import column_unit, statistic_name
from sectax.audit.tables.turned import is_unit_row
from sectax.formats.bad_input import BadInput

MOST_COLUMNS = 2000
# The most lines of text above the line of names of a doubtful table, and lines in which tables are looked for.
_MOST_ABOVE, _MOST_LINES = 50, 100_000
_NEAR, _MOST_SEARCHED, _MOST_BETWEEN = 7, 1000, 10_000
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
_SHORT_NOTE, _LONGEST_PROSE = 120, 2000


@dataclass
class Layout:
    """A table whose rows are still to be read."""

    names: list[str]  # of the columns
    separator: str  # between fields; a blank stands for any run of two or more blanks
    fits: bool  # whether the line below the names has as many fields, one of them a number
    certain: bool  # whether more than one line shows that it is a table
    place: int = 0  # of the line of names, from 1
    lines: Iterable[str] = ()  # the following lines, unchanged
    title: str = ""  # the heading above it
    unit: Unit | None = None  # which a line above it, or below, gives for all
    numbers: list[int] = field(default_factory=list)  # of the lines of rows, where others are between them

    def rows(self) -> Iterator[list[str]]:
        """Yield rows without rules, comments and repeated names; raises `csv.Error`."""
        if self.separator not in ("|", " "):
            lines = filterfalse(methodcaller("startswith", "#"), self.lines)
            return csv.reader(lines, delimiter=self.separator, strict=True, skipinitialspace=True)
        return self._numbered()

    def _numbered(self) -> Iterator[list[str]]:
        for number, line in enumerate(self.lines, 1):
            if line.strip() and line[0] != "#" and not _is_rule(line) and (row := self.fields(line)) != self.names:
                self.numbers.append(number)
                yield row

    def fields(self, line: str) -> list[str]:
        cells = fields(line, self.separator)
        missing = len(self.names) - len(cells)
        if self.separator == " " and missing and len(words := line.split()) == len(self.names):
            return words
        # Markdown allows rows to be short.
        return cells + [""] * missing if self.separator == "|" and len(cells) > 1 else cells

    def end(self, lines: list[str], at: int) -> int:
        """Return the place of the first line that does not belong to the table; *at* is that below its names."""
        while at < len(lines):
            if self.separator not in "| ":
                # Rows of CSV end at an empty line only.
                try:
                    at = lines.index("", at)
                except ValueError:
                    return len(lines)
            line, near = lines[at], lines[at + 1 : at + _NEAR]
            if not line.strip() or (self.separator in "| " and not _is_rule(line) and not self._is_row(line)):
                # A line between two rows is one that cannot be read.
                below = [below for below in near if below.strip() and not _is_rule(below)][:2]
                ends = bool(below) and (not self._is_row(below[0]) if line.strip() else self._ends(*below))
                if not below or ends or self._begins(near):
                    break
            at += 1
        return at

    def _begins(self, lines: list[str]) -> bool:
        """Whether these are the names of another table of Markdown, or its upper border."""
        lines = [*filter(str.strip, lines)][:2]
        return self.separator == "|" and any(_is_rule(line, "-─━═") for line in lines)

    def _is_row(self, line: str) -> bool:
        return len(self.fields(line)) == len(self.names) or (self.separator == "|" and bool(_BAR.search(line)))

    def _ends(self, line: str, below: str = "") -> bool:
        """Whether this line, below an empty one, is no further row."""
        cells = self.fields(line)
        if len(cells) != len(self.names):
            return not line.startswith("#") or self._ends(below or " ")
        if cells == self.names or any(map(_NUMBER.match, cells)) or len(cells) == 1:
            return False
        heading = any(name in self.names or column_unit(name) or statistic_name(name) for name in cells)
        return heading and any(map(_NUMBER.match, self.fields(below)))


def find_tables(lines: Iterable[str], wanted: Collection[str] = ()) -> Iterator[Layout]:
    """Yield the tables of a text in order, preferably with a *wanted* column; raises `BadInput` for none."""
    source = iter(lines)
    every = _unmargined([*islice(source, _MOST_LINES)])
    begin, unit = 0, None
    at, layout = _first_table(every, 0, wanted)
    if layout is None:
        at, layout = _doubtful(every[:_MOST_ABOVE], wanted)
    while layout is not None:
        above = every[max(begin, at - _MOST_ABOVE) : at]
        layout.place, layout.title = at + 1, _title(above)
        begin = layout.end(every, at + 1)
        layout.lines = every[at + 1 : begin]
        notes = [*reversed(above), *islice(filter(str.strip, every[begin : begin + _NEAR]), 1)]
        unit = layout.unit = next(filter(None, map(_unit_for_all, notes)), column_unit(layout.title) or unit)
        if begin == len(every):
            # Only the last table may be longer.
            layout.lines = chain(layout.lines, source)
        yield layout
        at, layout = _first_table(every, begin, wanted)


def _first_table(every: list[str], begin: int, wanted: Collection[str]) -> tuple[int, Layout | None]:
    """Return the first line of names that more than one line shows to be one."""
    for at, line in enumerate(every[begin : begin + _MOST_BETWEEN], begin):
        if not line.strip() or _is_rule(line):
            continue
        below = [*islice(filterfalse(_is_rule, every[at + 1 : at + 1 + _NEAR]), 3)]
        rows = [*takewhile(str.strip, below)] or below[1:2]
        ruled = bool(_BAR.search(line)) and any(_is_rule(rule, "|+┼╪╇╋╫╬") for rule in every[at + 1 : at + 2])
        if not ruled and not any(map(_DIGIT.search, rows)):
            continue
        layouts = [
            (
                not {*wanted}.isdisjoint(layout.names),
                ruled and separator == "|",
                separator != " ",
                len(layout.names),
                layout,
            )
            for separator in ",;\t| "
            if separator in line or (separator in "| " and re.search(r"[\t│┃║]", line))
            if (layout := _layout(line, separator, rows, wanted, ruled=ruled and separator == "|")).certain
        ]
        if layouts:
            return at, max(layouts, key=itemgetter(slice(4)))[4]
    return 0, None


def _doubtful(window: list[str], wanted: Collection[str]) -> tuple[int, Layout]:
    """Return the line that is most likely one of names."""
    texts = [at for at, line in enumerate(window) if line.strip() and not _is_rule(line)]
    candidates: list[tuple[tuple[object, ...], int, Layout]] = []
    for at, below in zip(texts, [*texts[1:], *texts[-1:]], strict=True):
        for separator in ",;\t| ":
            layout = _layout(window[at], separator, [window[below]], wanted)
            likely = layout.fits and len(layout.names) > 1, not window[at].startswith("#"), -at, len(layout.names)
            candidates.append(((not {*wanted}.isdisjoint(layout.names), *likely), at, layout))
    if not candidates:
        raise _no_names()
    _, at, layout = max(candidates, key=itemgetter(0))
    if all(_NUMBER.match(name) for name in layout.names if name):
        raise _no_names()
    return at, layout


def _no_names() -> BadInput:
    return BadInput("the table has no line of column names", "put a line of column names above the first row")


def _layout(line: str, separator: str, rows: list[str], wanted: Collection[str], *, ruled: bool = False) -> Layout:
    """Return the layout of which this line has the names, and whether the rows below agree."""
    names, cells = fields(line, separator), [fields(row, separator) for row in rows[:2]] or [[""]]
    # Nothing above the names of rows.
    if len(cells[0]) == len(names) + 1 and line[:1] in " \t" and separator in " |\t":
        names = ["", *names]
    if names[0] not in wanted:
        names[0] = names[0].lstrip("# ")
    # Text may resemble a table by chance: a number is not a column name.
    named = len(names) == len(cells[0]) and (separator != " " or not any(map(_NUMBER.match, names)))
    numbers = [any(map(_NUMBER.match, row[:MOST_COLUMNS])) for row in cells]
    unit = named and any(numbers) and any(map(column_unit, names[:MOST_COLUMNS]))
    # A first row without a number may be the line of names itself.
    known = numbers[0] or (any(numbers) and (unit or is_unit_row(cells[0])))
    fits = named and known
    agree = fits and 1 < len(names) <= MOST_COLUMNS and all(len(row) == len(names) for row in cells)
    if agree and separator == " " and not unit:
        parsed = (parse_cell(cell) for row in cells for cell in row[1:MOST_COLUMNS])
        agree = any(cell is not None and cell.unit and base_unit(cell.unit) for cell in parsed)
    likely = ruled or agree or not {*wanted}.isdisjoint(names)
    return Layout(names, separator, fits, likely and not all(map(_NUMBER.match, filter(None, names))))


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
    """Return the unit of 'all times in ms', in a short sentence."""
    sentences = [] if _BAR.search(line) else re.split(r"(?<=[.;:]) ", line[:_LONGEST_PROSE])
    short = (text for text in sentences if len(text) <= _SHORT_NOTE and not _DIGIT.search(text))
    every = (match for text in short for match in _ALL_IN.finditer(text))
    return next(filter(None, (base_unit(match[1]) or base_unit(match[1].split()[0]) for match in every)), None)


def _unmargined(lines: list[str]) -> list[str]:
    """Return the lines without prefixes of a table with bars."""
    first = lines[:_MOST_SEARCHED]
    if any(map(_PREFIXED.fullmatch, first)) and not any(line.lstrip().startswith("|") for line in first):
        return unpasted("\n".join(lines), lambda line: line.startswith("|"))
    return lines


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
