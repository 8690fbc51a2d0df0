"""benchstat: tables of old and new versions (cmd/benchstat of golang/perf)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sectax.audit.form import Trouble, TroubleKind
from sectax.audit.reading.grammar import Record, Text
from sectax.audit.reading.printed import NUMBER, Number, read
from sectax.audit.reading.registry import split_levels

_SCALES = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "μ": 1e-6, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "K": 1e3, "M": 1e6}
_SCALES |= {"G": 1e9, "T": 1e12, "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30}
# A value, its spread, its change from the first column, and the number of samples.
_CELL = re.compile(
    rf" ?({NUMBER})([pnµμumkKMGT]?i?)(?:s|B(?:/s)?)?(?: ± ?(\d+|∞)%)?(?: (?:[+-][\d.]+%|~))?"
    r"(?: \((?:p=\S+)? ?n=([\d+]+)\))?(?= |$)"
)
# The same in CSV, where all cells are in base units.
_CSV_CELL = re.compile(rf",?({NUMBER})(),(\d+|∞)%(?:,(?:[+-][\d.]+%|~|\?))?(?:,(?:p=[^,]+)? ?n=([\d+]+))?(?=,|$)")
_METRICS = {
    "sec/op": ("time", "s"),
    "time/op": ("time", "s"),
    "B/s": ("speed", "bytes/s"),
    "speed": ("speed", "bytes/s"),
}


def _shape(records: list[Record]) -> list[Record]:
    results = []
    tables = [(record, str(row).partition(",")) for record in records for row in record.fields.get("csv_rows", ())]
    for table, (name, _, cells) in tables:
        records.append(Record(table.line, table.fields | {"name": [name], "csv_cells": [cells]}))
    for record in records:
        heading = record.text("heading") or ""
        unit = next((unit for unit in _METRICS if re.search(rf"(?<![^\s,]){re.escape(unit)}(?![^\s,])", heading)), "")
        metric, base = _METRICS.get(unit, ("other", "1"))
        # Until 2023 it printed means.
        statistic = "mean" if unit in ("time/op", "speed") else "median"
        name = record.text("name") or ""
        cells = re.sub(r"\s+", " ", record.text("cells") or record.text("csv_cells") or "")
        columns = [*_cells(_CELL if "cells" in record.fields else _CSV_CELL, cells, record)]
        # The count is behind the last column.
        counts = [read("n", count) for count in next((cell[4] for cell in columns if cell[4]), "").split("+")]
        for column, cell in enumerate(columns):
            number = read("n", cell[1])
            if not isinstance(number, Number) or cell[2] not in _SCALES:
                continue
            scale = _SCALES[cell[2]]
            number = Number(number.value * scale, number.step * scale, base)
            result = Record(record.line, ended=True, troubles=record.troubles)
            levels = split_levels(name) | {"column": str(column + 1)}
            result.put({"name": f"{name}, column {column + 1}", f"{metric}.{statistic}": number}, levels)
            result.fields |= {key: record.fields[key] for key in ("processor", "option.goos") if key in record.fields}
            if cell[3] and cell[3] != "∞":
                result.fields[f"{metric}.error"] = [Number(float(cell[3]) / 100 * number.value)]
            result.put({"count": counts[min(column, len(counts) - 1)]})
            results.append(result)
    return results


def _cells(pattern: re.Pattern[str], text: str, record: Record) -> Iterator[re.Match[str]]:
    """Yield the cells of a row, up to one that is not understood."""
    at = 0
    while at < len(text.rstrip(" ,¹²³⁴⁵⁶⁷⁸⁹⁰")):
        if (cell := pattern.match(text, at)) is None:
            rest = f"this part of {record.text('name')}: {text[at : at + 80]}"
            record.troubles.append(Trouble(TroubleKind.UNREAD, record.line, rest))
            return
        yield cell
        at = cell.end()


BENCHSTAT = Text(
    name="benchstat",
    title="benchstat's table",
    head=(
        r"name (?=.{0,200}(?:/op|/s|speed)){heading:text}$",
        r"│ (?=.{0,400}(?:/op|/s)){heading:text}$",
        r"cpu: {processor:text}$",
        r"goos: {option.goos:w}",
    ),
    rows=(r"(?!geomean|\[Geo)(?=\S+ [\d.]\S* ±\s*(?:\d+|∞)%){name:w} {cells:text}$",),
    # In CSV.
    starts=(r",(?=[^,]{1,60}/(?:op|s),CI){heading:text}$",),
    lines=(r"(?=.{1,2000}$)(?!geomean,)(?=[^,]{1,400},[\d.e+-]{1,30},(?:\d+|∞)%){csv_rows:text}$",),
    shape=_shape,
    compares="column",
)
