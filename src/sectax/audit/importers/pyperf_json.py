"""What `pyperf … -o FILE` writes: one benchmark or a suite."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from statistics import fmean, stdev

import msgspec

from sectax.audit.evidence import Evidence, Twice
from sectax.audit.figure import Circumstances, Cold, Figure, Quantity
from sectax.audit.importers.hyperfine import HYPERFINE
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.audit.importers.pytest_benchmark import PYTEST_BENCHMARK
from sectax.audit.importers.said import Said
from sectax.formats import json_text
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import LARGEST
from sectax.model.finding import Severity
from sectax.model.printable import printable

_UNITS = {"second": Quantity.TIME, "byte": Quantity.MEMORY, "integer": Quantity.COUNT}
_RESOLUTION = re.compile(r"resolution: ([0-9.]+) (ns|us|ms|sec)")
_MHZ = re.compile(r"=([0-9]{2,6}) MHz")
# What all processes of a benchmark share, and whether it is another machine or program where they do not.
_SHARED = {
    "hostname": True,
    "cpu_model_name": True,
    "python_version": True,
    "python_implementation": True,
    "platform": False,
    "cpu_affinity": False,
    "timer": False,
    "loops": False,
    "inner_loops": False,
}
# Of a process's time, that its values may be more, and must be at the least: setting up may take most of it.
LONGER, LEAST_MEASURED = 0.05, 0.005
# Processes that wait or run for each processor, beside the one that measures; and frequencies of one benchmark.
MOST_LOAD, MOST_FASTER = 0.75, 1.5
# From which on `pyperf check` calls a benchmark unstable, as a share of its mean.
MOST_DEVIATION = 0.1
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "sec": 1.0}


class _Run(msgspec.Struct):
    values: list[float] = []
    warmups: list[tuple[int, float]] = []
    metadata: dict[str, object] = {}


class _Benchmark(msgspec.Struct):
    runs: list[_Run]
    metadata: dict[str, object] = {}


class _Suite(msgspec.Struct):
    benchmarks: list[_Benchmark]
    metadata: dict[str, object] = {}


def _read(lines: Iterable[str]) -> Evidence:
    suite = json_text.read(lines, _Suite, "pyperf")
    facts = [suite.metadata | each.metadata for each in suite.benchmarks]
    figures = [_figure(at, each, facts[at]) for at, each in enumerate(suite.benchmarks)]
    said = Said()
    twice: list[Twice] = []
    for at, (benchmark, figure) in enumerate(zip(suite.benchmarks, figures, strict=True)):
        runs = [(run, facts[at] | run.metadata) for run in benchmark.runs if run.values]
        _unlike_runs(said, figure.id, [told for _, told in runs])
        _disturbed(said, figure.id, [told for _, told in runs])
        if figure.quantity is Quantity.TIME:
            twice += _durations(figure.id, runs)
            _unstable(said, figure)
    if len(facts) > 1:
        _unlike_benchmarks(said, [_told_first(each, facts[at]) for at, each in enumerate(suite.benchmarks)])
    return evidence(figures, "pyperf", incidents=said.incidents(), twice=twice)


def _unstable(said: Said, figure: Figure) -> None:
    """A spread that `pyperf check` warns of."""
    name, values = printable(figure.id, 60), figure.values
    deviation = stdev(values) / fmean(values) if len(values) > 1 and fmean(values) > 0 else 0.0
    if deviation >= MOST_DEVIATION:
        saw = f"the standard deviation of {name} is {100 * deviation:.0f} % of its mean"
        said.add(Severity.WARNING, 0, saw, "pyperf itself calls a benchmark unstable from 10 % on", "modes")


def _told_first(benchmark: _Benchmark, facts: dict[str, object]) -> dict[str, object]:
    return facts | next((run.metadata for run in benchmark.runs if run.values), {})


def _unlike_runs(said: Said, name: str, facts: list[dict[str, object]]) -> None:
    """What the processes of one benchmark must share, and do not."""
    for fact, of_machine in _SHARED.items():
        told = _different(facts, fact)
        if len(told) > 1:
            said.add(
                Severity.FATAL if of_machine else Severity.WARNING,
                0,
                f"the processes of {printable(name, 60)} differ in {fact}: {' and '.join(told[:3])}",
                "its figure is of neither" if of_machine else "its values are not all of the same thing",
                "apples-and-oranges" if of_machine else "said-by-the-tool",
            )


def _unlike_benchmarks(said: Said, facts: list[dict[str, object]]) -> None:
    for fact in _SHARED.keys() - {"loops", "inner_loops", "cpu_model_name"}:
        told = _different(facts, fact)
        if len(told) > 1:
            meaning = "set beside each other they show the difference of that as well"
            said.add(Severity.WARNING, 0, f"the benchmarks differ in {fact}: {' and '.join(told[:3])}", meaning)


def _different(facts: list[dict[str, object]], name: str) -> list[str]:
    return [printable(each, 60) for each in dict.fromkeys(str(told[name]) for told in facts if name in told)]


def _disturbed(said: Said, name: str, facts: list[dict[str, object]]) -> None:
    """What else the machine did, and how fast it ran meanwhile."""
    loads = [(load, json_text.whole(told.get("cpu_count")) or 1) for told in facts if (load := _load(told)) is not None]
    busy = [(load, count) for load, count in loads if load > 1 + MOST_LOAD * count]
    if busy:
        load, count = max(busy)
        saw = (
            f"{printable(name, 60)}: a load of {load:g} on {count} processors, in {len(busy)} of {len(facts)} processes"
        )
        said.add(Severity.WARNING, 0, saw, "other programs ran at the same time, and took a part of the machine")
    clocks = [max(found) for told in facts if (found := _MHZ.findall(str(told.get("cpu_freq", ""))))]
    speeds = sorted(float(each) for each in clocks)
    if speeds and speeds[-1] > MOST_FASTER * speeds[0]:
        saw = f"{printable(name, 60)}: the processor ran at {speeds[0]:g} to {speeds[-1]:g} MHz"
        said.add(Severity.WARNING, 0, saw, "its values are of unlike speeds of the processor")
    for told in facts:
        config = str(told.get("cpu_config", ""))
        if "governor:powersave" in config and "intel_pstate" not in config and "amd-pstate" not in config:
            meaning = "the processor is held at its lowest frequency"
            said.add(Severity.WARNING, 0, f"{printable(name, 60)}: the governor is powersave", meaning)
            break


def _load(facts: dict[str, object]) -> float | None:
    value = facts.get("load_avg_1min")
    return float(value) if isinstance(value, (int, float)) else None


def _durations(name: str, runs: list[tuple[_Run, dict[str, object]]]) -> Iterator[Twice]:
    """A process lasts as long as its values and warm-ups, each times its loops, and a little longer."""
    for run, facts in runs:
        lasted, inner = facts.get("duration"), json_text.whole(facts.get("inner_loops")) or 1
        if not isinstance(lasted, (int, float)) or not 0 < lasted < LARGEST:
            continue
        values = sum(run.values) * (json_text.whole(facts.get("loops")) or 1) * inner
        took = values + sum(loops * value for loops, value in run.warmups) * inner
        if took > (1 + LONGER) * lasted or took < LEAST_MEASURED * lasted:
            yield Twice(
                f"the time of a process of {printable(name, 60)}, in seconds,",
                float(lasted),
                took,
                "its values times their loops make",
                0.0,
                (name,),
                severity=Severity.FATAL if took > lasted else Severity.WARNING,
            )
            return


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
