"""What `pyperf … -o FILE` writes: one benchmark or a suite."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, Cold, Figure, Quantity
from sectax.audit.importers.hyperfine import HYPERFINE
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.audit.importers.pytest_benchmark import PYTEST_BENCHMARK
from sectax.formats import json_text
from sectax.formats.bad_input import BadInput
from sectax.model.printable import printable

_UNITS = {"second": Quantity.TIME, "byte": Quantity.MEMORY, "integer": Quantity.COUNT}
_RESOLUTION = re.compile(r"resolution: ([0-9.]+) (ns|us|ms|sec)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "sec": 1.0}


class _Run(msgspec.Struct):
    values: list[float] = []
    warmups: list[tuple[int, float]] = []


class _Benchmark(msgspec.Struct):
    runs: list[_Run]
    metadata: dict[str, object] = {}


class _Suite(msgspec.Struct):
    benchmarks: list[_Benchmark]
    metadata: dict[str, object] = {}


def _read(lines: Iterable[str]) -> Evidence:
    suite = json_text.read(lines, _Suite, "pyperf")
    figures = [_figure(at, each, suite.metadata | each.metadata) for at, each in enumerate(suite.benchmarks)]
    return evidence(figures, "pyperf")


def _figure(at: int, benchmark: _Benchmark, facts: dict[str, object]) -> Figure:
    name = str(facts.get("name", f"benchmark {at + 1}"))
    unit = facts.get("unit", "second")
    if not isinstance(unit, str) or unit not in _UNITS:
        raise BadInput(
            f"benchmarks[{at}] has the unit {printable(str(unit), 40)!r}", f"pyperf knows {', '.join(_UNITS)}"
        )
    quantity = _UNITS[unit]
    counted = [run for run in benchmark.runs if run.values]
    values = tuple(
        value
        for number, run in enumerate(benchmark.runs)
        for value in json_text.checked(run.values, f"benchmarks[{at}].runs[{number}].values")
    )
    warmed = bool(counted) and all(run.warmups for run in counted)
    timed = quantity is Quantity.TIME
    loops = json_text.whole(facts.get("loops"))
    told = Circumstances(
        operation=name,
        # pyperf throws the warm-ups away, and writes down that it did.
        cold=Cold.APART if warmed else None,
        warm_up_trials=min(len(run.warmups) for run in counted) if warmed else None,
        replicates=len(counted) or None,
        replicate="process" if counted else None,
        per_replicate=tuple(len(run.values) for run in counted) or None,
        granularity_s=_granularity(facts) if timed else None,
        batch=None if loops is None else float(loops * (json_text.whole(facts.get("inner_loops")) or 1)),
        # Loops are doubled until a value lasts as long as --min-time asks; --loops leaves no trace.
        calibrated=True,
        processor=json_text.text(facts, "cpu_model_name"),
        runtime=json_text.text(facts, "python_implementation", "python_version"),
    )
    of = Measurement(name, {"benchmark": name}, told, len(values))
    return of.figure("time" if timed else unit, quantity, id=name, values=values)


def _granularity(facts: dict[str, object]) -> float | None:
    found = _RESOLUTION.search(json_text.text(facts, "timer") or "")
    try:
        return float(found[1]) * _SECONDS[found[2]] or None if found is not None else None
    except ValueError:
        return None


PYPERF = Importer(
    "pyperf",
    "pyperf's JSON",
    _read,
    known=lambda head: (
        head.lstrip().startswith("{")
        and '"benchmarks"' in head
        and not HYPERFINE.recognises(head)
        and not PYTEST_BENCHMARK.recognises(head)
    ),
)
