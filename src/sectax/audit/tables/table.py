"""Read a CSV, TSV or pasted table in portions, to limit memory."""

from __future__ import annotations

import csv
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from sectax.audit.form import Claim, Evidence, Series, TrialWork, Trouble, TroubleKind
from sectax.audit.reading.asked import Columns
from sectax.audit.reading.build import MOST_FIGURES, evidence
from sectax.audit.reading.printed import Number
from sectax.audit.reading.registry import body_direction
from sectax.audit.reading.units import Unit, base_unit
from sectax.audit.tables.cells import MISSING, Cells, parse_cell
from sectax.audit.tables.columns import Measured, NoNumbers, column_unit, roles
from sectax.audit.tables.layout import MOST_COLUMNS, Layout, find_tables
from sectax.audit.tables.turned import is_unit_row, turned
from sectax.formats.bad_input import BadInput
from sectax.text.printable import printable

MOST_ROWS = 20_000_000
# Rows used to detect columns, and rows per portion: few enough not to trigger garbage collection.
_SAMPLE, _PORTION = 2000, 512
# Rows and cells that were not read, by their text; more are counted only.
_MOST_SHOWN = 3

Key = tuple[str, ...]
Row = Sequence[str]


def looks_like_a_table(head: str) -> bool:
    """Whether a line of names precedes a line with as many fields and a number."""
    try:
        # One column, or fields separated by blanks, may be any text, unless there is a unit.
        return any(
            layout.certain or (layout.fits and any(column_unit(name) or base_unit(name) for name in layout.names))
            for layout in find_tables(head.splitlines())
        )
    except BadInput:
        return False


def read_table(lines: Iterable[str], columns: Columns) -> Evidence:
    """Read every table of a text as evidence; raises `BadInput` if none can be read."""
    readers: list[_Reader] = []
    refused: list[tuple[int, BadInput]] = []
    for layout in find_tables(lines, columns.named()):
        try:
            if len(layout.names) > MOST_COLUMNS:
                raise BadInput(f"{len(layout.names)} columns: at most {MOST_COLUMNS} are read", "audit some of them")
            readers.append(_Reader(layout, columns))
        except BadInput as error:
            refused.append((layout.place, error))
    if not readers:
        raise refused[0][1]
    unread = [(place, f"a table was not read: {error}") for place, error in refused if not isinstance(error, NoNumbers)]
    return _together(readers, [Trouble(TroubleKind.UNREAD, place, text) for place, text in unread])


def _together(readers: list[_Reader], troubles: list[Trouble]) -> Evidence:
    """Join the series of all tables, each with the heading of its table as a level."""
    different: dict[object, _Reader] = {}
    for reader in readers:
        every = reader.series if len(readers) > 1 else ()
        content = tuple((one.id, tuple(claim.value for claim in one.claims), tuple(one.values)) for one in every)
        if (first := different.setdefault(content, reader)) is not reader:
            text = f"a table is the same as that of line {first.layout.place}, and was read once"
            troubles.append(Trouble(TroubleKind.UNREAD, reader.layout.place, text))
    titles = Counter(reader.layout.title for reader in different.values())
    series: list[Series] = []
    read: dict[str, list[str]] = {}
    for number, reader in enumerate(different.values(), 1):
        title = printable(reader.layout.title, 60)
        title = title if title and titles[reader.layout.title] == 1 else f"{title or 'table'} {number}"
        troubles += reader.troubles()
        read.setdefault(reader.read(), []).append(title)
        series += reader.series if len(different) == 1 else [_in_table(one, title) for one in reader.series]
    size = next((reader.names[reader.roles.size[0]] for reader in readers if reader.roles.size), None)
    compares = next((name for name in series[0].levels if name != size), "")
    shown = [words if len(read) == 1 else f"{', '.join(titles)}: {words}" for words, titles in read.items()]
    counted = f"{len(different)} tables: " if len(different) > 1 else ""
    whole = evidence("this table", series, troubles, [], compares)
    return replace(whole, columns=counted + "; ".join(shown))


def _in_table(series: Series, title: str) -> Series:
    claims = tuple(replace(claim, id=f"{title}: {claim.id}") for claim in series.claims)
    run = f"{title}: {series.run}"
    levels = {**series.levels, "table": title}
    return replace(series, id=f"{title}: {series.id}", levels=levels, claims=claims, run=run)


class _Reader:
    def __init__(self, layout: Layout, columns: Columns) -> None:
        self.layout, self.rows = layout, layout.rows()
        self.names = layout.names
        self.count = self.missing = self.not_read = 0
        self.unread: list[tuple[int, str]] = []
        self.cells_unread: Counter[str] = Counter()
        self.rest = ""
        first = self._portion(_SAMPLE)
        sample = [row for row in map(self._fitted, first) if any(row)]
        if not sample:
            raise BadInput("the table has no rows", f"{len(layout.names)} columns, and nothing below their names")
        if len(sample) > 1 and is_unit_row(sample[0]):
            self.names = [
                f"{name} ({cell.strip()})" if cell.strip() else name
                for name, cell in zip(self.names, sample[0], strict=True)
            ]
            sample, first = sample[1:], first[1:]
        self.cells = Cells(layout.separator, [cell.strip() for row in sample for cell in row])
        whole = len(sample) < _SAMPLE
        if whole and not columns.named() and (other := turned(self.names, sample, self.cells)) is not None:
            self.names, first, unread = other
            self._leave_out((sample.index(row), row) for row in unread)
            sample = first
        elif not self.names[0]:
            # Nothing above the names of rows.
            self.names = ["row" if any(row[0] for row in sample) else "", *self.names[1:]]
        self.roles = roles(self.names, sample, self.cells, columns, layout.unit)
        # Values by column and levels; for each combination of levels a row, failures and operations.
        self.values: list[tuple[Measured, int, Unit, dict[Key, array[float]]]] = []
        for measured in self.roles.measured:
            of_all: dict[Key, array[float]] = defaultdict(lambda: array("d"))
            for at, unit in measured.values.items():
                own: dict[Key, array[float]] = defaultdict(lambda: array("d"))
                self.values.append((measured, at, unit, of_all if measured.repeats else own))
        self.row: dict[Key, Row] = {}
        self.failed: dict[Key, float] = defaultdict(float)
        self.operations: dict[Key, float] = defaultdict(float)
        while first:
            self._take(first)
            first = self._portion(_PORTION)
        self._check()
        self.series = [*self._every()]

    def _portion(self, size: int) -> list[Row]:
        portion: list[Row] = []
        try:
            portion.extend(islice(self.rows, size))
        except csv.Error as error:
            self.rest = f"the rest is not valid CSV: {error}"
            self.rows = iter(())
        self.count += len(portion)
        if self.count > MOST_ROWS:
            raise BadInput(f"more than {MOST_ROWS} rows", "audit a part of it")
        return portion

    def _fitted(self, row: Row) -> Row:
        """Pad a row to all columns; return empty fields if it has too many or too few."""
        names = self.names
        fits = not any(names[len(row) :]) and not any(cell.strip() for cell in row[len(names) :])
        return [*(row if fits else ()), *[""] * len(names)][: len(names)]

    def _take(self, portion: list[Row]) -> None:
        """Add the values of rows to their levels; rows without a value are left out."""
        fits = {*map(len, portion)} == {len(self.names)}
        every = portion if fits else [*map(self._fitted, portion)]
        columns = [*zip(*every, strict=True)]
        levels = [[*map(str.strip, columns[at])] for at in self.roles.by]
        keys: list[Key] = [*zip(*levels, strict=True)] if levels else [()] * len(every)
        without: dict[int, list[str]] = defaultdict(list)
        for _, at, unit, values in self.values:
            numbers = self.cells.numbers(columns[at], unit)
            for key, number in zip(keys, numbers, strict=True):
                if number is not None:
                    values[key].append(number)
            for place in [place for place, number in enumerate(numbers) if number is None] if None in numbers else ():
                without[place].append(columns[at][place].strip())
        for place, cells in sorted(without.items()):
            row = portion[place]
            if len(cells) < len(self.values):
                self._note(cells)
            elif any(map(str.strip, row)) and row != self.layout.names:
                self._leave_out([(self.count - len(portion) + place, row)])
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

    def _leave_out(self, rows: Iterable[tuple[int, Row]]) -> None:
        for place, row in rows:
            self.not_read += 1
            if len(self.unread) < _MOST_SHOWN:
                self.unread.append((place, printable(", ".join(row), 60)))

    def _note(self, cells: Iterable[str]) -> None:
        """Count cells that are not numbers, of a row with others."""
        for cell in cells:
            if MISSING.fullmatch(cell):
                self.missing += 1
            else:
                is_bound = (found := parse_cell(cell)) is not None and found.bound
                self.cells_unread[printable(cell, 30) + (" (a bound)" if is_bound else "")] += 1

    def _number(self, cell: str) -> float:
        number = self.cells.number(cell)
        return number.value if number is not None else 0.0

    def _check(self) -> None:
        """Raise `BadInput` where too few rows have a value."""
        first = next((f"; line {self._line(place)}: {text}" for place, text in self.unread), "")
        if not any(values for *_, values in self.values):
            raise BadInput(f"no row has a value{first}", "name the column of numbers with --value")
        if 2 * self.not_read > self.count:
            raise BadInput(f"{self.not_read} of {self.count} rows are not usable{first}")

    def _line(self, place: int) -> int:
        return self.layout.place + (self.layout.numbers[place] if self.layout.numbers else place + 1)

    def read(self) -> str:
        """How the columns were read, in words."""
        return self.roles.read + (f"; cells without a value: {self.missing}" if self.missing else "")

    def troubles(self) -> list[Trouble]:
        """The rows and cells that were not read."""
        found = [(self._line(self.count), self.rest)] if self.rest else []
        if self.not_read:
            shown = "; ".join(text for _, text in self.unread) + (" …" if self.not_read > len(self.unread) else "")
            text = f"{self.not_read} of {self.count} rows were not read: {shown}"
            found.append((self._line(self.unread[0][0]), text))
        if count := sum(self.cells_unread.values()):
            shown = ", ".join([*self.cells_unread][:_MOST_SHOWN])
            found.append((self.layout.place, f"cells that are not numbers ({count}): {shown}"))
        return [Trouble(TroubleKind.UNREAD, line, text) for line, text in found]

    def _every(self) -> Iterator[Series]:
        for key in self.row:
            for measured, at, unit, values in self.values:
                if key in values and (at == next(iter(measured.values)) or not measured.repeats):
                    yield self._series(key, measured, at, unit, values[key])

    def _series(self, key: Key, measured: Measured, at: int, unit: Unit, values: array[float]) -> Series:
        names, row, roles = self.names, self.row[key], self.roles
        levels = {names[place]: level for place, level in zip(roles.by, key, strict=True)}
        levels |= {"column": names[at]} if len(measured.values) > 1 and not measured.repeats else {}
        label = ", ".join(levels.values())
        # With several columns, none of their names describes all values.
        several = len(roles.measured) > 1
        by_row = label != "" and len(measured.summaries) > 1 and None not in measured.summaries
        unnamed = str(unit[0]) if several else "value"
        metric = unnamed if len(measured.values) > 1 or by_row else names[at]
        id = label if by_row and not several else ": ".join(filter(None, (metric, label)))
        claims = self._claims(id, row, measured, at, unit) if len(values) == 1 else ()
        texts = (*levels.values(), *map(str.strip, row), metric)
        operation = next(filter(body_direction, texts), next(iter(key), None))
        size = self.cells.number(row[roles.size[0]], roles.size[1]) if roles.size else None
        count = int(self._number(row[roles.count])) or None if claims and roles.count is not None else None
        return Series(
            id=id,
            table=metric,
            levels=levels,
            metric=metric,
            quantity=unit[0],
            claims=claims,
            values=() if claims else values,
            count=count,
            work=TrialWork(
                operation=operation,
                moves=body_direction(operation or ""),
                size_bytes=size.value if size is not None else None,
                operations=self.operations.get(key) or None,
                failures=self.failed.get(key),
            ),
            run=label,
        )

    def _claims(self, id: str, row: Row, measured: Measured, at: int, unit: Unit) -> tuple[Claim, ...]:
        """Return the claims of a single row with a statistic, or with an error behind ±."""
        numbers: dict[str | None, Number | None] = {
            name: self.cells.number(row[place], own) for name, (place, own) in measured.summaries.items()
        }
        if error := self.cells.error(row[at], unit):
            numbers = (numbers or {"mean": self.cells.number(row[at], unit)}) | {"error": error}
        # Many programs omit trailing zeros, so the finest step of a row applies to all its numbers.
        step = min((number.step for number in numbers.values() if number), default=0.0)
        return tuple(
            Claim(f"{id} {name}" if name else id, name, number.value, step)
            for name, number in numbers.items()
            if number
        )
