"""pytest-benchmark: `--benchmark-json`, and its table."""

from __future__ import annotations

import re

from sectax.audit.reading.grammar import Json, Promise, Record, Text
from sectax.audit.reading.printed import Number, read


def _complete(record: Record) -> None:
    _table(record)
    name = record.text("name") or record.text("short_name") or "benchmark"
    function, _, parameters = name.partition("[")
    levels = {"benchmark": function} | ({"parameters": parameters.removesuffix("]")} if parameters else {})
    record.put({"name": name}, levels)
    values = record.numbers("time.values")
    record.fields |= {"given": [Number(float(len(values)))]} if values else {}


def _table(record: Record) -> None:
    """Return the numbers of a row in heading order, without relative factors."""
    columns, cells = record.text("columns"), record.text("cells")
    if columns is None or cells is None:
        return
    cells = re.sub(r" \((?:inf|nan|[\d.,>]+)\)", "", re.sub(r"\s+", " ", cells))
    for column, cell in zip(re.sub(r"OPS \(\w+/s\)", "OPS", columns).split(), cells.split(), strict=False):
        place = _COLUMNS.get(column, "")
        number = read(record.text("unit") or "s" if place.startswith("time.") else "n", cell)
        record.put({place: number} if place else {})


_COLUMNS = {
    **{name: f"time.{name.lower()}" for name in ("Min", "Mean", "StdDev", "Median", "IQR")},
    "Max": "time.high",
    "Rounds": "count",
    "Iterations": "batch",
}
# All rounds run in one process.
_FIXED = {"calibrated": True, "replicates": Number(1.0), "replicate": "process"}
PYTEST_TABLE = Text(
    name="pytest-benchmark",
    title="pytest-benchmark's table",
    head=(r"Name \(time in (?=[num]?s\)){unit:w}\) (?=.{0,200}\bRounds\b){columns:text}$",),
    rows=(r"(?=\S+ [\d.,]+(?: \(\S+\))? .{20,600}?(?<=\S)\s++\d++;\d++\s){name:w} {cells:text}$",),
    fails=(r"FAILED \S+\.py\b", r"=+ .{0,60}\d+ failed"),
    fixed=_FIXED,
    promises=(Promise("time.mean <= time.high"),),
    complete=_complete,
)
PYTEST_BENCHMARK = Json(
    name="pytest-benchmark",
    title="pytest-benchmark's JSON",
    keys=("benchmarks", "stats"),
    each="benchmarks[]",
    fields={
        "name": "short_name:text",
        "fullname": "name:text",
        "stats.data[]": "time.values:s",
        **{f"stats.{statistic}": f"time.{statistic}:s" for statistic in ("min", "median", "mean", "stddev")},
        # The slowest round alone supports no conclusion.
        "stats.max": "time.high:s",
        "stats.rounds": "count:n",
        "stats.iterations": "batch:n",
        **{f"options.{option}": f"option.{option}:text" for option in ("timer", "disable_gc", "warmup")},
        "/machine_info.python_version": "runtime:text",
        "/machine_info.cpu.brand_raw": "processor:text",
    },
    fixed=_FIXED,
    promises=(Promise("given = count", within=0.0), Promise("time.mean <= time.high")),
    complete=_complete,
)
