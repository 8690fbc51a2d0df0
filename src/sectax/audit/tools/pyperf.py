"""pyperf: JSON of a benchmark or a suite, with process metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sectax.audit.form import Cold, Quantity
from sectax.audit.reading.document import number
from sectax.audit.reading.grammar import Json, Record, Text
from sectax.audit.reading.printed import Number, read
from sectax.formats import json_text

# Unit -> metric, and the kind of its numbers.
_UNITS = {"second": ("time", "s"), "byte": ("memory", "b"), "integer": ("count", "n")}
_RESOLUTION = re.compile(r"resolution: ([0-9.]{1,20} (?:ns|us|ms|sec))\b")


def _records(document: Any) -> list[Record]:
    """Return a record per process with values; others only calibrate loops."""
    records = []
    for at, benchmark in enumerate(document["benchmarks"]):
        facts = (document.get("metadata") or {}) | (benchmark.get("metadata") or {})
        runs = [run for run in benchmark["runs"] if run.get("values")]
        for run in runs:
            records.append(_process(run, facts | (run.get("metadata") or {}), at))
            records[-1].fields["replicates"] = [Number(float(len(runs)))]
    return records


def _process(run: Mapping[str, Any], facts: Mapping[str, Any], benchmark: int) -> Record:
    name = str(facts.get("name", f"benchmark {benchmark + 1}"))
    record, (metric, kind) = Record(1, ended=True), _UNITS.get(str(facts.get("unit", "second")), ("other", "n"))
    values = [number(value, kind, f"benchmarks[{benchmark}].values[{at}]") for at, value in enumerate(run["values"])]
    record.put({"name": name}, {"benchmark": name})
    record.fields[f"{metric}.values"] = [*values]
    loops, inner = (json_text.whole(facts.get(name)) for name in ("loops", "inner_loops"))
    record.put(
        {
            # Warm-up values are recorded, but not used.
            "cold": Cold.APART if run.get("warmups") else None,
            "batch": Number(float(loops * (inner or 1))) if loops is not None else None,
            "processor": json_text.text(facts, "cpu_model_name"),
            "runtime": json_text.text(facts, "python_implementation", "python_version"),
        }
    )
    match = _RESOLUTION.search(json_text.text(facts, "timer") or "")
    if match is not None and isinstance(step := read("t", match[1]), Number) and step.value:
        record.fields["granularity_s"] = [step]
    return record


PYPERF = Json(
    name="pyperf",
    title="pyperf's JSON",
    keys=("benchmarks", "runs"),
    records=_records,
    repeats=True,
    # Loops are doubled up to --min-time; --loops is not recorded.
    fixed={"calibrated": True, "replicate": "process"},
    quantities={"count": Quantity.COUNT},
)
PYPERF_TEXT = Text(
    name="pyperf",
    title="the output of pyperf show or stats",
    starts=(r"(?=.{1,400}$)(?:{level.benchmark:text}: )?Mean \+- std dev: {time.mean:t} \+- {time.stddev:t}$",),
    head=(
        r"Number of run with values: {replicates:n}$",
        r"Total number of values: {count:n}$",
        r"Minimum: {time.min:t}$",
        r"Median \+- MAD: {time.median:t} \+- {time.mad:t}$",
    ),
    lines=(r"Maximum: {time.high:t}$",),
    warns=(r"WARNING: the benchmark result may be unstable",),
    fixed={"calibrated": True, "replicate": "process"},
)
