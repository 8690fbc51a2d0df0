"""pyperf's JSON: one benchmark or a suite, with the metadata of each process (pyperf/_bench.py, _metadata.py)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sectax.audit.form import Cold, Quantity, Trouble, TroubleKind
from sectax.audit.reading.document import number
from sectax.audit.reading.grammar import Json, Promise, Record
from sectax.audit.reading.printed import Number, read
from sectax.formats import json_text
from sectax.formats.bad_input import BadInput
from sectax.text.printable import printable

# Unit -> metric, and the kind of its numbers.
_UNITS = {"second": ("time", "s"), "byte": ("memory", "b"), "integer": ("count", "n")}
_RESOLUTION = re.compile(r"resolution: ([0-9.]{1,20} (?:ns|us|ms|sec))\b")
# What all processes of a benchmark share, beside the processor and the runtime.
_SHARED = ("hostname", "platform", "cpu_affinity", "timer", "loops", "inner_loops")
# Processes that run or wait for each processor, beside the one that measures.
_MOST_LOAD = 0.75


def _records(document: Any) -> list[Record]:
    suite = document.get("metadata") or {}
    return [
        record
        for at, benchmark in enumerate(document["benchmarks"])
        for record in _benchmark(at, benchmark, suite | (benchmark.get("metadata") or {}))
    ]


def _benchmark(at: int, benchmark: Mapping[str, Any], facts: dict[str, Any]) -> list[Record]:
    """A record for each process that gave values; others only chose the number of loops."""
    name, unit = str(facts.get("name", f"benchmark {at + 1}")), facts.get("unit", "second")
    if unit not in _UNITS:
        raise BadInput(f"benchmarks[{at}] has the unit {printable(str(unit), 40)!r}", f"known are {', '.join(_UNITS)}")
    told = [(run, facts | (run.get("metadata") or {})) for run in benchmark["runs"] if run.get("values")]
    records = [_process(run, of_run, name, unit, f"benchmarks[{at}]") for run, of_run in told]
    for record in records:
        record.fields["replicates"] = [Number(float(len(records)))]
    if records:
        records[0].troubles += _doubts(name, [of_run for _, of_run in told])
    return records


def _process(run: Mapping[str, Any], facts: Mapping[str, Any], name: str, unit: str, where: str) -> Record:
    record, (metric, kind) = Record(1, ended=True), _UNITS[unit]
    values = [number(value, kind, f"{where}.values[{at}]") for at, value in enumerate(run["values"])]
    record.fields |= {"name": [name], "level.benchmark": [name], f"{metric}.values": [*values]}
    inner = json_text.whole(facts.get("inner_loops")) or 1
    loops = json_text.whole(facts.get("loops"))
    warmups: Sequence[Any] = run.get("warmups") or ()
    if warmups:
        # They were thrown away, and written down.
        record.fields["cold"] = [Cold.APART]
    if loops is not None:
        record.fields["batch"] = [Number(float(loops * inner))]
    for field, fact in (
        ("processor", json_text.text(facts, "cpu_model_name")),
        ("runtime", json_text.text(facts, "python_implementation", "python_version")),
    ):
        if fact is not None:
            record.fields[field] = [fact]
    if unit == "second":
        _times(record, facts, values, loops or 1, inner, warmups)
    return record


def _times(
    record: Record, facts: Mapping[str, Any], values: list[Number], loops: int, inner: int, warmups: Sequence[Any]
) -> None:
    found = _RESOLUTION.search(json_text.text(facts, "timer") or "")
    if found is not None and isinstance(step := read("t", found[1]), Number) and step.value:
        record.fields["granularity_s"] = [step]
    if isinstance(lasted := facts.get("duration"), int | float) and lasted > 0:
        of_warmups = sum(float(count) * float(value) for count, value in warmups)
        measured = inner * (loops * sum(value.value for value in values) + of_warmups)
        record.fields |= {"lasted": [Number(float(lasted))], "measured": [Number(measured)]}


def _doubts(name: str, facts: list[dict[str, Any]]) -> list[Trouble]:
    found = []
    for fact in _SHARED:
        different = list(dict.fromkeys(str(of_run[fact]) for of_run in facts if fact in of_run))
        if len(different) > 1:
            found.append(f"{name}: {fact} {' / '.join(printable(one, 60) for one in different[:3])}")
    loads = [(of_run.get("load_avg_1min"), json_text.whole(of_run.get("cpu_count")) or 1) for of_run in facts]
    busy = [(load, count) for load, count in loads if isinstance(load, float) and load > 1 + _MOST_LOAD * count]
    if busy:
        found.append("{}: load_avg_1min {:g}, cpu_count {}".format(name, *max(busy)))
    return [Trouble(TroubleKind.WARNED, 1, text) for text in found]


PYPERF = Json(
    name="pyperf",
    title="pyperf's JSON",
    keys=("benchmarks", "runs"),
    records=_records,
    repeats=True,
    # Loops are doubled until a value lasts as long as --min-time asks; --loops leaves no trace.
    fixed={"calibrated": True, "replicate": "process"},
    quantities={"memory": Quantity.MEMORY, "count": Quantity.COUNT},
    promises=(
        Promise("measured <= lasted", within=0.05),
        # To set up may take most of it.
        Promise("measured >= 0.005 * lasted", fatal=False),
    ),
)
GRAMMARS = (PYPERF,)
