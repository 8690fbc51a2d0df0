"""A plain CSV whose columns the user names; read in portions, so that ten million rows fit into memory."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import chain, islice, pairwise
from typing import TypeVar

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Circumstances, Contrast, Figure, Moves, Quantity
from sectax.audit.importers.beside import Beside
from sectax.audit.importers.cells import Cells
from sectax.audit.importers.columns import HEADER, Columns, in_comment
from sectax.audit.importers.jmh_agree import both_ways
from sectax.audit.importers.left_out import LeftOut
from sectax.audit.importers.parts import MOST_FIGURES, Importer, Measurement, evidence, with_baseline, with_contained
from sectax.audit.importers.sizes import size_in
from sectax.audit.importers.tallies import Failures, is_jmh, unit_column, unnamed_levels
from sectax.audit.importers.units import unit_of
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import LARGEST, number
from sectax.model.finding import Severity
from sectax.model.near import did_you_mean
from sectax.model.printable import printable

MOST_ROWS = 20_000_000
_PORTION = 4096  # rows; more no longer fit into the caches, and are slower
_SEPARATORS = ",;\t|"
# The beginning of what a number looks like; `number` decides.
_NUMERIC = re.compile(r"[+-]?\.?[0-9]")
_PLAIN_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?")
_RULE = re.compile(r"[-:=+ ]*")
_MOST_REPLICATES = 100_000
# Lines of words above the line of names.
_MOST_ABOVE = 50

# Columns that tell where and when, of which nobody says anything.
_MACHINE = re.compile(
    r"\b(?:host(?:name)?|machine|node|server|instance|runner|vm|cpu|processor)(?:_?(?:name|id|model))?$", re.I
)
_WHEN = re.compile(r"(?:^|_| )(?:time_?stamp|date_?time|date|started(?:_at)?|start_?time|epoch|ts|when)$", re.I)
# More of them are no machines, and say nothing by themselves.
_MOST_MACHINES = 20
# From 2000 to 2100, in seconds; and a clock may be set back a little.
_EARLIEST, _LATEST, _CLOCK_IS_SET_S = 946_684_800.0, 4_102_444_800.0, 1.0

T = TypeVar("T")


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
    machines: set[str] = field(default_factory=set)
    first_s: float = math.inf
    last_s: float = -math.inf
    backwards: bool = False


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
    out = LeftOut()
    at, first, columns, rest = _opening(iter(lines), said, out)
    separator = _separator(first, columns.value)
    # csv keeps the line breaks within quotes only where lines have their ends.
    ended = (f"{line}\n" for line in chain([first], rest))
    reader = csv.reader(ended, delimiter=separator, strict=True, skipinitialspace=True)
    names = [name.strip() for name in _next_row(reader, at)]
    if names[0].startswith("#") and names[0] not in columns.asked():
        names[0] = names[0].lstrip("# ")
    if not columns.value:
        raise BadInput(
            "nothing says which column holds the values",
            f"--value COLUMN --unit UNIT, or a first line '{HEADER} value=COLUMN unit=UNIT'; "
            f"the columns are {_listed(names)}",
        )
    _refuse_doubles(names, columns, at)
    _refuse_numbers(names, columns, at)
    quantity, scale = columns.checked_unit()
    # Rows of several sizes are several figures, whatever the user says of levels.
    apart = bool(columns.size) and columns.size not in columns.by
    by = (*columns.by, columns.size) if apart else columns.by
    value = _place(names, columns.value)
    unnamed = unnamed_levels(names, columns.asked())
    table = _Table(
        names,
        value,
        tuple(_place(names, name) for name in (*by, *unnamed)),
        _place(names, columns.replicate) if columns.replicate else None,
        scale,
        _place(names, columns.size) if columns.size else None,
        _place(names, columns.events) if columns.events else None,
        cells=Cells(separator, quantity, scale),
        out=out,
        beside=Beside.of(names, value),
        machine=_unnamed(names, columns, _MACHINE),
        when=_unnamed(names, columns, _WHEN),
        failures=Failures.of(names, columns.asked()),
    )
    if columns.events and quantity is Quantity.TIME:
        quantity = Quantity.TOTAL_TIME
    # What csv counts begins at the line of names.
    groups, told_apart = _told_apart(table.groups(reader, at - 1), unnamed)
    by = (*by, *told_apart)
    if apart and not told_apart and len({levels[:-1] for levels in groups}) == len(groups):
        groups, by = {levels[:-1]: group for levels, group in groups.items()}, columns.by
    figures = []
    of_jmh, unit = is_jmh(names), unit_column(names, columns.asked()) or ""
    for levels, group in groups.items():
        label = ", ".join(levels)
        told = Circumstances(
            replicates=len(group.replicates) if columns.replicate else None,
            replicate=columns.replicate or (names[table.machine] if group.machines and table.machine else None),
            replicate_names=frozenset(group.replicates if columns.replicate else group.machines) or None,
            operation=levels[0] if levels else None,
            moves=Moves.BODY if group.size is not None else None,
            size_bytes=group.size,
            events=group.events / len(group.values) if columns.events else None,
            calibrated=True if of_jmh and group.beside.get("Mode") != "ss" else None,
            threads=_threads(group) if of_jmh else None,
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
    incidents = [
        *out.incidents(columns.value),
        *table.beside.incidents(),
        *_of_machines(table, groups),
        *_of_times(table, groups),
        *_of_unnamed(told_apart),
    ]
    twice = [*table.beside.twice, *(_of_modes(figures, groups) if of_jmh else ())]
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


def _unnamed(names: list[str], columns: Columns, pattern: re.Pattern[str]) -> int | None:
    """The one column of which nobody says anything, and whose name is of that kind."""
    said = {columns.value, columns.replicate, columns.size, columns.events, *columns.by}
    found = [at for at, name in enumerate(names) if name not in said and pattern.search(name)]
    return found[0] if len(found) == 1 else None


def _of_machines(table: _Table, groups: dict[tuple[str, ...], _Group]) -> Iterator[Incident]:
    """Figures that hold values of several machines, by a column that nobody speaks of."""
    mixed = [levels for levels, group in groups.items() if 1 < len(group.machines) <= _MOST_MACHINES]
    if mixed and table.machine is not None:
        told = sorted(groups[mixed[0]].machines)
        name = printable(table.names[table.machine], 40)
        yield Incident(
            Severity.WARNING,
            f"{len(mixed)} of {len(groups)} figures hold values of several of column {name}: "
            f"{' and '.join(printable(each, 40) for each in told[:3])}",
            f"their spread is that of machines too: add it to --by, or say --replicate {name}",
        )


def _of_times(table: _Table, groups: dict[tuple[str, ...], _Group]) -> Iterator[Incident]:
    """Rows that go back in time, and sides of which one ended before the other began."""
    if table.when is None:
        return
    name = printable(table.names[table.when], 40)
    if any(group.backwards for group in groups.values()):
        yield Incident(
            Severity.WARNING,
            f"the times in column {name} go backwards within a figure",
            "rows of several runs were put together, or sorted: where values go cannot be seen",
        )
    timed = [group for group in groups.values() if group.first_s < group.last_s]
    if len(timed) < 2 or len(timed) < len(groups) or not table.by:
        return
    sides: dict[tuple[str, ...], dict[str, _Group]] = {}
    for levels, group in groups.items():
        sides.setdefault(levels[1:], {})[levels[0]] = group
    for beside in sides.values():
        ordered = sorted(beside.items(), key=lambda item: item[1].first_s)
        if len(ordered) > 1 and all(one.last_s <= other.first_s for (_, one), (_, other) in pairwise(ordered)):
            (one, _), (other, _), *_ = ordered
            yield Incident(
                Severity.WARNING,
                f"by column {name} all of {printable(one, 40)} was measured before {printable(other, 40)}",
                "what changed on the machine meanwhile is part of their difference: measure them in turns",
            )
            return


def _seconds_of(text: str) -> float | None:
    """A point in time, as ISO 8601 or in seconds, milliseconds and so on since 1970; None of anything else."""
    try:
        value = float(text)
    except ValueError:
        try:
            return datetime.fromisoformat(text.strip().replace("Z", "+00:00")).timestamp()
        except (ValueError, OverflowError):
            return None
    return next((value / scale for scale in (1.0, 1e3, 1e6, 1e9) if _EARLIEST <= value / scale <= _LATEST), None)


def _opening(lines: Iterator[str], said: Columns, out: LeftOut) -> tuple[int, str, Columns, Iterator[str]]:
    """The line of names and its place, what is said of the columns, and the lines that follow."""
    told = Columns()
    first: tuple[int, str] | None = None
    passed: list[str] = []
    for place, line in enumerate(lines, 1):
        if line.startswith(HEADER):
            told = told.over(in_comment(line, place))
            continue
        passed.append(line)
        if not line.strip():
            continue
        wanted = said.over(told).value
        names = _fields(line, _separator(line, wanted))
        # A line of names may be a comment, and words may stand above it.
        is_names = bool(wanted) and wanted in (*names, names[0].lstrip("# "))
        if is_names or (not wanted and not line.startswith("#")):
            if first is not None:
                out.note(*first)
            return place, line, said.over(told), lines
        if first is None and not line.startswith("#"):
            first, passed = (place, line), []
        if first is not None and place - first[0] >= _MOST_ABOVE:
            break
    if first is None:
        raise BadInput("there is no line of column names in it")
    return *first, said.over(told), chain(passed, lines)


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
    beside: Beside
    machine: int | None = None
    when: int | None = None
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
        if self.beside.places:
            self.beside.take(rows, values, self.cells)
        if self.scale != 1:
            values = [value * self.scale for value in values]
        keys = self._keys(columns, len(values))
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
        if self.machine is not None:
            for key, name in set(zip(keys, columns[self.machine], strict=True)):
                if name.strip() and len(groups[key].machines) <= _MOST_MACHINES:
                    groups[key].machines.add(name.strip())
        if self.when is not None:
            self._take_times(groups, keys, columns[self.when])
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

    def _take_times(
        self, groups: dict[tuple[str, ...], _Group], keys: list[tuple[str, ...]], told: tuple[str, ...]
    ) -> None:
        for key, text in zip(keys, told, strict=True):
            seconds = _seconds_of(text)
            if seconds is not None:
                group = groups[key]
                group.backwards |= seconds < group.last_s - _CLOCK_IS_SET_S
                group.first_s, group.last_s = min(group.first_s, seconds), max(group.last_s, seconds)

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


def _next_row(reader: Iterator[list[str]], place: int) -> list[str]:
    try:
        return next(reader)
    except (csv.Error, StopIteration) as error:
        raise BadInput(f"these are not column names: {error}", line=place) from error


def _separator(line: str, wanted: str = "") -> str:
    """The one that makes the wanted column of a line; else whichever stands most often in it."""
    # Stable: of those that stand equally often the first.
    ordered = sorted(_SEPARATORS, key=line.count, reverse=True)
    for each in ordered if wanted else ():
        if each in line and wanted in [name.lstrip("# ") for name in _fields(line, each)] + _fields(line, each):
            return each
    if wanted and not any(each in line for each in _SEPARATORS) and wanted in line.split():
        return " "
    return ordered[0]


def _fields(line: str, separator: str) -> list[str]:
    """The fields of one line, without blanks around them; at least one."""
    try:
        return [each.strip() for each in next(csv.reader([line], delimiter=separator, skipinitialspace=True))] or [""]
    except (csv.Error, StopIteration):
        return [""]


def _refuse_doubles(names: list[str], columns: Columns, place: int) -> None:
    asked = columns.asked()
    for at, name in enumerate(names):
        if name in asked and name in names[:at]:
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
