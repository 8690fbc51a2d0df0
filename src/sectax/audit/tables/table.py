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
from sectax.audit.tables.head import Table, opened, rows
from sectax.formats.bad_input import BadInput
from sectax.text.printable import printable

MOST_ROWS = 20_000_000
# The rows by which columns are known, and those that are read at once.
_SAMPLE, _PORTION = 2000, 4096
_MOST_REPLICATES = 100_000

Key = tuple[str, ...]


@dataclass
class _Group:
    """The rows of one combination of levels, and the last of them."""

    values: array[float] = field(default_factory=lambda: array("d"))
    replicates: set[str] = field(default_factory=set)
    failed: float = 0.0
    row: Sequence[str] = ()


def looks_like_a_table(head: str) -> bool:
    """Whether a line of names is above lines with as many fields, one of them a number."""
    try:
        table = opened(head.splitlines(), Columns())
        first = next((row for row in rows(table) if row), [])
    except (BadInput, csv.Error):
        return False
    cells, name = Cells(table.separator), table.names[0]
    if len(first) == len(table.names) == 1:
        return cells.number(first[0]) is not None and (unit_in(name) or unit_of(name)) is not None
    if len(first) != len(table.names) or table.separator == " ":
        return False
    return any(cells.number(cell) is not None or cells.unit([cell]) for cell in first)


def read_table(lines: Iterable[str], said: Columns) -> Evidence:
    """A table as evidence. Raises `BadInput`."""
    return _Reader(opened(lines, said)).evidence()


class _Reader:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.rows = rows(table)
        self.groups: dict[Key, _Group] = {}
        self._steps: dict[int, float] = {}  # by column
        self.count = self.taken = 0
        self.left_out: list[Trouble] = []
        first = self._portion(_SAMPLE)
        sample = [row for row in map(self._fitted, first) if row is not None]
        if not sample:
            raise BadInput("the table has no rows", f"{len(table.names)} columns, and nothing below their names")
        self.cells = Cells(table.separator, (cell for row in sample for cell in row))
        self.guess = guess(table, sample, self.cells)
        said = self.guess.columns
        self.values = [*zip(map(table.column, said.value), self.guess.units, strict=True)]
        self.by = [table.column(name) for name in said.by]
        self.factors = [*said.by, *(["column"] if len(self.values) > 1 else [])]
        while first:
            self._take(first)
            first = self._portion(_PORTION)

    def _portion(self, size: int) -> list[Sequence[str]]:
        portion: list[Sequence[str]] = []
        try:
            portion.extend(islice(self.rows, size))
        except csv.Error as error:
            self._leave_out(self.count + len(portion), f"the rest is no CSV: {error}")
            self.rows = iter(())
        self.count += len(portion)
        if self.count > MOST_ROWS:
            raise BadInput(f"more than {MOST_ROWS} rows", "audit a part of it")
        return portion

    def _fitted(self, row: Sequence[str]) -> Sequence[str] | None:
        """A row with as many fields as there are columns; commas at the end of lines make no field."""
        names = self.table.names
        fits = not any(names[len(row) :]) and not any(cell.strip() for cell in row[len(names) :])
        return [*row, *[""] * len(names)][: len(names)] if fits else None

    def _take(self, portion: list[Sequence[str]]) -> None:
        """Put the values of rows into their groups: at once, or where one of them needs a look, one by one."""
        whole = list(filter(None, portion))
        try:
            columns = list(zip(*whole, strict=True))
            if len(columns) != len(self.table.names):
                raise ValueError("other columns")
            numbers = [plain_numbers(columns[at]) for at, _ in self.values]
        except ValueError:
            begin = self.count - len(portion)
            whole = [row for place, line in enumerate(portion, begin) if (row := self._checked(place, line))]
            columns = list(zip(*whole, strict=True))
            numbers = [[self.cells.number(row[at], unit) or 0.0 for row in whole] for at, unit in self.values]
        if whole:
            self.taken += len(whole)
            keys: list[Key] = [*zip(*(columns[at] for at in self.by), strict=True)] or [()] * len(whole)
            self._put(keys, numbers, whole)

    def _checked(self, place: int, row: Sequence[str]) -> Sequence[str] | None:
        """A row whose values are all numbers, or nothing; what is left out is noted."""
        fields = self._fitted(row)
        if row == self.table.names or not any(cell.strip() for cell in row):
            return None
        if fields is None:
            self._leave_out(place, f"left out: {len(row)} fields below {len(self.table.names)} names")
            return None
        for at, unit in self.values:
            if self.cells.number(fields[at], unit) is None:
                text = printable(fields[at].strip(), 40)
                self._leave_out(place, f"left out: {text!r} is no number in {self.table.names[at]}")
                return None
        return fields

    def _leave_out(self, place: int, text: str) -> None:
        self.left_out.append(Trouble(TroubleKind.UNREAD, self.table.place + place + 1, text))

    def _put(self, keys: list[Key], numbers: list[list[float]], whole: Sequence[Sequence[str]]) -> None:
        said, failures = self.guess.columns, self.guess.failures
        for (at, (_, scale)), values in zip(self.values, numbers, strict=True):
            of = keys if len(self.values) == 1 else [(*key, self.table.names[at]) for key in keys]
            groups = {key: self._group(key, row) for key, row in dict(zip(of, whole, strict=True)).items()}
            append = {key: group.values.append for key, group in groups.items()}
            for key, value in zip(of, values, strict=True):
                append[key](value * scale)
            if said.replicate:
                place = self.table.column(said.replicate)
                for key, name in {(key, row[place]) for key, row in zip(of, whole, strict=True)}:
                    # Nobody asks how many more there are.
                    if len(groups[key].replicates) < _MOST_REPLICATES:
                        groups[key].replicates.add(name)
            if failures is not None:
                place, failed = failures
                for key, row in zip(of, whole, strict=True):
                    groups[key].failed += failed(row[place], self.cells.number(row[place]) or 0.0)

    def _group(self, levels: Key, row: Sequence[str]) -> _Group:
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
        if len(self.left_out) > self.taken:
            raise BadInput(f"{len(self.left_out)} of {self.count} rows are not usable{first}")
        self.left_out += [Trouble(TroubleKind.UNREAD, 0, f"another table: {names}") for names in self.table.others]
        found = evidence("this table", [self._series(key, group) for key, group in self.groups.items()], self.left_out)
        # Arms that stand beside each other are what is compared, unless levels are named.
        factors = self.factors if self.table.said.by else sorted(self.factors, key=lambda name: name != "column")
        if not factors or len({one.levels.get(factors[0]) for one in found.series}) < 2:
            return found
        return replace(found, contrast=Contrast(factors[0], None, reported=False))

    def _series(self, key: Key, group: _Group) -> Series:
        said, label = self.guess.columns, ", ".join(key)
        at, unit = self.values[said.value.index(key[-1]) if len(said.value) > 1 else 0]
        metric = said.value[0] if len(said.value) == 1 else "value"
        id = f"{metric}: {label}" if label else metric
        claims = self._claims(id, group.row, at, unit) if len(group.values) == 1 else ()
        operation = next(filter(moves_of, (*key, *self.guess.constant, metric)), key[0] if key else None)
        count = self.cells.number(group.row[self.guess.count]) if claims and self.guess.count is not None else None
        place, amount = self.guess.size or (None, unit)
        size = None if place is None else self.cells.number(group.row[place], amount)
        return Series(
            id=id,
            table=metric,
            levels=dict(zip(self.factors, key, strict=True)),
            metric=metric,
            quantity=unit[0],
            claims=claims,
            values=() if claims else group.values,
            count=int(count) if count else None,
            work=Work(
                operation=operation,
                moves=moves_of(operation or ""),
                size_bytes=None if size is None else size * amount[1],
                failures=group.failed if self.guess.failures is not None else None,
                replicates=len(group.replicates) if said.replicate else None,
                replicate=said.replicate or None,
            ),
            run=label,
        )

    def _step(self, place: int, text: str) -> float:
        """The step of a cell: the finest of its column, since many programs leave out zeros at the end."""
        if "e" in text.lower():
            return self.cells.step(text)
        if place not in self._steps:
            column = [group.row[place] for group in self.groups.values()]
            self._steps[place] = min(self.cells.step(cell) for cell in column if "e" not in cell.lower())
        return self._steps[place]

    def _claims(self, id: str, row: Sequence[str], at: int, unit: Unit) -> tuple[Claim, ...]:
        """Of a row that stands by itself with a mean or median: that, and the summaries beside it."""
        claims = [
            Claim(f"{id} {name}", name, number * unit[1], self._step(place, row[place]) * unit[1])
            for name, place in self.guess.summaries.items()
            if (number := self.cells.number(row[place], unit)) is not None
        ]
        if claims and (error := self.cells.error(row[at], unit)) is not None:
            claims.append(Claim(f"{id} error", "error", error * unit[1]))
        return tuple(claims)
