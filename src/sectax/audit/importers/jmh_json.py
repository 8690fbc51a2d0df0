"""What JMH writes with `-rf json`. Source: JSONResultFormat of openjdk/jmh."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Figure
from sectax.audit.importers.jmh_agree import both_ways, error_of, modes_fit, of_setups
from sectax.audit.importers.jmh_results import Benchmark, Row, of_benchmark, of_row
from sectax.audit.importers.microbench import of_names, wide_errors
from sectax.formats import json_text
from sectax.formats.bad_input import BadInput
from sectax.model.finding import Severity
from sectax.model.printable import printable

_KNOWN = re.compile(r'\s*+\[?\s*+\{.{0,4000}?"(?:jmhVersion|primaryMetric)"\s*+:', re.DOTALL)
# Nothing but a comma stands between two objects of a document.
_PARTED = re.compile(r"\}\s*+\{")
_STATED = {"min": "0.0", "median": "50.0", "max": "100.0"}


def is_json_of_jmh(head: str) -> bool:
    """Whether the beginning of a file is of it; results may be copied without the brackets around them."""
    return _KNOWN.match(head) is not None


class _Metric(msgspec.Struct):
    score: float | str
    scoreUnit: str
    scoreError: float | str = "NaN"
    scoreConfidence: list[float | str] = []
    rawData: list[list[float | str]] = []
    # Of samples: by fork and iteration, each value and how often it came, in no order of time.
    rawDataHistogram: list[list[list[tuple[float, int]]]] = []
    scorePercentiles: dict[str, float | str] = {}


class _Result(msgspec.Struct):
    benchmark: str
    mode: str
    primaryMetric: _Metric
    params: dict[str, str] = {}
    warmupIterations: int | None = None
    jdkVersion: str | None = None
    vmName: str | None = None
    vmVersion: str | None = None
    jvmArgs: list[str] | None = None
    threads: int | None = None
    forks: int | None = None
    warmupTime: str | None = None
    measurementIterations: int | None = None
    measurementTime: str | None = None


def of_json(lines: Iterable[str]) -> Evidence:
    """Its results as evidence. Raises `BadInput`."""
    results = json_text.read(_bracketed(lines), list[_Result], "JMH")
    figures: list[Figure] = []
    incidents: list[Incident] = []
    contradictions: list[Twice] = []
    errors: list[tuple[str, float, float]] = []
    for at, result in enumerate(results):
        metric, where = result.primaryMetric, f"[{at}].primaryMetric"
        runtime = " ".join(each for each in (result.vmName, result.jdkVersion) if each) or None
        if metric.score == "NaN":
            incidents.append(
                Incident(Severity.FATAL, f"the score of {result.benchmark} is NaN", "nothing was measured there")
            )
            continue
        (score,) = json_text.checked((_plain(metric.score, f"{where}.score"),), f"{where}.score")
        benchmark = Benchmark(
            result.benchmark, result.mode, result.params, 0, result.warmupIterations, result.threads, metric.scoreUnit
        )
        benchmark.forks = [
            list(json_text.checked((_plain(each, where) for each in fork), f"{where}.rawData[{number}]"))
            for number, fork in enumerate(metric.rawData)
        ]
        if isinstance(metric.scoreError, float):
            errors.append((benchmark.label, score, metric.scoreError))
        if any(benchmark.forks) and result.mode != "sample":
            benchmark.stated = {"mean": score} | {
                name: _plain(value, where)
                for name, share in _STATED.items()
                if (value := metric.scorePercentiles.get(share, "NaN")) != "NaN"
            }
            contradictions += _error_and_counts(result, benchmark, score)
        else:
            benchmark.quantiles = {
                share: _plain(value, where)
                for share, value in metric.scorePercentiles.items()
                if value != "NaN" and re.fullmatch(r"\d{1,3}(?:\.\d{1,9})?", share)
            }
            if samples := _single_samples(metric):
                benchmark.forks, benchmark.single = samples, True
        made = list(of_benchmark(benchmark, runtime))
        figures += made
        if not made:
            row = Row(result.benchmark, result.params, result.mode, None, score, None, metric.scoreUnit, 0)
            figures.append(of_row(row, runtime))
    twice = list(both_ways(figures))
    incidents += wide_errors(errors, "JMH")
    incidents += of_setups([_setup(result) for result in results])
    incidents += modes_fit((each.benchmark, each.mode, each.primaryMetric.scoreUnit) for each in results)
    return of_names(figures, "JMH", incidents, [*contradictions, *twice])


def _bracketed(lines: Iterable[str]) -> Iterator[str]:
    """The document; with brackets around it and commas in it where results were copied one by one."""
    text = "\n".join(lines).strip()
    if text.startswith("{"):
        text = "[" + _PARTED.sub("},{", text).rstrip(",] \n\t") + "]"
    yield text


def _setup(result: _Result) -> dict[str, str]:
    """How a benchmark was run, by names that people know it by; what JMH does not tell is left out."""
    # A development environment adds an agent with a port of its own to each run.
    options = [each for each in result.jvmArgs or () if not each.startswith("-javaagent:")]
    told = {
        "threads": result.threads,
        "forks": result.forks,
        "warm-up iterations": result.warmupIterations,
        "warm-up time": result.warmupTime,
        "iterations": result.measurementIterations,
        "time of an iteration": result.measurementTime,
        "version of the JVM": " ".join(each for each in (result.jdkVersion, result.vmVersion) if each) or None,
        "options of the JVM": (" ".join(options) or "none") if result.jvmArgs is not None else None,
    }
    # Single shots are meant to be few, and often cold.
    left_out = ("warm-up iterations", "warm-up time", "iterations", "time of an iteration")
    return {
        name: str(value)
        for name, value in told.items()
        if value is not None and not (result.mode == "ss" and name in left_out)
    }


def _error_and_counts(result: _Result, benchmark: Benchmark, score: float) -> Iterator[Twice]:
    """The error and the interval of a score, and the number of its iterations, beside the iterations themselves."""
    metric, name = result.primaryMetric, printable(benchmark.label, 60)
    values = [value for fork in benchmark.forks for value in fork]
    error = metric.scoreError
    if isinstance(error, float) and error > 0:
        if len(values) > 2:
            of = f"by its {len(values)} iterations it is"
            yield Twice(f"the error of {name}", error, error_of(values), of, 0.0, tolerance=0.01)
        ends = [each for each in metric.scoreConfidence if isinstance(each, float)]
        if len(ends) == 2:
            yield Twice(f"the middle of the interval of {name}", sum(ends) / 2, score, "its score is", 0.01 * error)
    for what, told, there in (
        ("forks", result.forks or None, len(benchmark.forks)),
        ("iterations", result.measurementIterations, min(map(len, benchmark.forks))),
    ):
        if told is not None and told != there:
            yield Twice(f"the number of {what} of {name}", told, there, "those that there are number", 0.0, (), 0.0)


def _single_samples(metric: _Metric) -> list[list[float]]:
    """The samples of each fork in their order, where every iteration has one; nothing where it has more."""
    forks = metric.rawDataHistogram
    if not all(len(iteration) == 1 and iteration[0][1] == 1 for fork in forks for iteration in fork):
        return []
    return [list(json_text.checked((each[0][0] for each in fork), "rawDataHistogram")) for fork in forks]


def _plain(value: float | str, where: str) -> float:
    """JMH writes what is not finite as a text."""
    if isinstance(value, str):
        raise BadInput(f"{where} is {value}", "every value must be a finite number of 0 or more")
    return value
