"""The line of names above a table: where it is, what separates its fields, and which lines are rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, filterfalse, islice, takewhile
from operator import methodcaller

from sectax.audit.reading.asked import Columns
from sectax.formats.bad_input import BadInput
from sectax.text.near import did_you_mean
from sectax.text.printable import printable

SEPARATORS = ",;\t|"
# Lines of words above the line of names.
_MOST_ABOVE = 50
_RULE = re.compile(r"[-:=+|_ \t]*-[-:=+|_ \t]*")
_NUMBER = re.compile(r"\s*[+-]?\.?\d")


@dataclass(frozen=True)
class Table:
    """A table whose rows are still to be read."""

    names: list[str]  # of its columns
    separator: str  # between fields; a blank stands for any run of two or more blanks
    place: int  # of the line of names, from 1
    said: Columns
    lines: Iterator[str]  # those behind it, as they stand in the file
    others: list[str] = field(default_factory=list)  # the rules of other tables below it, which are not read

    def column(self, name: str) -> int:
        """The place of a column. Raises `BadInput` where there is none of this name, or two."""
        if self.names.count(name) == 1:
            return self.names.index(name)
        if name in self.names:
            raise BadInput(f"two columns have the name {printable(name, 60)!r}", "rename one", line=self.place)
        hint = did_you_mean(name, self.names, f"the columns are {listed(self.names)}")
        raise BadInput(f"there is no column {printable(name, 60)!r}", hint)


def listed(names: list[str]) -> str:
    """The names of columns in a message."""
    shown = ", ".join(printable(name, 40) for name in names[:20])
    return f"{shown} and {len(names) - 20} more" if len(names) > 20 else shown


def opened(lines: Iterable[str], said: Columns) -> Table:
    """The table that begins in these lines. Raises `BadInput` where no line of names is found."""
    every = iter(lines)
    first = list(islice(every, _MOST_ABOVE))
    wanted = {*said.named()}
    heads = [(at, *_names(line, wanted)) for at, line in enumerate(first) if line.strip() and not _RULE.fullmatch(line)]
    if not heads:
        raise BadInput("there is no line of column names", "the first line of a CSV names its columns")

    def fits(head: tuple[int, list[str], str]) -> tuple[bool, ...]:
        at, names, separator = head
        # A table of Markdown within a text shows by the rule below its names.
        below = first[at + 1] if separator == "|" and not wanted and at + 1 < len(first) else ""
        ruled = "|" in below and _RULE.fullmatch(below) is not None
        return bool(wanted & {*names}), ruled, not first[at].startswith("#"), len(names) > 1

    # Where no line has a wanted name, the message lists the columns of another.
    at, names, separator = max(heads, key=fits)
    if all(_NUMBER.match(name) for name in names if name):
        hint = "put a line of column names above the first row"
        raise BadInput("the table has no line of column names", hint, line=at + 1)
    return Table(names, separator, at + 1, said, chain(first[at + 1 :], every))


def _names(line: str, wanted: set[str]) -> tuple[list[str], str]:
    """The fields of a line, by the separator that makes a wanted column of it, or is in it most often."""
    ordered = sorted((one for one in SEPARATORS if one in line), key=line.count, reverse=True) or [" "]
    separator = next((one for one in ordered if wanted & {*fields(line, one)}), ordered[0])
    names = fields(line, separator)
    if names[0].startswith("#") and names[0] not in wanted:
        names[0] = names[0].lstrip("# ")
    return names, separator


def fields(line: str, separator: str) -> list[str]:
    """The fields of one line, without blanks and quotes around them; at least one."""
    if separator == "|":
        # A table of Markdown has strokes at both ends.
        return [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]
    if separator == " ":
        return re.split(r"\s{2,}|\t", line.strip()) if re.search(r"\s{2,}", line.strip()) else line.split() or [""]
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True))] or [""]
    except (csv.Error, StopIteration):
        return [""]


def rows(table: Table) -> Iterator[list[str]]:
    """The rows of a table, without rules, comments and repeated lines of names. Raises `csv.Error`."""
    lines = filterfalse(methodcaller("startswith", "#"), table.lines)
    if table.separator not in ("|", " "):
        return csv.reader(lines, delimiter=table.separator, strict=True, skipinitialspace=True)
    split = _markdown(table) if table.separator == "|" else (fields(line, " ") for line in lines if line.strip())
    return (row for row in split if not _RULE.fullmatch(" ".join(row)) and row != table.names)


def _markdown(table: Table) -> Iterator[list[str]]:
    """The rows up to the first other line. Those of a table below it may be of something else, even of these names."""
    lines = iter(table.lines)
    yield from (fields(line, "|") for line in takewhile(lambda line: "|" in line or _RULE.fullmatch(line), lines))
    table.others.extend(line for line in lines if "|" in line and _RULE.fullmatch(line))
