"""benchstat: tables of old and new versions (cmd/benchstat of golang/perf)."""

from __future__ import annotations

import re

from sectax.audit.form import Quantity
from sectax.audit.reading.grammar import Record, Text
from sectax.audit.reading.printed import NUMBER, Number, read
from sectax.audit.reading.registry import split_levels

_SCALES = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "μ": 1e-6, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "K": 1e3, "M": 1e6}
_SCALES |= {"G": 1e9, "T": 1e12, "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30}
# A value, its spread, its change from the first column, and the number of samples.
_CELL = re.compile(
    rf"({NUMBER})([pnµμumkKMGT]?i?)(?:s|B(?:/s)?)?(?: ± +(\d+|∞)%)?(?: (?:[+-][\d.]+%|~))?"
    r"(?: \((?:p=\S+)? ?n=([\d+]+)\))?"
)
_METRICS = {
    "sec/op": ("time", "s"),
    "time/op": ("time", "s"),
    "B/s": ("speed", "bytes/s"),
    "speed": ("speed", "bytes/s"),
}


def _shape(records: list[Record]) -> list[Record]:
    results = []
    for record in records:
        heading = record.text("heading") or ""
        unit = next((unit for unit in _METRICS if re.search(rf"(?<!\S){re.escape(unit)}(?!\S)", heading)), "")
        metric, base = _METRICS.get(unit, ("other", "1"))
        # Until 2023 it printed means.
        statistic = "mean" if unit in ("time/op", "speed") else "median"
        name = record.text("name") or ""
        for column, cell in enumerate(_CELL.finditer(re.sub(r"\s+", " ", record.text("cells") or ""))):
            number = read("n", cell[1])
            if not isinstance(number, Number) or cell[2] not in _SCALES:
                continue
            scale = _SCALES[cell[2]]
            number = Number(number.value * scale, number.step * scale, base)
            result = Record(record.line, ended=True)
            levels = split_levels(name) | {"column": str(column + 1)}
            result.put({"name": f"{name}, column {column + 1}", f"{metric}.{statistic}": number}, levels)
            result.fields |= {key: record.fields[key] for key in ("processor", "option.goos") if key in record.fields}
            if cell[3] and cell[3] != "∞":
                result.fields[f"{metric}.error"] = [Number(float(cell[3]) / 100 * number.value)]
            counts = [read("n", count) for count in (cell[4] or "").split("+")]
            if isinstance(count := counts[min(column, len(counts) - 1)], Number):
                result.fields["count"] = [count]
            results.append(result)
    return results


BENCHSTAT = Text(
    name="benchstat",
    title="benchstat's table",
    head=(
        r"name (?=.{0,200}(?:/op|/s|speed)){heading:text}$",
        r"│ (?=.{0,400}(?:/op|/s)){heading:text}$",
        r"cpu: {processor:text}$",
        r"goos: {option.goos:w}",
    ),
    rows=(r"(?!geomean|\[Geo)(?=\S+ [\d.]\S* ± +(?:\d+|∞)%){name:w} {cells:text}$",),
    quantities={"time": Quantity.TIME, "speed": Quantity.BANDWIDTH},
    shape=_shape,
    compares="column",
)
GRAMMARS = (BENCHSTAT,)
