"""Reads a CSV, TSV or pasted table in portions, so that ten million rows fit into memory."""

from __future__ import annotations

import csv
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from sectax.audit.form import Claim, Evidence, Series, Trouble, TroubleKind, Work
from sectax.audit.reading.asked import Columns
from sectax.audit.reading.build import MOST_FIGURES, evidence
from sectax.audit.reading.cells import Cells, plain_numbers
from sectax.audit.reading.headings import Failed, share_in_percent, unit_in
from sectax.audit.reading.names import moves_of
from sectax.audit.reading.units import Unit, unit_of
from sectax.audit.tables.guess import guess
from sectax.audit.tables.head import Table, opened, rows
from sectax.formats.bad_input import BadInput
from sectax.text.printable import printable

MOST_ROWS = 20_000_000
# The rows by which columns are known, and those that are read at once: fewer than start Python's garbage collector.
_SAMPLE, _PORTION = 2000, 512
# The first rows may lack a number here and there; that they have numbers makes a table of lines.
_FIRST = 9

Key = tuple[str, ...]
Row = Sequence[str]


@dataclass
class _Group:
    """The values of one column in the rows of one combination of levels, and the last of these rows."""

    values: array[float] = field(default_factory=lambda: array("d"))  # in the unit of their column
    failed: float = 0.0
    operations: float = 0.0
    row: Row = ()


def looks_like_a_table(head: str) -> bool:
    """Whether a line of names is above lines with as many fields, one of them a number."""
    try:
        table = opened(head.splitlines(), Columns())
        first = [*islice(filter(None, rows(table)), _FIRST)]
    except (BadInput, csv.Error):
        return False
    cells = Cells(table.separator)
    every = (pair for row in first for pair in zip(table.names, row, strict=False))
    numbers = {name for name, cell in every if cells.number(cell) or cells.unit([cell])}
    # One column, or what only blanks separate, may be any text: a unit shows that it is none.
    surely = len(table.names) > 1 and table.separator != " "
    fits = bool(first) and len(first[0]) == len(table.names)
    return fits and any(surely or unit_in(name) or unit_of(name) for name in numbers)


def read_table(lines: Iterable[str], said: Columns) -> Evidence:
    """A table as evidence. Raises `BadInput`."""
    return _Reader(opened(lines, said)).evidence()


class _Reader:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.rows = rows(table)
        self.groups: dict[tuple[Key, int], _Group] = defaultdict(_Group)
        self.count = 0
        self.left_out: list[Trouble] = []
        first = self._portion(_SAMPLE)
        sample = [row for row in map(self._fitted, first) if row]
        if not sample:
            raise BadInput("the table has no rows", f"{len(table.names)} columns, and nothing below their names")
        self.cells = Cells(table.separator, (cell for row in sample for cell in row))
        self.guess = guess(table, sample, self.cells)
        while first:
            self._take(first)
            first = self._portion(_PORTION)

    def _portion(self, size: int) -> list[Row]:
        portion: list[Row] = []
        try:
            portion.extend(islice(self.rows, size))
        except csv.Error as error:
            self._leave_out(self.count + len(portion), f"the rest is no CSV: {error}")
            self.rows = iter(())
        self.count += len(portion)
        if self.count > MOST_ROWS:
            raise BadInput(f"more than {MOST_ROWS} rows", "audit a part of it")
        return portion

    def _fitted(self, row: Row) -> Row:
        """A row with as many fields as there are columns, or none; commas at the end of lines make no field."""
        names = self.table.names
        fits = not any(names[len(row) :]) and not any(cell.strip() for cell in row[len(names) :])
        return [*row, *[""] * len(names)][: len(names)] if fits and any(map(str.strip, row)) else ()

    def _take(self, portion: list[Row]) -> None:
        """Put the values of rows into their groups: at once, or where one of them needs a look, one by one."""
        try:
            columns = list(zip(*portion, strict=True))
            if len(columns) != len(self.table.names):
                raise ValueError("other columns")
            self._put(portion, columns, [plain_numbers(columns[at]) for at in self.guess.values])
        except ValueError:
            for place, row in enumerate(portion, self.count - len(portion)):
                fields = self._fitted(row)
                told = [(self.cells.number(fields[at], unit), unit) for at, unit in self.guess.values.items() if fields]
                numbers = [[number.value / unit[1]] for number, unit in told if number is not None]
                if len(numbers) == len(self.guess.values):
                    self._put([fields], [(cell,) for cell in fields], numbers)
                elif any(map(str.strip, row)) and row != self.table.names:
                    self._leave_out(place, f"left out: {printable(', '.join(row), 60)}")

    def _leave_out(self, place: int, text: str) -> None:
        self.left_out.append(Trouble(TroubleKind.UNREAD, self.table.place + place + 1, text))

    def _put(self, rows: Sequence[Row], columns: Sequence[Row], numbers: list[list[float]]) -> None:
        guess, places = self.guess, defaultdict[Key, list[int]](list)
        keys: Iterable[Key] = zip(*(columns[at] for at in guess.by), strict=True) if guess.by else [()] * len(rows)
        for place, key in enumerate(keys):
            places[key].append(place)
        for key, there in places.items():
            for at, values in zip(guess.values, numbers, strict=True):
                group = self.groups[tuple(map(str.strip, key)), at]
                group.values.extend([values[place] for place in there])
                group.row = rows[there[-1]]
                if guess.failures is not None:
                    self._count(group, [rows[place] for place in there], *guess.failures)
        if len(self.groups) > MOST_FIGURES:
            raise BadInput(f"more than {MOST_FIGURES} different levels", "--by names columns of levels")

    def _count(self, group: _Group, rows: Iterable[Row], at: int, failed: Failed) -> None:
        of = self.guess.count
        for (text, count), times in Counter((row[at], "" if of is None else row[of]) for row in rows).items():
            group.failed += times * failed(text, self._plain(text))
            group.operations += times * self._plain(count)

    def _plain(self, cell: str) -> float:
        number = self.cells.number(cell)
        return number.value if number is not None else 0.0

    def evidence(self) -> Evidence:
        """What was read. Raises `BadInput` where no row has a value."""
        first = next((f"; line {one.line}: {one.text}" for one in self.left_out), "")
        if not self.groups:
            raise BadInput(f"no row has a value{first}", "name the column of numbers with --value")
        if 2 * len(self.left_out) > self.count:
            raise BadInput(f"{len(self.left_out)} of {self.count} rows are not usable{first}")
        if others := len(self.table.others):
            text = f"only the first table is read: {others} below it are not (audit each by itself)"
            self.left_out.append(Trouble(TroubleKind.UNREAD, 0, text))
        every = [self._series(*key, group) for key, group in self.groups.items()]
        # Arms that stand beside each other are what is compared, unless levels are named.
        size = self.table.names[self.guess.size[0]] if self.guess.size else None
        factors = sorted(every[0].levels, key=lambda name: name != "column" or bool(self.table.said.by))
        compares = next((name for name in factors if name != size), "")
        return replace(evidence("this table", every, self.left_out, [], compares), columns=self.guess.told)

    def _series(self, key: Key, at: int, group: _Group) -> Series:
        import numpy as np

        guess, unit, arms = self.guess, self.guess.values[at], len(self.guess.values) > 1
        name = self.table.names[at]
        factors = [*(self.table.names[at] for at in guess.by), "column"]
        levels = dict(zip(factors, (*key, name) if arms else key, strict=False))
        label, metric = ", ".join(levels.values()), "value" if arms else name
        id = f"{metric}: {label}" if label else metric
        claims = self._claims(id, group.row, at, unit) if len(group.values) == 1 else ()
        texts = (*levels.values(), *map(str.strip, group.row), metric)
        operation = next(filter(moves_of, texts), next(iter(key), None))
        failed, in_percent = (group.failed, guess.failures[1] is share_in_percent) if guess.failures else (None, False)
        size = self.cells.number(group.row[guess.size[0]], guess.size[1]) if guess.size else None
        return Series(
            id=id,
            table=metric,
            levels=levels,
            metric=metric,
            quantity=unit[0],
            claims=claims,
            values=() if claims else array("d", (np.frombuffer(group.values) * unit[1]).tobytes()),
            count=int(self._plain(group.row[guess.count])) or None if claims and guess.count is not None else None,
            work=Work(
                operation=operation,
                moves=moves_of(operation or ""),
                size_bytes=size.value if size is not None else None,
                operations=group.operations or None,
                failures=failed if not in_percent else None,
                failed_share=failed / len(group.values) if in_percent and failed is not None else None,
            ),
            run=label,
        )

    def _claims(self, id: str, row: Row, at: int, unit: Unit) -> tuple[Claim, ...]:
        """Of a row that stands by itself with a mean or median: that, and the summaries beside it."""
        claims = []
        for name, (place, step) in self.guess.summaries.items():
            if (number := self.cells.number(row[place], unit)) is not None:
                claims.append(Claim(f"{id} {name}", name, number.value, step))
        if claims and (error := self.cells.error(row[at], unit)) is not None:
            claims.append(Claim(f"{id} error", "error", error.value))
        return tuple(claims)
