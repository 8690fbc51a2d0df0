"""Read a CSV, TSV or pasted table in portions, to limit memory."""

from __future__ import annotations

import csv
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from sectax.audit.form import Claim, Evidence, Series, TrialWork, Trouble, TroubleKind
from sectax.audit.reading.asked import Columns
from sectax.audit.reading.build import MOST_FIGURES, evidence
from sectax.audit.reading.registry import body_direction
from sectax.audit.reading.units import Unit, base_unit
from sectax.audit.tables.cells import Cells
from sectax.audit.tables.columns import column_unit, roles
from sectax.audit.tables.layout import Layout, find_table
from sectax.formats.bad_input import BadInput
from sectax.text.printable import printable

MOST_ROWS, MOST_COLUMNS = 20_000_000, 2000
# Rows used to detect columns, and rows per portion: few enough not to trigger garbage collection.
_SAMPLE, _PORTION = 2000, 512

Key = tuple[str, ...]
Row = Sequence[str]


def looks_like_a_table(head: str) -> bool:
    """Whether a line of names precedes a line with as many fields and a number."""
    try:
        layout = find_table(head.splitlines())
    except BadInput:
        return False
    # One column, or fields separated by blanks, may be any text, unless there is a unit.
    surely = len(layout.names) > 1 and layout.separator != " "
    return layout.fits and (surely or any(column_unit(name) or base_unit(name) for name in layout.names))


def read_table(lines: Iterable[str], columns: Columns) -> Evidence:
    """Read a table as evidence; raises `BadInput`."""
    layout = find_table(lines, columns.named())
    if len(layout.names) > MOST_COLUMNS:
        raise BadInput(f"{len(layout.names)} columns: at most {MOST_COLUMNS} are read", "audit some of them")
    return _Reader(layout, columns).evidence()


class _Reader:
    def __init__(self, layout: Layout, columns: Columns) -> None:
        self.layout, self.rows = layout, layout.rows()
        self.count = 0
        self.left_out: list[Trouble] = []
        first = self._portion(_SAMPLE)
        sample = [row for row in map(self._fitted, first) if any(row)]
        if not sample:
            raise BadInput("the table has no rows", f"{len(layout.names)} columns, and nothing below their names")
        self.cells = Cells(layout.separator, (cell.strip() for row in sample for cell in row))
        self.roles = roles(layout.names, sample, self.cells, columns)
        # Values by column and levels; for each combination of levels a row, failures and operations.
        self.values: list[tuple[int, Unit, dict[Key, array[float]]]] = [
            (at, unit, defaultdict(lambda: array("d"))) for at, unit in self.roles.values.items()
        ]
        self.row: dict[Key, Row] = {}
        self.failed: dict[Key, float] = defaultdict(float)
        self.operations: dict[Key, float] = defaultdict(float)
        while first:
            self._take(first)
            first = self._portion(_PORTION)

    def _portion(self, size: int) -> list[Row]:
        portion: list[Row] = []
        try:
            portion.extend(islice(self.rows, size))
        except csv.Error as error:
            self._leave_out(self.count + len(portion), f"the rest is not valid CSV: {error}")
            self.rows = iter(())
        self.count += len(portion)
        if self.count > MOST_ROWS:
            raise BadInput(f"more than {MOST_ROWS} rows", "audit a part of it")
        return portion

    def _fitted(self, row: Row) -> Row:
        """Pad a row to all columns; return empty fields if it has too many or too few."""
        names = self.layout.names
        fits = not any(names[len(row) :]) and not any(cell.strip() for cell in row[len(names) :])
        return [*(row if fits else ()), *[""] * len(names)][: len(names)]

    def _take(self, portion: list[Row]) -> None:
        """Add the values of rows to their levels; rows without a value are left out."""
        fits = {*map(len, portion)} == {len(self.layout.names)}
        every = portion if fits else [*map(self._fitted, portion)]
        columns = [*zip(*every, strict=True)]
        levels = [[*map(str.strip, columns[at])] for at in self.roles.by]
        keys: list[Key] = [*zip(*levels, strict=True)] if levels else [()] * len(every)
        missing: set[int] = set()
        for at, unit, values in self.values:
            for place, (key, number) in enumerate(zip(keys, self.cells.numbers(columns[at], unit), strict=True)):
                if number is None:
                    missing.add(place)
                else:
                    values[key].append(number)
        for place, row in ((place, portion[place]) for place in sorted(missing)):
            if any(map(str.strip, row)) and row != self.layout.names:
                self._leave_out(self.count - len(portion) + place, f"left out: {printable(', '.join(row), 60)}")
        self.row |= zip(keys, every, strict=True)
        if len(self.row) * len(self.values) > MOST_FIGURES:
            raise BadInput(f"more than {MOST_FIGURES} different levels", "--by names columns of levels")
        if self.roles.failing is not None:
            at, failed, attempts = self.roles.failing
            for key, row in zip(keys, every, strict=True):
                self.failed[key] += max(0.0, failed(row[at], self._number(row[at])))
                self.operations[key] += attempts or self._number(
                    row[self.roles.count] if self.roles.count is not None else ""
                )

    def _leave_out(self, place: int, text: str) -> None:
        self.left_out.append(Trouble(TroubleKind.UNREAD, self.layout.place + place + 1, text))

    def _number(self, cell: str) -> float:
        number = self.cells.number(cell)
        return number.value if number is not None else 0.0

    def evidence(self) -> Evidence:
        """Return the evidence; raise `BadInput` where no row has a value."""
        first = next((f"; line {trouble.line}: {trouble.text}" for trouble in self.left_out), "")
        if not any(values for _, _, values in self.values):
            raise BadInput(f"no row has a value{first}", "name the column of numbers with --value")
        if 2 * len(self.left_out) > self.count:
            raise BadInput(f"{len(self.left_out)} of {self.count} rows are not usable{first}")
        if tables := len(self.layout.others):
            text = f"only the first table is read; {tables} more below it (audit each separately)"
            self.left_out.append(Trouble(TroubleKind.UNREAD, 0, text))
        series = [
            self._series(key, at, unit, values[key])
            for key in self.row
            for at, unit, values in self.values
            if key in values
        ]
        size = self.layout.names[self.roles.size[0]] if self.roles.size else None
        compares = next((name for name in series[0].levels if name != size), "")
        return replace(evidence("this table", series, self.left_out, [], compares), columns=self.roles.read)

    def _series(self, key: Key, at: int, unit: Unit, values: array[float]) -> Series:
        names, row, roles = self.layout.names, self.row[key], self.roles
        levels = {names[place]: level for place, level in zip(roles.by, key, strict=True)}
        levels |= {"column": names[at]} if len(self.values) > 1 else {}
        label = ", ".join(levels.values())
        # With several columns, none of their names describes all values.
        by_row = label != "" and len(roles.summaries) > 1
        metric = "value" if len(self.values) > 1 or by_row else names[at]
        id = label if by_row else ": ".join(filter(None, (metric, label)))
        claims = self._claims(id, row, at, unit) if len(values) == 1 else ()
        texts = (*levels.values(), *map(str.strip, row), metric)
        operation = next(filter(body_direction, texts), next(iter(key), None))
        size = self.cells.number(row[roles.size[0]], roles.size[1]) if roles.size else None
        return Series(
            id=id,
            table=metric,
            levels=levels,
            metric=metric,
            quantity=unit[0],
            claims=claims,
            values=() if claims else values,
            count=int(self._number(row[roles.count])) or None if claims and roles.count is not None else None,
            work=TrialWork(
                operation=operation,
                moves=body_direction(operation or ""),
                size_bytes=size.value if size is not None else None,
                operations=self.operations.get(key) or None,
                failures=self.failed.get(key),
            ),
            run=label,
        )

    def _claims(self, id: str, row: Row, at: int, unit: Unit) -> tuple[Claim, ...]:
        """Return the claims of a single row with a mean or median."""
        numbers = {name: self.cells.number(row[place], unit) for name, place in self.roles.summaries.items()}
        numbers |= {"error": self.cells.error(row[at], unit)} if numbers else {}
        # Many programs omit trailing zeros, so the finest step of a row applies to all its numbers.
        step = min((number.step for number in numbers.values() if number), default=0.0)
        return tuple(Claim(f"{id} {name}", name, number.value, step) for name, number in numbers.items() if number)
