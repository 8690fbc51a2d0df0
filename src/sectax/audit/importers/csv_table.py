"""A plain CSV whose columns the user names; read in portions, so that ten million rows fit into memory."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import TypeVar

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, Contrast, Moves, Quantity
from sectax.audit.importers.columns import HEADER, Columns, in_comment
from sectax.audit.importers.parts import MOST_FIGURES, Importer, Measurement, evidence, with_baseline, with_contained
from sectax.audit.importers.sizes import size_in
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import LARGEST, number
from sectax.model.near import did_you_mean
from sectax.model.printable import printable

MOST_ROWS = 20_000_000
_PORTION = 4096  # rows; more no longer fit into the caches, and are slower
_SEPARATORS = ",;\t|"
# The beginning of what a number looks like; `number` decides.
_NUMERIC = re.compile(r"[+-]?\.?[0-9]")
_MOST_REPLICATES = 100_000

T = TypeVar("T")


@dataclass
class _Group:
    """The rows of one combination of levels."""

    values: array[float] = field(default_factory=lambda: array("d"))
    replicates: set[str] = field(default_factory=set)
    size: float | None = None
    events: float = 0.0


def importer(said: Columns) -> Importer:
    """The importer for a file of which the command line says this."""
    return Importer(
        name="csv",
        title="CSV",
        read=partial(_read, said=said),
        known=partial(_recognises, said=said),
        streams=True,
    )


def _recognises(head: str, *, said: Columns) -> bool:
    """Whether it says so, or a line of names stands over lines with as many fields, one of them a number."""
    if said.value or head.startswith(HEADER) or f"\n{HEADER}" in head:
        return True
    rows = [line for line in head.splitlines() if line.strip() and not line.startswith("#")][:2]
    if len(rows) < 2:
        return False
    separator = _separator(rows[0])
    names, values = rows[0].split(separator), rows[1].split(separator)
    return len(names) == len(values) > 1 and any(_NUMERIC.match(each.strip(' "')) for each in values)


def _read(lines: Iterable[str], *, said: Columns) -> Evidence:
    at, first, columns, rest = _opening(iter(lines), said)
    separator = _separator(first)
    # csv keeps the line breaks within quotes only where lines have their ends.
    ended = (f"{line}\n" for line in chain([first], rest))
    reader = csv.reader(ended, delimiter=separator, strict=True)
    names = [name.strip() for name in _next_row(reader, at)]
    _refuse_doubles(names, at)
    if not columns.value:
        raise BadInput(
            "nothing says which column holds the values",
            f"--value COLUMN --unit UNIT, or a first line '{HEADER} value=COLUMN unit=UNIT'; "
            f"the columns are {_listed(names)}",
        )
    _refuse_numbers(names, columns, at)
    quantity, scale = columns.checked_unit()
    table = _Table(
        names,
        _place(names, columns.value),
        tuple(_place(names, name) for name in columns.by),
        _place(names, columns.replicate) if columns.replicate else None,
        scale,
        _place(names, columns.size) if columns.size else None,
        _place(names, columns.events) if columns.events else None,
    )
    if columns.events and quantity is Quantity.TIME:
        quantity = Quantity.TOTAL_TIME
    # What csv counts begins at the line of names.
    groups = table.groups(reader, at - 1)
    figures = []
    for levels, group in groups.items():
        label = ", ".join(levels)
        told = Circumstances(
            replicates=len(group.replicates) if columns.replicate else None,
            replicate=columns.replicate or None,
            replicate_names=frozenset(group.replicates) if columns.replicate else None,
            operation=levels[0] if levels else None,
            moves=Moves.BODY if group.size is not None else None,
            size_bytes=group.size,
            events=group.events / len(group.values) if columns.events else None,
        )
        of = Measurement(label, dict(zip(columns.by, levels, strict=True)), told, len(group.values))
        id_ = f"{columns.value}: {label}" if label else columns.value
        figures.append(of.figure(columns.value, quantity, id=id_, values=group.values))
    # The levels of the first factor stand against each other; which is the baseline only the user can say.
    contrast = Contrast(columns.by[0], None, told=False) if columns.by else None
    found = with_contained(evidence(figures, "a CSV", contrast), columns.contains)
    return with_baseline(found, columns.baseline) if columns.baseline else found


def _opening(lines: Iterator[str], said: Columns) -> tuple[int, str, Columns, Iterator[str]]:
    """The line of names and its place, what is said of the columns, and the lines that follow."""
    told = Columns()
    for place, line in enumerate(lines, 1):
        if line.startswith("#"):
            told = told.over(in_comment(line, place))
        elif line.strip():
            return place, line, said.over(told), lines
    raise BadInput("there is no line of column names in it")


@dataclass(frozen=True)
class _Table:
    """Where the columns stand."""

    names: list[str]
    value: int
    by: tuple[int, ...]
    replicate: int | None
    scale: float
    size: int | None = None
    events: int | None = None

    def groups(self, reader: Iterator[list[str]], before: int) -> dict[tuple[str, ...], _Group]:
        """The values of all rows, by their levels; *before* lines come before those that the reader counts."""
        groups: dict[tuple[str, ...], _Group] = {}
        rows = 0
        while True:
            began = before + reader.line_num  # type: ignore[attr-defined]  # csv.reader has it, Iterator has not
            portion, error = _portion(reader)
            rows += len(portion)
            if rows > MOST_ROWS:
                raise BadInput(f"it has over {MOST_ROWS} rows", "audit a part of it")
            self._take(groups, portion, began)
            if error is not None:
                raise BadInput(f"this is not CSV: {error}", line=before + reader.line_num) from error  # type: ignore[attr-defined]
            if not portion:
                return groups

    def _take(self, groups: dict[tuple[str, ...], _Group], portion: list[list[str]], began: int) -> None:
        rows = [row for row in portion if row]
        if not rows:
            return
        try:
            columns = list(zip(*rows, strict=True))
            values = list(map(float, columns[self.value])) if len(columns) == len(self.names) else []
        except ValueError:
            values = []
        plain = (
            len(values) == len(rows) and all(map(math.isfinite, values)) and 0 <= min(values) <= max(values) <= LARGEST
        )
        # float() also reads 1_000, and digits of other scripts; such rows are rare, and looked at one by one.
        together = "".join(columns[self.value]) if plain else ""
        if not plain or "_" in together or not together.isascii():
            values = list(self._one_by_one(portion, began))
            columns = list(zip(*rows, strict=True))
        if self.scale != 1:
            values = [value * self.scale for value in values]
            if max(values) > LARGEST:
                list(self._one_by_one(portion, began))
        keys = self._keys(columns, len(rows))
        append = {}
        for key in dict.fromkeys(keys):
            if key not in groups:
                groups[key] = self._new_group(groups)
            append[key] = groups[key].values.append
        for key, value in zip(keys, values, strict=True):
            append[key](value)
        if self.replicate is not None:
            self._take_replicates(groups, keys, columns[self.replicate])
        if self.size is not None:
            self._take_sizes(groups, keys, columns[self.size])
        if self.events is not None:
            for key, text in zip(keys, columns[self.events], strict=True):
                groups[key].events += self._number_of(text, self.events)

    def _keys(self, columns: list[tuple[str, ...]], rows: int) -> list[tuple[str, ...]]:
        """The levels of every row; one empty key for all where no column holds levels."""
        return list(zip(*(columns[at] for at in self.by), strict=True)) if self.by else [()] * rows

    def _new_group(self, groups: dict[tuple[str, ...], _Group]) -> _Group:
        if len(groups) >= MOST_FIGURES:
            by = ", ".join(printable(self.names[at]) for at in self.by)
            raise BadInput(
                f"{by}: more than {MOST_FIGURES} different levels", "--by names columns of levels, not of numbers"
            )
        return _Group()

    def _take_replicates(
        self, groups: dict[tuple[str, ...], _Group], keys: list[tuple[str, ...]], named: tuple[str, ...]
    ) -> None:
        for key, name in set(zip(keys, named, strict=True)):
            groups[key].replicates.add(name)
            if len(groups[key].replicates) > _MOST_REPLICATES:
                raise BadInput(
                    f"more than {_MOST_REPLICATES} replicates", "a replicate is a process, a host or an instance"
                )

    def _take_sizes(
        self, groups: dict[tuple[str, ...], _Group], keys: list[tuple[str, ...]], told: tuple[str, ...]
    ) -> None:
        for key, text in dict.fromkeys(zip(keys, told, strict=True)):
            size = size_in(text) or self._number_of(text, self.size or 0)
            group = groups[key]
            if group.size not in (None, size):
                name = printable(self.names[self.size or 0])
                raise BadInput(f"rows of one figure have several sizes in {name!r}", f"--by …,{name}")
            group.size = size

    def _number_of(self, text: str, at: int) -> float:
        try:
            return number(text)
        except BadInput as error:
            raise BadInput(f"{printable(self.names[at])}: {error.message}", error.hint) from error

    def _one_by_one(self, portion: list[list[str]], began: int) -> Iterator[float]:
        """The values of a portion. Raises `BadInput` with the place of the first row that is wrong."""
        line = began
        for row in portion:
            place = line + 1
            # A quoted field may go on over lines.
            line += 1 + sum(text.count("\n") for text in row)
            if not row:
                continue
            if len(row) != len(self.names):
                raise BadInput(f"{len(row)} fields stand under {len(self.names)} columns", line=place, column=len(row))
            try:
                yield number(row[self.value])
                number(row[self.value], scale=self.scale)
            except BadInput as error:
                name = printable(self.names[self.value])
                raise BadInput(f"{name}: {error.message}", error.hint, line=place, column=self.value + 1) from error


def _portion(reader: Iterator[list[str]]) -> tuple[list[list[str]], csv.Error | None]:
    """The next rows; where the text is no CSV any more, those before that and the error."""
    rows: list[list[str]] = []
    try:
        rows.extend(islice(reader, _PORTION))
    except csv.Error as error:
        return rows, error
    return rows, None


def _next_row(reader: Iterator[list[str]], place: int) -> list[str]:
    try:
        return next(reader)
    except (csv.Error, StopIteration) as error:
        raise BadInput(f"these are not column names: {error}", line=place) from error


def _separator(line: str) -> str:
    return max(_SEPARATORS, key=line.count)


def _refuse_doubles(names: list[str], place: int) -> None:
    for at, name in enumerate(names):
        if name in names[:at]:
            raise BadInput(f"two columns have the name {printable(name, 60)!r}", line=place, column=at + 1)


def _refuse_numbers(names: list[str], columns: Columns, place: int) -> None:
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


def _place(names: list[str], name: str) -> int:
    if name in names:
        return names.index(name)
    hint = did_you_mean(name, names, f"the columns are {_listed(names)}")
    raise BadInput(f"there is no column {printable(name, 60)!r}", hint)


def _listed(names: list[str]) -> str:
    shown = ", ".join(printable(name, 40) for name in names[:20])
    return f"{shown} and {len(names) - 20} more" if len(names) > 20 else shown
