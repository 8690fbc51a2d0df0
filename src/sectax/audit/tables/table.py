"""Reads a CSV, TSV or pasted table in portions, so that ten million rows fit into memory."""

from __future__ import annotations

import csv
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from sectax.audit.form import Claim, Contrast, Evidence, Moves, Quantity, Series, Trouble, TroubleKind, Work
from sectax.audit.reading.build import MOST_FIGURES, evidence
from sectax.audit.reading.names import size_in
from sectax.audit.tables.cells import Cells
from sectax.audit.tables.columns import HEADER, Columns
from sectax.audit.tables.guess import Guess, failures_in, guess, outcome_of
from sectax.audit.tables.head import SAMPLE, Table, opened, rows
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import LARGEST
from sectax.text.printable import printable

MOST_ROWS = 20_000_000
_PORTION = 4096
_MOST_REPLICATES = 100_000

Key = tuple[str, ...]


@dataclass
class _Group:
    """The rows of one combination of levels."""

    values: array[float] = field(default_factory=lambda: array("d"))
    replicates: dict[str, int] = field(default_factory=dict)
    size: float | None = None
    events: float = 0.0
    failed: float = 0.0
    row: Sequence[str] = ()


def looks_like_a_table(head: str) -> bool:
    """Whether a line of names is above lines with as many fields, one of them a number."""
    if head.startswith(HEADER) or f"\n{HEADER}" in head:
        return True
    try:
        table = opened(head.splitlines(), Columns())
        first = next((row for row in rows(table) if row), None)
    except (BadInput, csv.Error):
        return False
    if first is None or not len(first) == len(table.names) > 1 or table.separator == " ":
        return False
    cells = Cells(table.separator)
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
        self.numbers: dict[int, list[float]] = {}
        first = self._portion(SAMPLE)
        sample = [row for row in map(self._fitted, first) if row is not None][:SAMPLE]
        if not sample:
            raise BadInput("the table has no rows", f"{len(table.names)} columns, and nothing below their names")
        self.cells = Cells(table.separator, (cell for row in sample for cell in row))
        self.guess: Guess = guess(table, sample, self.cells)
        said = self.guess.columns
        self.values = [table.column(name) for name in said.value]
        self.by = [table.column(name) for name in said.by]
        if said.size and said.size not in said.by:
            self.by.append(table.column(said.size))
        self.optional = {
            name: table.column(getattr(said, name)) for name in ("replicate", "size", "events") if getattr(said, name)
        }
        self.outcome = outcome_of(table.names[self.guess.failures]) if self.guess.failures is not None else None
        self._take(first)
        while portion := self._portion(_PORTION):
            self._take(portion)

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
        missing = len(self.table.names) - len(row)
        if missing == 0:
            return row
        if missing < 0:
            return row[:missing] if not any(cell.strip() for cell in row[missing:]) else None
        return [*row, *[""] * missing] if not any(self.table.names[len(row) :]) else None

    def _take(self, portion: list[Sequence[str]]) -> None:
        began = self.table.place + self.count - len(portion)
        fitted = list(filter(None, portion))
        columns = self._columns(fitted)
        if columns is None:
            checked = (self._checked(place, row) for place, row in enumerate(portion, began + 1))
            fitted = [row for row in checked if row is not None]
            columns = list(zip(*fitted, strict=True))
        if not fitted:
            return
        self.taken += len(fitted)
        keys = self._keys(columns, len(fitted))
        for arm, at in enumerate(self.values):
            numbers = self._numbers(at, columns[at], self.guess.units[arm])
            self._append(
                keys if len(self.values) == 1 else [(*key, self.table.names[at]) for key in keys], numbers, fitted
            )

    def _columns(self, fitted: list[Sequence[str]]) -> list[tuple[str, ...]] | None:
        """The rows as columns, with their `numbers`; None where one of them needs a look."""
        self.numbers = {}
        try:
            columns = list(zip(*fitted, strict=True))
        except ValueError:
            return None
        if len(columns) != len(self.table.names):
            return None
        found: dict[int, list[float]] = {}
        for at in self.values:
            try:
                numbers = [*map(float, columns[at])]
            except ValueError:
                return None
            together = "".join(columns[at])
            # float() also reads 1_000, nan, and digits of other scripts.
            if not (
                max(map(abs, numbers)) <= LARGEST and together.isascii() and "_" not in together and "n" not in together
            ):
                return None
            found[at] = numbers
        self.numbers = found
        return columns

    def _numbers(self, at: int, texts: Sequence[str], unit: tuple[Quantity, float]) -> list[float]:
        numbers = self.numbers.get(at)
        if numbers is None:
            numbers = [self.cells.number(text, unit) or 0.0 for text in texts]
        return numbers if unit[1] == 1 else [number * unit[1] for number in numbers]

    def _checked(self, place: int, row: Sequence[str]) -> Sequence[str] | None:
        """A row whose values are all numbers, or nothing; what is left out is noted."""
        fields = self._fitted(row)
        if not row or row == self.table.names or not any(cell.strip() for cell in row):
            return None
        if fields is None:
            self._leave_out(place, f"{len(row)} fields below {len(self.table.names)} names")
            return None
        for arm, at in enumerate(self.values):
            if self.cells.number(fields[at], self.guess.units[arm]) is None:
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
        stripped = {key: tuple(level.strip() for level in key) for key in dict.fromkeys(keys)}
        return keys if all(key == bare for key, bare in stripped.items()) else [stripped[key] for key in keys]

    def _append(self, keys: list[Key], numbers: list[float], fitted: Sequence[Sequence[str]]) -> None:
        for key in dict.fromkeys(keys):
            if key not in self.groups:
                if len(self.groups) >= MOST_FIGURES:
                    names = ", ".join(printable(self.table.names[at]) for at in self.by)
                    raise BadInput(
                        f"{names}: more than {MOST_FIGURES} different levels", "--by names columns of levels"
                    )
                self.groups[key] = _Group()
        append = {key: self.groups[key].values.append for key in dict.fromkeys(keys)}
        for key, number in zip(keys, numbers, strict=True):
            append[key](number)
        if (at := self.optional.get("replicate")) is not None:
            for (key, name), count in Counter(zip(keys, (row[at] for row in fitted), strict=True)).items():
                of = self.groups[key].replicates
                of[name] = of.get(name, 0) + count
                if len(of) > _MOST_REPLICATES:
                    hint = "a replicate is a process, a host or an instance"
                    raise BadInput(f"more than {_MOST_REPLICATES} replicates", hint)
        others = self.optional.keys() - {"replicate"}
        if others or self.outcome or self.guess.statistic or self.guess.count is not None:
            for key, row in zip(keys, fitted, strict=True):
                self._beside(self.groups[key], row)

    def _beside(self, group: _Group, row: Sequence[str]) -> None:
        group.row = row
        if (at := self.optional.get("size")) is not None and group.size is None:
            group.size = size_in(row[at]) or self.cells.number(row[at])
        if (at := self.optional.get("events")) is not None:
            group.events += self.cells.number(row[at]) or 0.0
        if self.outcome is not None and self.guess.failures is not None:
            text = row[self.guess.failures]
            group.failed += failures_in(self.outcome, text, self.cells.number(text))

    def evidence(self) -> Evidence:
        """What was read. Raises `BadInput` where no row has a value."""
        if not self.groups:
            first = next(iter(self.left_out), None)
            raise BadInput(
                "no row has a value" + (f"; line {first.line}: {first.text}" if first else ""),
                "name the column of numbers with --value",
            )
        if len(self.left_out) > self.taken:
            first = self.left_out[0]
            raise BadInput(f"{len(self.left_out)} of {self.count} rows are not usable; line {first.line}: {first.text}")
        self.left_out += [Trouble(TroubleKind.UNREAD, 0, f"another table: {names}") for names in self.table.others]
        series = [self._series(key, group) for key, group in self.groups.items()]
        factors = self._factors()
        found = evidence("this table", series, self.left_out)
        if not factors or len({one.levels.get(factors[0]) for one in series}) < 2:
            return found
        entails = ("size_bytes",) if self.guess.columns.size else ()
        contrast = Contrast(factors[0], None, reported=False, entails=entails)
        return replace(found, contrast=contrast)

    def _factors(self) -> list[str]:
        arms = ["column"] if len(self.values) > 1 else []
        return (
            [*(self.table.names[at] for at in self.by), *arms]
            if self.table.said.by
            else [*arms, *(self.table.names[at] for at in self.by)]
        )

    def _series(self, key: Key, group: _Group) -> Series:
        names = [self.table.names[at] for at in self.by] + (["column"] if len(self.values) > 1 else [])
        levels = dict(zip(names, key, strict=True))
        arm = [self.table.names[at] for at in self.values].index(key[-1]) if len(self.values) > 1 else 0
        quantity, scale = self.guess.units[arm]
        metric = self.guess.columns.value[0] if len(self.values) == 1 else "value"
        label = ", ".join(key)
        id = f"{metric}: {label}" if label else metric
        events = group.events / len(group.values) if "events" in self.optional else None
        if events is not None and quantity is Quantity.TIME:
            quantity = Quantity.TOTAL_TIME
        claims = self._claims(id, group, scale)
        count = self.cells.number(group.row[self.guess.count]) if self.guess.count is not None and claims else None
        work = Work(
            operation=key[0] if key else None,
            moves=Moves.BODY if group.size is not None else None,
            size_bytes=group.size,
            operations=events,
            failures=group.failed if self.outcome is not None else None,
            replicates=len(group.replicates) if "replicate" in self.optional else None,
            replicate=self.guess.columns.replicate or None,
        )
        return Series(
            id=id,
            table=metric,
            levels=levels,
            metric=metric,
            quantity=quantity,
            claims=claims,
            values=() if claims else group.values,
            count=int(count) if count else None,
            work=work,
            run=label,
        )

    def _claims(self, id: str, group: _Group, scale: float) -> tuple[Claim, ...]:
        """Of a row that stands by itself with a mean or median: that, and the summaries beside it."""
        guess = self.guess
        if guess.statistic is None or len(group.values) != 1 or not group.row:
            return ()
        at, unit = self.values[0], self.guess.units[0]
        claims = [
            Claim(f"{id} {guess.statistic}", guess.statistic, group.values[0], self.cells.step(group.row[at]) * scale)
        ]
        for statistic, place in (guess.beside or {}).items():
            number = self.cells.number(group.row[place], unit)
            if number is not None:
                claims.append(
                    Claim(f"{id} {statistic}", statistic, number * scale, self.cells.step(group.row[place]) * scale)
                )
        if (error := self.cells.error(group.row[at], unit)) is not None:
            claims.append(Claim(f"{id} error", "error", error * scale))
        return tuple(claims)
