"""Defects in pyperf's JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from benchmarks.audit_corpus.planted_prints.frame import Format, Kind, Plant, Rng
from benchmarks.audit_corpus.planted_prints.series import Series, Values, in_json, of_values, quiet


def _runs(document: Any, at: int) -> list[Any]:
    return [run for run in document["benchmarks"][at]["runs"] if run.get("values")]


def _read(text: str) -> list[Values]:
    document = json.loads(text)
    return [
        [value for run in _runs(document, at) for value in run["values"]] for at in range(len(document["benchmarks"]))
    ]


def _write(text: str, at: int, values: Values) -> str:
    document, rest = json.loads(text), list(values)
    for run in _runs(document, at):
        run["values"], rest = rest[: len(run["values"])], rest[len(run["values"]) :]
    return json.dumps(document)


def _later_runs(name: str, value: object, share: float = 0.5) -> Plant:
    """The later runs of the first benchmark say another thing of themselves."""

    def change(document: Any, _: Rng) -> object:
        runs = _runs(document, 0)
        if len(runs) < 2:
            return False
        facts = document.get("metadata", {}) | document["benchmarks"][0].get("metadata", {})
        before = facts.get(
            name, runs[0].get("metadata", {}).get(name, "0=3400 MHz; 1=3400 MHz" if name == "cpu_freq" else "0")
        )
        for at, run in enumerate(runs):
            run.setdefault("metadata", {})[name] = value if at >= len(runs) * share else before
        return True

    return in_json(change)


def _facts(**facts: object) -> Plant:
    def change(document: Any, _: Rng) -> object:
        for run in _runs(document, 0):
            for name in facts:
                run.get("metadata", {}).pop(name, None)
        document["benchmarks"][0].setdefault("metadata", {}).update(facts)
        return True

    return in_json(change)


def _second(change_of: Callable[[Any], object]) -> Plant:
    def change(document: Any, _: Rng) -> object:
        if len(document["benchmarks"]) < 2:
            return False
        first = {"cpu_model_name": "CPU", "hostname": "here", "python_version": "3.12.1"}
        facts = [benchmark.setdefault("metadata", {}) for benchmark in document["benchmarks"][:2]]
        facts[0].update(first)
        change_of(facts[1])
        return True

    return in_json(change)


def _one_process(document: Any, _: Rng) -> object:
    runs = _runs(document, 0)
    if len(runs) < 2:
        return False
    document["benchmarks"][0]["runs"] = [runs[0] | {"values": [value for run in runs for value in run["values"]]}]
    return True


def _slow_process(document: Any, _: Rng) -> object:
    runs = _runs(document, 0)
    if len(runs) < 6:
        return False
    runs[len(runs) // 2]["values"] = [1.6 * value for value in runs[len(runs) // 2]["values"]]
    return True


def _scaled(factor: float) -> Plant:
    """Values of the first benchmark, and nothing else of it."""

    def change(document: Any, _: Rng) -> object:
        runs = _runs(document, 0)
        if not any("duration" in run.get("metadata", {}) for run in runs):
            return False
        for run in runs:
            run["values"] = [factor * value for value in run["values"]]
        return True

    return in_json(change)


def _one_loop(document: Any, _: Rng) -> object:
    runs = _runs(document, 0)
    first = runs[0]["values"][0]
    for run in runs:
        run["values"] = [5e-8 * value / first for value in run["values"]]
    timer = "clock_gettime(CLOCK_MONOTONIC), resolution: 1.00 ns"
    document["benchmarks"][0].setdefault("metadata", {}).update(loops=1, inner_loops=1, timer=timer)
    return True


_KINDS = (
    *of_values(Series(_read, _write)),
    Kind("one process slower by 60 %", "W first-trial|drift|modes", in_json(_slow_process), by_chance=True),
    Kind("one process alone", "W false-replication", in_json(_one_process)),
    Kind("one loop of 50 ns", "F timer", in_json(_one_loop)),
    Kind(
        "hosts differ between runs",
        "W contradiction|apples-and-oranges|said-by-the-tool",
        _later_runs("hostname", "other"),
    ),
    Kind(
        "processors differ between runs",
        "F contradiction|apples-and-oranges",
        _later_runs("cpu_model_name", "Other CPU @ 2 GHz"),
    ),
    Kind("Pythons differ between runs", "F contradiction|apples-and-oranges", _later_runs("python_version", "2.7.18")),
    Kind("affinity differs between runs", "W contradiction|said-by-the-tool", _later_runs("cpu_affinity", "7")),
    Kind(
        "frequency falls to a third",
        "W contradiction|said-by-the-tool",
        _later_runs("cpu_freq", "0=1100 MHz; 1=1100 MHz"),
    ),
    Kind("loops differ between runs", "W contradiction|said-by-the-tool", _later_runs("loops", 1)),
    Kind("the machine was loaded", "W said-by-the-tool|contradiction", _facts(load_avg_1min=9.5, cpu_count=4)),
    Kind(
        "powersave governor",
        "W said-by-the-tool|contradiction",
        _facts(cpu_config="0-3=driver:acpi-cpufreq, governor:powersave"),
    ),
    Kind(
        "the second on another processor",
        "W contradiction|apples-and-oranges|said-by-the-tool",
        _second(lambda facts: facts.update(cpu_model_name="Other CPU @ 2 GHz")),
    ),
    Kind(
        "the second on another host",
        "W contradiction|apples-and-oranges|said-by-the-tool",
        _second(lambda facts: facts.update(hostname="other")),
    ),
    Kind(
        "the second with another Python",
        "W contradiction|apples-and-oranges|said-by-the-tool",
        _second(lambda facts: facts.update(python_version="2.7.18")),
    ),
    Kind("values times 1000", "F contradiction", _scaled(1000.0)),
    Kind("values times 3", "F contradiction", _scaled(3.0)),
)


def _made() -> str:
    """Two benchmarks of twenty processes with three values each."""
    benchmarks = []
    for number, name in enumerate(("plain", "signed"), 1):
        values = quiet(1e-6 * number, 60, number)
        runs = [
            {"metadata": {"duration": 0.0001 + 2**17 * sum(three)}, "values": three}
            for three in (values[at : at + 3] for at in range(0, 60, 3))
        ]
        facts = {"name": name, "loops": 2**17, "hostname": "here", "cpu_model_name": "CPU", "python_version": "3.12.1"}
        benchmarks.append({"metadata": facts, "runs": runs})
    return json.dumps({"benchmarks": benchmarks, "version": "1.0"})


FORMATS = (
    Format(
        "pyperf",
        _KINDS,
        samples=("pyperf.json", "pyperf-suite.json"),
        prints=("pyperf",),
        others={"twenty processes": _made()},
    ),
)
