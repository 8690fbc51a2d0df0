"""The line of names above a table: where it stands, what parts its fields, and what is refused of it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain

from sectax.audit.importers.columns import HEADER, Columns, in_comment
from sectax.audit.importers.left_out import LeftOut
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number
from sectax.model.near import did_you_mean
from sectax.model.printable import printable

_SEPARATORS = ",;\t|"
# Lines of words above the line of names.
_MOST_ABOVE = 50


def opening(lines: Iterator[str], said: Columns, out: LeftOut) -> tuple[int, str, Columns, Iterator[str]]:
    """The line of names and its place, what is said of the columns, and the lines that follow."""
    told = Columns()
    first: tuple[int, str] | None = None
    passed: list[str] = []
    for place, line in enumerate(lines, 1):
        if line.startswith(HEADER):
            told = told.over(in_comment(line, place))
            continue
        passed.append(line)
        if not line.strip():
            continue
        wanted = said.over(told).value
        names = _fields(line, separator_of(line, wanted))
        # A line of names may be a comment, and words may stand above it.
        is_names = bool(wanted) and wanted in (*names, names[0].lstrip("# "))
        if is_names or (not wanted and not line.startswith("#")):
            if first is not None:
                out.note(*first)
            return place, line, said.over(told), lines
        if first is None and not line.startswith("#"):
            first, passed = (place, line), []
        if first is not None and place - first[0] >= _MOST_ABOVE:
            break
    if first is None:
        raise BadInput("there is no line of column names in it")
    return *first, said.over(told), chain(passed, lines)


def next_row(reader: Iterator[list[str]], place: int) -> list[str]:
    try:
        return next(reader)
    except (csv.Error, StopIteration) as error:
        raise BadInput(f"these are not column names: {error}", line=place) from error


def separator_of(line: str, wanted: str = "") -> str:
    """The one that makes the wanted column of a line; else whichever stands most often in it."""
    # Stable: of those that stand equally often the first.
    ordered = sorted(_SEPARATORS, key=line.count, reverse=True)
    for each in ordered if wanted else ():
        if each in line and wanted in [name.lstrip("# ") for name in _fields(line, each)] + _fields(line, each):
            return each
    if wanted and not any(each in line for each in _SEPARATORS) and wanted in line.split():
        return " "
    return ordered[0]


def _fields(line: str, separator: str) -> list[str]:
    """The fields of one line, without blanks around them; at least one."""
    try:
        return [each.strip() for each in next(csv.reader([line], delimiter=separator, skipinitialspace=True))] or [""]
    except (csv.Error, StopIteration):
        return [""]


def refuse_doubles(names: list[str], columns: Columns, place: int) -> None:
    asked = columns.asked()
    for at, name in enumerate(names):
        if name in asked and name in names[:at]:
            raise BadInput(f"two columns have the name {printable(name, 60)!r}", line=place, column=at + 1)


def refuse_numbers(names: list[str], columns: Columns, place: int) -> None:
    """A table without a line of names: its first row would be lost."""
    try:
        number(columns.value)
    except BadInput:
        return
    if columns.value in names:
        raise BadInput(
            f"the column of values has the name {printable(columns.value, 40)!r}, which is a number",
            "put a line of column names above the first row",
            line=place,
            column=names.index(columns.value) + 1,
        )


def place_of(names: list[str], name: str) -> int:
    if name in names:
        return names.index(name)
    hint = did_you_mean(name, names, f"the columns are {listed_names(names)}")
    raise BadInput(f"there is no column {printable(name, 60)!r}", hint)


def listed_names(names: list[str]) -> str:
    shown = ", ".join(printable(name, 40) for name in names[:20])
    return f"{shown} and {len(names) - 20} more" if len(names) > 20 else shown
