"""Google Benchmark: its console table and JSON (google/benchmark)."""

from __future__ import annotations

from sectax.audit.form import Trouble, TroubleKind
from sectax.audit.reading.grammar import Json, Record, Text
from sectax.audit.reading.printed import Number, read
from sectax.audit.reading.registry import split_levels

_AGGREGATES = ("mean", "median", "stddev")


def _shape(records: list[Record]) -> list[Record]:
    """Repetitions are values; their aggregates count only alone."""
    results = []
    single = {record.text("row") for record in records if record.text("aggregate") is None}
    for record in records:
        name, aggregate = record.text("row") or "", record.text("aggregate") or "one"
        taken = read("t", f"{record.text('amount')} {record.text('unit')}")
        if "message" in record.fields:
            record.troubles.append(Trouble(TroubleKind.FAILED, record.line, f"{name} failed"))
        elif isinstance(taken, Number) and (aggregate == "one" or (aggregate in _AGGREGATES and name not in single)):
            record.put({"name": name, f"time.{aggregate}": taken}, split_levels(name))
            if aggregate != "one" and "batch" in record.fields:
                record.fields["count"] = record.fields.pop("batch")
        else:
            continue
        results.append(record)
    return results


def _shape_table(records: list[Record]) -> list[Record]:
    rows = [(record, str(row).split()) for record in records for row in record.fields.get("rows", ())]
    results = [Record(table.line, dict(table.fields), ended=True) for table, _ in rows]
    for record, (_, (row, amount, unit, _, _, batch, *_)) in zip(results, rows, strict=True):
        name, _, aggregate = row.rpartition("_")
        record.put({"row": row, "amount": amount, "unit": unit, "batch": read("n", batch)})
        record.put({"row": name, "aggregate": aggregate} if aggregate in (*_AGGREGATES, "cv") and name else {})
    return _shape(results)


GOOGLE_BENCHMARK = Text(
    name="google-benchmark",
    title="the table of Google Benchmark",
    means="Time is wall time of one call, in a loop whose length fits --benchmark_min_time.",
    starts=(r"{table:flag}Benchmark Time CPU",),
    lines=(r"(?=\S{1,400} [\d.]{1,20} [num]?s [\d.]{1,20} [num]?s \d){rows:text}$",),
    fails=(r"\S{1,400} (?:ERROR OCCURRED|SKIPPED): ",),
    warns=(r"\*\*\*WARNING\*\*\* ",),
    repeats=True,
    fixed={"calibrated": True},
    shape=_shape_table,
)
GOOGLE_BENCHMARK_JSON = Json(
    name="google-benchmark",
    title="Google Benchmark's JSON",
    keys=("context", "benchmarks", "real_time"),
    each="benchmarks[]",
    fields={
        "run_name": "row:text",
        "aggregate_name": "aggregate:text",
        "real_time": "amount:text",
        "time_unit": "unit:text",
        "iterations": "batch:n",
        "error_message": "message:text",
        "/context.library_build_type": "option.build:text",
    },
    repeats=True,
    fixed={"calibrated": True},
    shape=_shape,
)
