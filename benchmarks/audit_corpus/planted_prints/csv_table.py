"""Defects in a CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

from benchmarks.audit_corpus.planted_prints.frame import Format, Kind, Plant, Rng
from benchmarks.audit_corpus.planted_prints.series import Series, Values, of_values
from sectax.audit.reading.asked import Columns

Row = dict[str, str]


def _parts(text: str) -> tuple[list[str], list[str], list[Row], Columns]:
    """The comment lines, the names, the rows, and what the columns hold: the last one the values."""
    lines = text.splitlines()
    head = [line for line in lines if line.startswith("#")]
    reader = csv.DictReader(io.StringIO("\n".join(line for line in lines if not line.startswith("#"))))
    rows = [dict(row) for row in reader]
    names = list(reader.fieldnames or ())
    replicate = "host" if "host" in names else ""
    by = tuple(name for name in names[:-1] if name != replicate)
    return head, names, rows, Columns(tuple(names[-1:]), by=by, replicate=replicate)


def _joined(head: list[str], names: list[str], rows: list[Row]) -> str:
    return "\n".join([*head, ",".join(names), *(",".join(row[name] for name in names) for row in rows), ""])


def _groups(rows: list[Row], told: Columns) -> list[list[Row]]:
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in told.by), []).append(row)
    return list(found.values())


def _read(text: str) -> list[Values]:
    _, _, rows, told = _parts(text)
    return [[float(row[told.value[0]]) for row in group] for group in _groups(rows, told)]


def _write(text: str, at: int, values: Values) -> str:
    head, names, rows, told = _parts(text)
    for row, value in zip(_groups(rows, told)[at], values, strict=True):
        row[told.value[0]] = f"{value:.9g}"
    return _joined(head, names, rows)


def _rows(change: Callable[[list[str], list[Row], Columns], list[Row] | None]) -> Plant:
    def put(text: str, _: Rng) -> str | None:
        head, names, rows, told = _parts(text)
        changed = change(names, rows, told)
        return None if changed is None else _joined(head, names, changed)

    return put


def _with_times(apart: bool, backwards: bool = False) -> Callable[[list[str], list[Row], Columns], list[Row] | None]:
    """A column of times: rows as they come, or one side after the other."""

    def change(names: list[str], rows: list[Row], told: Columns) -> list[Row] | None:
        groups = _groups(rows, told)
        if len(groups) < 2 or len(rows) > 5000 or len(rows) < 12:
            return None
        names.append("started")
        ordered = [row for group in groups for row in group] if apart else rows
        for at, row in enumerate(ordered):
            second = at if not backwards or at < len(rows) // 2 else at - len(rows) // 2 - 5000
            row["started"] = f"2026-03-01T{10 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"
        return ordered

    return change


def _host(names: list[str], rows: list[Row], told: Columns) -> list[Row] | None:
    """A column of machines that nobody speaks of: each side has its own."""
    if len(rows) > 5000 or told.replicate:
        return None
    sides = {row[told.by[0]]: at for at, row in enumerate(rows)} if told.by else {}
    if len(sides) < 2:
        return None
    names.append("machine")
    order = list(sides)
    for row in rows:
        row["machine"] = f"node{order.index(row[told.by[0]])}"
    return rows


def _two_hosts(names: list[str], rows: list[Row], told: Columns) -> list[Row] | None:
    if len(rows) > 5000 or told.replicate:
        return None
    names.append("cpu")
    for at, row in enumerate(rows):
        row["cpu"] = "AMD EPYC 7R13" if 3 * at < len(rows) else "Intel Xeon 8375C"
    return rows


def _mixed_units(names: list[str], rows: list[Row], told: Columns) -> list[Row] | None:
    for at, row in enumerate(rows):
        if at % 3 == 0:
            row[told.value[0]] = f"{float(row[told.value[0]]) / 1000:.9g}"
    return rows


def _one_side(names: list[str], rows: list[Row], told: Columns) -> list[Row] | None:
    if not told.by:
        return None
    last = rows[-1][told.by[0]]
    for row in rows:
        if row[told.by[0]] == last:
            row[told.value[0]] = f"{float(row[told.value[0]]) * 1000:.9g}"
    return rows


def _copies(names: list[str], rows: list[Row], told: Columns) -> list[Row] | None:
    """A part of the rows a second time, as two files put together make."""
    groups = _groups(rows, told)
    values = [row[told.value[0]] for row in groups[0]]
    if len(values) < 24 or len(set(values)) < 0.9 * len(values):
        return None
    return [*rows, *rows[: len(rows) // 3]]


def _missing(names: list[str], rows: list[Row], told: Columns) -> list[Row] | None:
    rows[len(rows) // 2][told.value] = ""
    return rows


def _shuffled_columns(names: list[str], rows: list[Row], told: Columns) -> list[Row] | None:
    rows[len(rows) // 2][told.value] = "timeout"
    return rows


_KINDS = (
    *of_values(Series(_read, _write)),
    Kind("a third of the rows in seconds among ms", "W modes|contradiction", _rows(_mixed_units)),
    Kind("one side in us", "W contradiction", _rows(_one_side), by_chance=True),
    Kind("rows a second time", "F timer|copied-data", _rows(_copies)),
    Kind("a missing value", "refused or W said-by-the-tool|unequal-work", _rows(_missing)),
    Kind("a word for a value", "refused or W said-by-the-tool|unequal-work", _rows(_shuffled_columns)),
    Kind("each side on its own machine", "F contradiction", _rows(_host)),
    Kind("two processors in a column", "W contradiction|apples-and-oranges", _rows(_two_hosts)),
    Kind("times show one side after the other", "W drift|contradiction", _rows(_with_times(True))),
    Kind("times go backwards", "W drift|contradiction", _rows(_with_times(False, True))),
)

FORMATS = (
    Format(
        "csv",
        _KINDS,
        samples=("table.csv",),
        prints=("csv, ms with 2 digits", "csv, 4 digits", "csv, all digits", "csv, whole ms"),
    ),
)
