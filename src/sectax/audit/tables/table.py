"""Reads a CSV, TSV or pasted table in portions, so that ten million rows fit into memory."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from sectax.audit.form import Claim, Contrast, Evidence, Series, Trouble, TroubleKind, Work
from sectax.audit.reading.build import MOST_FIGURES, evidence
from sectax.audit.reading.names import moves_of
from sectax.audit.reading.units import Unit, unit_of
from sectax.audit.tables.cells import Cells, plain_numbers
from sectax.audit.tables.columns import Columns
from sectax.audit.tables.guess import guess, unit_in
from sectax.audit.tables.head import Table, listed, opened, rows
from sectax.formats.bad_input import BadInput
from sectax.text.printable import printable

MOST_ROWS = 20_000_000
# The rows by which columns are known, and those that are read at once.
_SAMPLE, _PORTION = 2000, 4096
_MOST_REPLICATES = 100_000

Key = tuple[str, ...]
Row = Sequence[str]


@dataclass
class _Group:
    """The rows of one combination of levels, and the last of them."""

    values: array[float] = field(default_factory=lambda: array("d"))  # in the unit of their column
    replicates: set[str] = field(default_factory=set)
    failed: float = 0.0
    operations: float = 0.0
    row: Row = ()


def looks_like_a_table(head: str) -> bool:
    """Whether a line of names is above a line with as many fields, one of them a number."""
    try:
        table = opened(head.splitlines(), Columns())
        first = next((row for row in rows(table) if row), [])
    except (BadInput, csv.Error):
        return False
    cells = Cells(table.separator)
    numbers = [name for name, cell in zip(table.names, first, strict=False) if cells.number(cell) or cells.unit([cell])]
    # One column, or what only blanks separate, may be any text: a unit shows that it is none.
    surely = len(first) > 1 and table.separator != " "
    return len(first) == len(table.names) and any(surely or unit_in(name) or unit_of(name) for name in numbers)


def read_table(lines: Iterable[str], said: Columns) -> Evidence:
    """A table as evidence. Raises `BadInput`."""
    return _Reader(opened(lines, said)).evidence()


class _Reader:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.rows = rows(table)
        self.groups: dict[Key, _Group] = {}
        self.count = 0
        self.left_out: list[Trouble] = []
        first = self._portion(_SAMPLE)
        sample = [row for row in map(self._fitted, first) if row]
        if not sample:
            raise BadInput("the table has no rows", f"{len(table.names)} columns, and nothing below their names")
        self.cells = Cells(table.separator, (cell for row in sample for cell in row))
        self.guess = guess(table, sample, self.cells)
        self.values = [*self.guess.values.items()]
        self.factors = [table.names[at] for at in self.guess.by] + ["column"] * (len(self.values) > 1)
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
        whole = list(filter(None, portion))
        try:
            columns = list(zip(*whole, strict=True))
            if len(columns) != len(self.table.names):
                raise ValueError("other columns")
            numbers = [plain_numbers(columns[at]) for at, _ in self.values]
        except ValueError:
            whole, numbers = self._readable(portion)
            columns = [*zip(*whole, strict=True)]
        keys: list[Key] = [*zip(*(columns[at] for at in self.guess.by if whole), strict=True)] or [()] * len(whole)
        self._put(keys, numbers, whole)

    def _readable(self, portion: list[Row]) -> tuple[list[Row], list[list[float]]]:
        """The rows whose values are all numbers, and these by column; the other rows are noted."""
        whole: list[Row] = []
        columns: list[list[float]] = [[] for _ in self.values]
        for place, row in enumerate(portion, self.count - len(portion)):
            fields = self._fitted(row)
            numbers = [self.cells.number(fields[at], unit) for at, unit in self.values] if fields else [None]
            if None not in numbers:
                whole.append(fields)
                for column, number, (_, unit) in zip(columns, filter(None, numbers), self.values, strict=True):
                    column.append(number.value / unit[1])
            elif any(map(str.strip, row)) and row != self.table.names:
                self._leave_out(place, f"left out: {printable(', '.join(row), 60)}")
        return whole, columns

    def _leave_out(self, place: int, text: str) -> None:
        self.left_out.append(Trouble(TroubleKind.UNREAD, self.table.place + place + 1, text))

    def _put(self, keys: list[Key], numbers: list[list[float]], whole: Sequence[Row]) -> None:
        names, replicate = self.table.names, self.table.said.replicate
        for (at, _), values in zip(self.values, numbers, strict=True):
            of = keys if len(self.values) == 1 else [(*key, names[at]) for key in keys]
            groups = {key: self._group(key, row) for key, row in dict(zip(of, whole, strict=True)).items()}
            append = {key: group.values.append for key, group in groups.items()}
            for key, value in zip(of, values, strict=True):
                append[key](value)
            if replicate:
                place = self.table.column(replicate)
                for key, row in zip(of, whole, strict=True):
                    # Nobody asks how many more there are.
                    if len(groups[key].replicates) < _MOST_REPLICATES:
                        groups[key].replicates.add(row[place])
            if self.guess.failures is not None:
                place, failed = self.guess.failures
                for key, row in zip(of, whole, strict=True):
                    groups[key].failed += failed(row[place], self._plain(row, place))
                    groups[key].operations += self._plain(row, self.guess.count)

    def _plain(self, row: Row, place: int | None) -> float:
        number = None if place is None else self.cells.number(row[place])
        return number.value if number is not None else 0.0

    def _group(self, levels: Key, row: Row) -> _Group:
        key = tuple(level.strip() for level in levels)
        if key not in self.groups and len(self.groups) >= MOST_FIGURES:
            names = ", ".join(map(printable, self.factors))
            raise BadInput(f"{names}: more than {MOST_FIGURES} different levels", "--by names columns of levels")
        group = self.groups.setdefault(key, _Group())
        group.row = row
        return group

    def evidence(self) -> Evidence:
        """What was read. Raises `BadInput` where no row has a value."""
        first = next((f"; line {one.line}: {one.text}" for one in self.left_out), "")
        if not self.groups:
            raise BadInput(f"no row has a value{first}", "name the column of numbers with --value")
        if 2 * len(self.left_out) > self.count:
            raise BadInput(f"{len(self.left_out)} of {self.count} rows are not usable{first}")
        self.finest = {place: self._finest(place, self.values[0][1]) for place in self.guess.summaries.values()}
        self.left_out += [Trouble(TroubleKind.UNREAD, 0, f"another table: {names}") for names in self.table.others]
        found = evidence("this table", [self._series(key, group) for key, group in self.groups.items()], self.left_out)
        found = replace(found, columns=self._columns())
        # Arms that stand beside each other are what is compared, unless levels are named.
        factors = self.factors if self.table.said.by else sorted(self.factors, key=lambda name: name != "column")
        if not factors or len({one.levels.get(factors[0]) for one in found.series}) < 2:
            return found
        return replace(found, contrast=Contrast(factors[0], None, reported=False))

    def _columns(self) -> str:
        """Which columns were read as what."""
        names, by, unused = self.table.names, [self.table.names[at] for at in self.guess.by], [*self.guess.unused]
        of = f" by {listed(by)}" if by else ""
        return f"{listed([names[at] for at, _ in self.values])}{of}{f'; not used: {listed(unused)}' if unused else ''}"

    def _series(self, key: Key, group: _Group) -> Series:
        import numpy as np

        names, label, replicate = self.table.names, ", ".join(key), self.table.said.replicate
        at, unit = next(one for one in self.values if len(self.values) == 1 or names[one[0]] == key[-1])
        metric = names[at] if len(self.values) == 1 else "value"
        id = f"{metric}: {label}" if label else metric
        claims = self._claims(id, group.row, at, unit) if len(group.values) == 1 else ()
        operation = next(filter(moves_of, (*key, *self.guess.constant, metric)), key[0] if key else None)
        place, amount = self.guess.size or (None, unit)
        size = None if place is None else self.cells.number(group.row[place], amount)
        return Series(
            id=id,
            table=metric,
            levels=dict(zip(self.factors, key, strict=True)),
            metric=metric,
            quantity=unit[0],
            claims=claims,
            values=() if claims else array("d", (np.frombuffer(group.values) * unit[1]).tobytes()),
            count=int(self._plain(group.row, self.guess.count)) or None if claims else None,
            work=Work(
                operation=operation,
                moves=moves_of(operation or ""),
                size_bytes=size.value if size is not None else None,
                operations=group.operations or None,
                failures=group.failed if self.guess.failures is not None else None,
                replicates=len(group.replicates) if replicate else None,
                replicate=replicate or None,
            ),
            run=label,
        )

    def _finest(self, place: int, unit: Unit) -> float:
        """The finest step of a column, since many programs leave out zeros at the end."""
        cells = [group.row[place] for group in self.groups.values()]
        numbers = [self.cells.number(cell, unit) for cell in cells if "e" not in cell.lower()]
        return min((number.step for number in numbers if number is not None), default=0.0)

    def _claims(self, id: str, row: Row, at: int, unit: Unit) -> tuple[Claim, ...]:
        """Of a row that stands by itself with a mean or median: that, and the summaries beside it."""
        claims = []
        for name, place in self.guess.summaries.items():
            if (number := self.cells.number(row[place], unit)) is not None:
                step = number.step if "e" in row[place].lower() else self.finest[place]
                claims.append(Claim(f"{id} {name}", name, number.value, step))
        if claims and (error := self.cells.error(row[at], unit)) is not None:
            claims.append(Claim(f"{id} error", "error", error.value))
        return tuple(claims)
