"""Find a table in a text: its names, separator and rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, filterfalse, islice, takewhile
from operator import methodcaller

from sectax.formats.bad_input import BadInput

# The most lines of text above the line of names.
_MOST_ABOVE = 50
_RULE = re.compile(r"[-:=+|_ \t]*-[-:=+|_ \t]*")
_NUMBER = re.compile(r"\s*[+-]?(?:\.?\d|nan$)", re.IGNORECASE)


@dataclass(frozen=True)
class Layout:
    """A table whose rows are still to be read."""

    names: list[str]  # of the columns
    separator: str  # between fields; a blank stands for any run of two or more blanks
    fits: bool  # whether the line below the names has as many fields, one of them a number
    place: int  # of the line of names, from 1
    lines: Iterator[str]  # the following lines, unchanged
    others: list[str] = field(default_factory=list)  # rules of further tables, which are not read

    def rows(self) -> Iterator[list[str]]:
        """Yield rows without rules, comments and repeated names; raises `csv.Error`."""
        lines = filterfalse(methodcaller("startswith", "#"), self.lines)
        if self.separator not in ("|", " "):
            return csv.reader(lines, delimiter=self.separator, strict=True, skipinitialspace=True)
        split = self._markdown() if self.separator == "|" else (fields(line, " ") for line in lines if line.strip())
        return (row for row in split if not _RULE.fullmatch(" ".join(row)) and row != self.names)

    def _markdown(self) -> Iterator[list[str]]:
        """Yield the rows up to the first other line, and note later tables."""
        yield from (fields(line, "|") for line in takewhile(lambda line: "|" in line, self.lines))
        self.others.extend(line for line in self.lines if "|" in line and _RULE.fullmatch(line))


def find_table(lines: Iterable[str], wanted: Collection[str] = ()) -> Layout:
    """Find the first table, preferably with a *wanted* column; raises `BadInput`."""
    every = iter(lines)
    first = list(islice(every, _MOST_ABOVE))
    texts = [at for at, line in enumerate(first) if line.strip() and not _RULE.fullmatch(line)]
    candidates: list[tuple[tuple[object, ...], Layout]] = []
    for at, below in zip(texts, [*texts[1:], *texts[-1:]], strict=True):
        for separator in ",;\t| ":
            names, row = fields(first[at], separator), fields(first[below], separator)
            # Text may resemble a table by chance: a number is not a column name.
            named = separator != " " or not any(map(_NUMBER.match, names))
            fits = named and len(names) == len(row) and any(map(_NUMBER.match, row))
            ruled = separator == "|" and below > at + 1 and "|" in first[at + 1]
            if names[0] not in wanted:
                names[0] = names[0].lstrip("# ")
            layout = Layout(names, separator, fits, at + 1, chain(first[at + 1 :], every))
            likely = ruled, fits and len(names) > 1, not first[at].startswith("#"), -at, len(names)
            candidates.append(((not {*wanted}.isdisjoint(names), *likely), layout))
    best = max(candidates, key=lambda candidate: candidate[0], default=((), None))[1]
    if best is None or all(_NUMBER.match(name) for name in best.names if name):
        raise BadInput("the table has no line of column names", "put a line of column names above the first row")
    return best


def fields(line: str, separator: str) -> list[str]:
    """Split a line into fields, without blanks and quotes; at least one."""
    if separator == "|":
        # Markdown tables have bars at both ends.
        return [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]
    if separator == " ":
        return re.split(r"\s{2,}|\t", line.strip()) if re.search(r"\s{2,}", line.strip()) else line.split() or [""]
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True))] or [""]
    except (csv.Error, StopIteration):
        return [""]
