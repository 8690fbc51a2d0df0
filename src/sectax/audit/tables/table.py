"""Reads a CSV, TSV or pasted table in portions, so that ten million rows fit into memory."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from sectax.audit.form import Claim, Contrast, Evidence, Series, Trouble, TroubleKind, Work
from sectax.audit.reading.build import MOST_FIGURES, evidence
from sectax.audit.tables.cells import Cells, plain_numbers
from sectax.audit.tables.columns import Columns
from sectax.audit.tables.guess import guess, unit_in
from sectax.audit.tables.head import Table, opened, rows
from sectax.audit.tables.units import unit_of
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
        first = next((row for row in rows(table) if row), None)
    except (BadInput, csv.Error):
        return False
    if first is None or len(first) != len(table.names):
        return False
    cells, name = Cells(table.separator), table.names[0]
    if len(first) == 1:
        return cells.number(first[0]) is not None and (unit_in(name) or unit_of(name)) is not None
    if table.separator == " ":
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
        self.count = self.taken = 0
        self.left_out: list[Trouble] = []
        first = self._portion(_SAMPLE)
        sample = [row for row in map(self._fitted, first) if row is not None]
        if not sample:
            raise BadInput("the table has no rows", f"{len(table.names)} columns, and nothing below their names")
        self.cells = Cells(table.separator, (cell for row in sample for cell in row))
        self.guess = guess(table, sample, self.cells)
        said = self.guess.columns
        self.values = [table.column(name) for name in said.value]
        self.by = [table.column(name) for name in said.by]
        self.replicate = table.column(said.replicate) if said.replicate else None
        self.factors = [*(table.names[at] for at in self.by), *(["column"] if len(self.values) > 1 else [])]
        while first:
            self._take(first)
            first = self._portion(_PORTION)

    def _portion(self, size: int) -> list[Sequence[str]]:
        portion: list[Sequence[str]] = []
        try:
            portion.extend(islice(self.rows, size))
        except csv.Error as error:
            place = self.table.place + self.count + len(portion) + 1
            self.left_out.append(Trouble(TroubleKind.UNREAD, place, f"the rest is no CSV: {error}"))
            self.rows = iter(())
        self.count += len(portion)
        if self.count > MOST_ROWS:
            raise BadInput(f"more than {MOST_ROWS} rows", "audit a part of it")
        return portion

    def _fitted(self, row: Sequence[str]) -> Sequence[str] | None:
        """A row with as many fields as there are columns; commas at the end of lines make no field."""
        more = len(row) - len(self.table.names)
        if more > 0:
            return row[:-more] if not any(cell.strip() for cell in row[-more:]) else None
        return [*row, *[""] * -more] if not any(self.table.names[len(row) :]) else None

    def _take(self, portion: list[Sequence[str]]) -> None:
        """Put the values of rows into their groups: at once, or where one of them needs a look, one by one."""
        whole = list(filter(None, portion))
        try:
            columns = list(zip(*whole, strict=True))
            if len(columns) != len(self.table.names):
                raise ValueError("other columns")
            numbers = [plain_numbers(columns[at]) for at in self.values]
        except ValueError:
            began = self.table.place + self.count - len(portion) + 1
            whole = [
                row for place, line in enumerate(portion, began) if (row := self._checked(place, line)) is not None
            ]
            columns = list(zip(*whole, strict=True))
            units = zip(self.values, self.guess.units, strict=True)
            numbers = [[self.cells.number(text, unit) or 0.0 for text in columns[at]] for at, unit in units if whole]
        if whole:
            self.taken += len(whole)
            self._put(self._keys(columns, len(whole)), columns, numbers, whole)

    def _checked(self, place: int, row: Sequence[str]) -> Sequence[str] | None:
        """A row whose values are all numbers, or nothing; what is left out is noted."""
        fields = self._fitted(row)
        if row == self.table.names or not any(cell.strip() for cell in row):
            return None
        if fields is None:
            self._leave_out(place, f"{len(row)} fields below {len(self.table.names)} names")
            return None
        for at, unit in zip(self.values, self.guess.units, strict=True):
            if self.cells.number(fields[at], unit) is None:
                text = printable(fields[at].strip(), 40)
                self._leave_out(place, f"{text!r} is no number in {self.table.names[at]}")
                return None
        return fields

    def _leave_out(self, place: int, text: str) -> None:
        self.left_out.append(Trouble(TroubleKind.UNREAD, place, f"left out: {text}"))

    def _keys(self, columns: list[tuple[str, ...]], count: int) -> list[Key]:
        if not self.by:
            return [()] * count
        keys = list(zip(*(columns[at] for at in self.by), strict=True))
        bare = {key: tuple(level.strip() for level in key) for key in {*keys}}
        return keys if all(key == stripped for key, stripped in bare.items()) else [bare[key] for key in keys]

    def _put(
        self,
        keys: list[Key],
        columns: list[tuple[str, ...]],
        numbers: list[list[float]],
        whole: Sequence[Sequence[str]],
    ) -> None:
        for at, (_, scale), values in zip(self.values, self.guess.units, numbers, strict=True):
            of = keys if len(self.values) == 1 else [(*key, self.table.names[at]) for key in keys]
            append = {key: self._group(key).values.append for key in dict.fromkeys(of)}
            for key, value in zip(of, values, strict=True):
                append[key](value * scale)
            if self.replicate is not None:
                for key, name in {*zip(of, columns[self.replicate], strict=True)}:
                    self.groups[key].replicates.add(name)
                    if len(self.groups[key].replicates) > _MOST_REPLICATES:
                        hint = "a replicate is a process, a host or an instance"
                        raise BadInput(f"more than {_MOST_REPLICATES} replicates", hint)
            if self.guess.failures or self.guess.statistic or self.guess.count is not None:
                for key, row in zip(of, whole, strict=True):
                    self._beside(self.groups[key], row)

    def _group(self, key: Key) -> _Group:
        if key not in self.groups and len(self.groups) >= MOST_FIGURES:
            names = ", ".join(map(printable, self.factors))
            raise BadInput(f"{names}: more than {MOST_FIGURES} different levels", "--by names columns of levels")
        return self.groups.setdefault(key, _Group())

    def _beside(self, group: _Group, row: Sequence[str]) -> None:
        group.row = row
        if self.guess.failures is not None:
            at, failed = self.guess.failures
            group.failed += failed(row[at], self.cells.number(row[at]) or 0.0)

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
        arm = said.value.index(key[-1]) if len(said.value) > 1 else 0
        metric = said.value[0] if len(said.value) == 1 else "value"
        id = f"{metric}: {label}" if label else metric
        claims = self._claims(id, group)
        count = self.cells.number(group.row[self.guess.count]) if self.guess.count is not None and claims else None
        work = Work(
            operation=key[0] if key else None,
            failures=group.failed if self.guess.failures is not None else None,
            replicates=len(group.replicates) if said.replicate else None,
            replicate=said.replicate or None,
        )
        return Series(
            id=id,
            table=metric,
            levels=dict(zip(self.factors, key, strict=True)),
            metric=metric,
            quantity=self.guess.units[arm][0],
            claims=claims,
            values=() if claims else group.values,
            count=int(count) if count else None,
            work=work,
            run=label,
        )

    def _claims(self, id: str, group: _Group) -> tuple[Claim, ...]:
        """Of a row that stands by itself with a mean or median: that, and the summaries beside it."""
        statistic, unit, at = self.guess.statistic, self.guess.units[0], self.values[0]
        if statistic is None or len(group.values) != 1 or not group.row:
            return ()
        claims = []
        for name, place in {statistic: at, **self.guess.beside}.items():
            if (number := self.cells.number(group.row[place], unit)) is not None:
                step = self.cells.step(group.row[place]) * unit[1]
                claims.append(Claim(f"{id} {name}", name, number * unit[1], step))
        if (error := self.cells.error(group.row[at], unit)) is not None:
            claims.append(Claim(f"{id} error", "error", error * unit[1]))
        return tuple(claims)
