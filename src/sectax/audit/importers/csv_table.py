"""A plain CSV whose columns the user names; read in portions, so that ten million rows fit into memory."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice, pairwise

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Circumstances, Contrast, Figure, Moves, Quantity
from sectax.audit.importers.beside import beside
from sectax.audit.importers.cells import Cells
from sectax.audit.importers.columns import HEADER, Columns
from sectax.audit.importers.hosts_and_times import machines, where_and_when
from sectax.audit.importers.jmh_agree import both_ways
from sectax.audit.importers.left_out import LeftOut
from sectax.audit.importers.outcomes import outcomes
from sectax.audit.importers.parts import MOST_FIGURES, Importer, Measurement, evidence, with_baseline, with_contained
from sectax.audit.importers.relations import relations
from sectax.audit.importers.rows import Rows
from sectax.audit.importers.sizes import size_in
from sectax.audit.importers.table_head import (
    listed_names,
    next_row,
    opening,
    place_of,
    refuse_doubles,
    refuse_numbers,
    separator_of,
)
from sectax.audit.importers.tallies import Failures, is_jmh, unit_column, unnamed_levels
from sectax.audit.importers.ticks import ticks
from sectax.audit.importers.units import unit_of
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import LARGEST, number
from sectax.model.finding import Severity
from sectax.model.printable import printable

MOST_ROWS = 20_000_000
_PORTION = 4096  # rows; more no longer fit into the caches, and are slower
# The beginning of what a number looks like; `number` decides.
_NUMERIC = re.compile(r"[+-]?\.?[0-9]")
_PLAIN_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?")
_RULE = re.compile(r"[-:=+ ]*")
_MOST_REPLICATES = 100_000


@dataclass
class _Group:
    """The rows of one combination of levels."""

    values: array[float] = field(default_factory=lambda: array("d"))
    replicates: set[str] = field(default_factory=set)
    size: float | None = None
    events: float = 0.0
    failed: float = 0.0
    counted: float = 0.0
    told: bool = True
    beside: dict[str, str] = field(default_factory=dict)


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
    separator = separator_of(rows[0])
    names, values = rows[0].split(separator), rows[1].split(separator)
    return len(names) == len(values) > 1 and any(_NUMERIC.match(each.strip(' "')) for each in values)


def _read(lines: Iterable[str], *, said: Columns) -> Evidence:
    out = LeftOut()
    at, first, columns, rest = opening(iter(lines), said, out)
    separator = separator_of(first, columns.value)
    # csv keeps the line breaks within quotes only where lines have their ends.
    ended = (f"{line}\n" for line in chain([first], rest))
    reader = csv.reader(ended, delimiter=separator, strict=True, skipinitialspace=True)
    names = [name.strip() for name in next_row(reader, at)]
    if names[0].startswith("#") and names[0] not in columns.asked():
        names[0] = names[0].lstrip("# ")
    if not columns.value:
        raise BadInput(
            "nothing says which column holds the values",
            f"--value COLUMN --unit UNIT, or a first line '{HEADER} value=COLUMN unit=UNIT'; "
            f"the columns are {listed_names(names)}",
        )
    refuse_doubles(names, columns, at)
    refuse_numbers(names, columns, at)
    quantity, scale = columns.checked_unit()
    # Rows of several sizes are several figures, whatever the user says of levels.
    apart = bool(columns.size) and columns.size not in columns.by
    by = (*columns.by, columns.size) if apart else columns.by
    value = place_of(names, columns.value)
    unnamed = unnamed_levels(names, columns.asked())
    table = _Table(
        names,
        value,
        tuple(place_of(names, name) for name in (*by, *unnamed)),
        place_of(names, columns.replicate) if columns.replicate else None,
        scale,
        place_of(names, columns.size) if columns.size else None,
        place_of(names, columns.events) if columns.events else None,
        cells=(cells := Cells(separator, quantity, scale)),
        out=out,
        rows=(rows := Rows(names, value, columns, cells)),
        failures=Failures.of(names, columns.asked()),
    )
    if columns.events and quantity is Quantity.TIME:
        quantity = Quantity.TOTAL_TIME
    # What csv counts begins at the line of names.
    groups, told_apart = _told_apart(table.groups(reader, at - 1), unnamed)
    by = (*by, *told_apart)
    if apart and not told_apart and len({levels[:-1] for levels in groups}) == len(groups):
        groups, by = {levels[:-1]: group for levels, group in groups.items()}, columns.by
    on, steps = machines(rows), ticks(rows, scale) if quantity is Quantity.TIME else {}
    figures = []
    of_jmh, unit = is_jmh(names), unit_column(names, columns.asked()) or ""
    for levels, group in groups.items():
        label = ", ".join(levels)
        told = Circumstances(
            replicates=len(group.replicates) if columns.replicate else None,
            replicate=columns.replicate or (on[0] if on is not None else None),
            replicate_names=frozenset(group.replicates)
            if columns.replicate
            else (on[1].get(levels) or None if on is not None else None),
            operation=levels[0] if levels else None,
            moves=Moves.BODY if group.size is not None else None,
            size_bytes=group.size,
            events=group.events / len(group.values) if columns.events else None,
            calibrated=True if of_jmh and group.beside.get("Mode") != "ss" else None,
            threads=_threads(group) if of_jmh else None,
            tick_s=steps.get(levels),
        )
        if table.failures is not None and group.told and group.counted > 0 and not columns.events:
            told = replace(told, errors=group.failed, events=group.counted)
        of = Measurement(label, dict(zip(by, levels, strict=True)), told, len(group.values))
        id_ = f"{columns.value}: {label}" if label else columns.value
        of_group = unit_of(group.beside.get(unit, "")) or (quantity, scale)
        values = group.values if of_group[1] == scale else array("d", [x * of_group[1] / scale for x in group.values])
        figures.append(
            of.figure(columns.value, quantity if of_group[1] == scale else of_group[0], id=id_, values=values)
        )
    # The levels of the first factor stand against each other; which is the baseline only the user can say.
    entails = ("size_bytes",) if columns.by and _is_size(groups, columns) else ()
    contrast = Contrast(columns.by[0], None, told=False, entails=entails) if columns.by else None
    words_beside, twice = beside(rows)
    incidents = [
        *out.incidents(columns.value),
        *words_beside,
        *relations(rows),
        *outcomes(rows),
        *where_and_when(rows, scale if quantity in (Quantity.TIME, Quantity.TOTAL_TIME) else 0.0),
        *_of_unnamed(told_apart),
    ]
    twice += _of_modes(figures, groups) if of_jmh else ()
    found = evidence(figures, "a CSV", contrast, incidents, twice)
    found = with_contained(found, columns.contains)
    return with_baseline(found, columns.baseline) if columns.baseline else found


def _told_apart(
    groups: dict[tuple[str, ...], _Group], unnamed: list[str]
) -> tuple[dict[tuple[str, ...], _Group], list[str]]:
    """The groups without those of the unnamed levels, which come last, that the others fix; and which are left."""
    if not unnamed:
        return groups, []
    most = len(unnamed)
    seen: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for levels in groups:
        seen.setdefault(levels[:-most], []).append(levels[-most:])
    left = [at for at in range(most) if any(len({each[at] for each in beside}) > 1 for beside in seen.values())]
    found = {}
    for levels, group in groups.items():
        group.beside = dict(zip(unnamed, levels[-most:], strict=True))
        found[(*levels[:-most], *(levels[-most:][at] for at in left))] = group
    return found, [unnamed[at] for at in left]


def _of_unnamed(told_apart: list[str]) -> Iterator[Incident]:
    if told_apart:
        names = " and ".join(printable(each, 40) for each in told_apart[:3])
        yield Incident(
            Severity.WARNING,
            f"rows that agree in all columns of --by differ in {names}",
            "they are of several things, and are told apart here: name these columns in --by",
            "apples-and-oranges",
        )


def _threads(group: _Group) -> int | None:
    text = group.beside.get("Threads", "")
    return int(text) if re.fullmatch(r"[1-9][0-9]{0,4}", text) else None


def _of_modes(figures: list[Figure], groups: dict[tuple[str, ...], _Group]) -> Iterator[Twice]:
    """Throughput and average time of one benchmark of JMH; either may have a wide error."""
    named = [
        replace(
            figure,
            levels={name: level for name, level in figure.levels.items() if name not in ("Mode", "Unit")}
            | {"mode": mode},
        )
        for figure, group in zip(figures, groups.values(), strict=True)
        if (mode := group.beside.get("Mode") or figure.levels.get("Mode"))
    ]
    for each in both_ways(named):
        yield replace(each, severity=Severity.WARNING)


def _is_size(groups: dict[tuple[str, ...], _Group], columns: Columns) -> bool:
    """Whether the levels that are compared are the sizes: the same column, or numbers that rise with them."""
    if columns.size == columns.by[0]:
        return True
    sizes = {float(levels[0]): group.size for levels, group in groups.items() if _PLAIN_NUMBER.fullmatch(levels[0])}
    rising = [sizes[each] or 0.0 for each in sorted(sizes)]
    compared = {levels[0] for levels in groups}
    return len(sizes) == len(compared) > 1 and all(one < other for one, other in pairwise(rising))


@dataclass(frozen=True)
class _Table:
    """Where the columns stand, how their numbers are written, and what was left out."""

    names: list[str]
    value: int
    by: tuple[int, ...]
    replicate: int | None
    scale: float
    size: int | None
    events: int | None
    cells: Cells
    out: LeftOut
    rows: Rows
    failures: Failures | None = None

    def groups(self, reader: Iterator[list[str]], before: int) -> dict[tuple[str, ...], _Group]:
        """The values of all rows, by their levels; *before* lines come before those that the reader counts.

        Raises:
            BadInput: no row has a value; it is said of the first.
        """
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
                self.out.no_csv(before + reader.line_num, str(error))  # type: ignore[attr-defined]
            elif not portion:
                break
        if not groups and self.out.first is not None:
            raise self.out.first
        return groups

    def _take(self, groups: dict[tuple[str, ...], _Group], portion: list[list[str]], began: int) -> None:
        rows = [row for row in portion if row]
        if not rows:
            return
        self.out.row()
        columns = _columns(rows, len(self.names))
        values = self._together(columns) if columns else None
        sizes = events = None
        if values is not None:
            try:
                sizes, events = self._sizes(columns), self._events(columns)
            except BadInput:
                values = None
        if values is None:
            rows, values = self._one_by_one(portion, began)
            if not rows:
                return
            columns = list(zip(*rows, strict=True))
            sizes, events = self._sizes(columns), self._events(columns)
        self.out.kept += len(values)
        keys = self._keys(columns, len(values))
        self.rows.take(keys, rows, values)
        if self.scale != 1:
            values = [value * self.scale for value in values]
        append = {}
        for key in dict.fromkeys(keys):
            if key not in groups:
                groups[key] = self._new_group(groups)
            append[key] = groups[key].values.append
        for key, value in zip(keys, values, strict=True):
            append[key](value)
        if self.replicate is not None:
            self._take_replicates(groups, keys, columns[self.replicate])
        if sizes is not None:
            for key, size in dict.fromkeys(zip(keys, sizes, strict=True)):
                groups[key].size = size
        for key, each in zip(keys, events, strict=True) if events is not None else ():
            groups[key].events += each
        for key, row in zip(keys, rows, strict=True) if self.failures is not None else ():
            group, told = groups[key], self.failures.in_row(row) if self.failures is not None else None
            if told is None:
                group.told = False
            else:
                group.failed, group.counted = group.failed + told[0], group.counted + told[1]

    def _together(self, columns: list[tuple[str, ...]]) -> list[float] | None:
        """The values of plain numbers, all at once; None where any of them needs a look."""
        texts = columns[self.value]
        try:
            values = list(map(float, texts))
        except ValueError:
            return None
        most = max(values) * max(self.scale, 1.0)
        # float() also reads 1_000, and digits of other scripts; such rows are rare, and looked at one by one.
        together = "".join(texts)
        plain = all(map(math.isfinite, values)) and 0 <= min(values) <= most <= LARGEST
        return values if plain and "_" not in together and together.isascii() else None

    def _keys(self, columns: list[tuple[str, ...]], rows: int) -> list[tuple[str, ...]]:
        """The levels of every row; one empty key for all where no column holds levels."""
        if not self.by:
            return [()] * rows
        keys = list(zip(*(columns[at] for at in self.by), strict=True))
        bare = {key: tuple(level.strip() for level in key) for key in dict.fromkeys(keys)}
        return keys if all(key == each for key, each in bare.items()) else [bare[key] for key in keys]

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

    def _sizes(self, columns: list[tuple[str, ...]]) -> list[float] | None:
        if self.size is None:
            return None
        of = {text: size_in(text) or self._number_of(text, self.size) for text in dict.fromkeys(columns[self.size])}
        return [of[text] for text in columns[self.size]]

    def _events(self, columns: list[tuple[str, ...]]) -> list[float] | None:
        if self.events is None:
            return None
        of = {text: self._number_of(text, self.events) for text in dict.fromkeys(columns[self.events])}
        return [of[text] for text in columns[self.events]]

    def _number_of(self, text: str, at: int) -> float:
        try:
            return self.cells.number(text)
        except BadInput as error:
            raise BadInput(f"{printable(self.names[at])}: {error.message}", error.hint) from error

    def _one_by_one(self, portion: list[list[str]], began: int) -> tuple[list[list[str]], list[float]]:
        """The rows of a portion that have a value, and these; the others are left out."""
        line = began
        self.cells.look(row[self.value] for row in portion if len(row) > self.value)
        rows, values = [], []
        for row in portion:
            place = line + 1
            # A quoted field may go on over lines.
            line += 1 + sum(text.count("\n") for text in row)
            if not row or self._is_no_row(row, place):
                continue
            fields = self._fitted(row)
            if fields is None:
                self.out.other_length(place, row, len(self.names))
                continue
            try:
                value = self.cells.number(fields[self.value], of_value=True)
                number(repr(value), scale=self.scale)
            except BadInput as error:
                self.out.no_value(place, fields[self.value], self.names[self.value], self.value + 1, error)
                continue
            try:
                for at in (self.size, self.events):
                    if at is not None and size_in(fields[at]) is None:
                        self.cells.number(fields[at])
            except BadInput as error:
                self.out.no_value(place, fields[at or 0], self.names[at or 0], (at or 0) + 1, error)
                continue
            self.out.row()
            rows.append(fields)
            values.append(value)
        return rows, values

    def _fitted(self, row: list[str]) -> list[str] | None:
        """A row with as many fields as columns have names; commas at the end of lines make no field."""
        more = len(row) - len(self.names)
        if more > 0 and not any(row[len(self.names) :]):
            return row[: len(self.names)]
        if more < 0 and not any(self.names[len(row) :]):
            return [*row, *[""] * -more]
        return row if more == 0 else None

    def _is_no_row(self, row: list[str], place: int) -> bool:
        """Whether it is a comment, a rule, or the line of names again; said of what may be more."""
        cells = [each.strip() for each in row]
        if cells[0].startswith("#") or all(_RULE.fullmatch(each) for each in cells):
            return True
        if cells == self.names:
            self.out.names_again(place)
            return True
        if len(row) != len(self.names) and not any(_NUMERIC.match(each) for each in cells):
            self.out.note(place, " ".join(cells))
            return True
        return False


def _columns(rows: list[list[str]], names: int) -> list[tuple[str, ...]]:
    """Rows that all have as many fields as there are names, as columns; nothing where one has not."""
    try:
        columns = list(zip(*rows, strict=True))
    except ValueError:
        return []
    return columns if len(columns) == names else []


def _portion(reader: Iterator[list[str]]) -> tuple[list[list[str]], csv.Error | None]:
    """The next rows; where the text is no CSV any more, those before that and the error."""
    rows: list[list[str]] = []
    try:
        rows.extend(islice(reader, _PORTION))
    except csv.Error as error:
        return rows, error
    return rows, None
