"""What the Java Microbenchmark Harness prints, and what it writes with `-rf json`.

Source: TextReportFormat, TextResultFormat, JSONResultFormat and Result of openjdk/jmh. Text has three digits after the
point, in the locale of whoever ran it: '12,345' is twelve there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev

import msgspec

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Circumstances, Cold, Figure, Quantity
from sectax.audit.importers.microbench import of_names, per_operation, too_wide
from sectax.audit.importers.parts import Importer, Measurement, by_first_line
from sectax.audit.importers.said import Said
from sectax.audit.importers.sizes import named_size
from sectax.formats import json_text
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number
from sectax.model.finding import Severity
from sectax.model.printable import printable

_BEGINS = re.compile(
    r"^(?:# JMH (?:version: |\d)"
    r"|[ \t]*+Benchmark[ \t](?:[^\n]{0,1000}[ \t])?Mode[ \t]++(?:Cnt|Samples|Thr)[ \t])",
    re.MULTILINE,
)
_JSON = re.compile(r'\s*+\[\s*+\{.{0,2000}?"(?:jmhVersion|primaryMetric)"\s*+:', re.DOTALL)
_FACT = re.compile(
    r"# (Benchmark|Benchmark mode|Parameters|VM version|VM options|Warmup|Measurement|Threads|Fork): (.*\S)"
)
_ITERATION = re.compile(r"(# Warmup )?Iteration\s++(\d++): (\S++) (?:±\(99[.,]9%\) \S++ )?([^\s/]++/\S++)")
_RESULT = re.compile(r'Result "?([^":]++)"?:')
_SUMMARY = re.compile(r"\s*+\(min, avg, max\) = \(([^,]++|\d++,\d++), ([^ ]++), ([^)]++)\)")
_QUANTILE = re.compile(r"\s*+p\((\d{1,3}[.,]\d{1,4})\) =\s++(\S++) (\S++/op)")
_HEADER = re.compile(r"\s*+Benchmark\s.*\bMode\s++(?:Thr\s++)?(?:Cnt|Samples)\s")
_WITHOUT_HEADER = re.compile(
    r"\s*+[A-Za-z]\S{1,400}+((?:\s{1,200}+\S{1,200}+){0,6}?)\s{1,200}+(?:thrpt|avgt|sample|ss)\s{1,200}+(?:\d++\s++)?"
    r"[\d≈][\d.,]*+\s.{0,400}/(?:op|ns|us|ms|s|min)$"
)
_PARAMETER = re.compile(r"\(([^()]{1,100})\)")
_MODES = {"thrpt": "Throughput", "avgt": "Average time", "sample": "Sampling time", "ss": "Single shot"}
_SHORT = {long: short for short, long in _MODES.items()}
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_FAILED = re.compile(r"<failure>|<forked VM failed with exit code .{1,20}>|RunnerException: .*|ERROR: .*")
_WARNED = re.compile(
    r"\*\*\* ?WARNING: .*|WARNING: (?:System\.gc|JMH lock|The perf event count|(?:Failed|Unable|Could not) ).*"
)
_QUANTILE_ROW = re.compile(r"(.{1,400}):\S{0,200}[·.]p(\d\.\d{1,9})$")
# Facts of a log, and what people know them by.
_SETUP = {
    "VM version": "version of the JVM",
    "VM options": "options of the JVM",
    "Warmup": "warm-up",
    "Measurement": "iterations",
    "Threads": "threads",
}
_STATED = {"min": "0.0", "median": "50.0", "max": "100.0"}
# What makes the figures of a benchmark doubtful: a fact of its setup and its value, in words, what it means, and which
# check says it.
_DOUBTFUL_SETUPS = (
    (
        "forks",
        "0",
        "it ran in JMH's own JVM, without a fork",
        "what ran before shaped the code that was compiled, so each figure depends on the order",
        "said-by-the-tool",
    ),
    (
        "warm-up iterations",
        "0",
        "there was no warm-up iteration",
        "the first iterations are of code that is not compiled yet, and are part of the figures",
        "first-trial",
    ),
)
# Facts whose difference is one of what was measured, and not only of how.
_DIFFERING = {"version of the JVM": "apples-and-oranges"}
# Throughput and time of one benchmark are measured one after the other, each with its own noise.
MOST_APART = 2.0
# Scores of one name that no noise explains; and rows that are there twice, of which one alone may be chance.
HUNDREDFOLD, FEWEST_AGAIN = 100.0, 2
# What printing takes from scores of iterations, as a share.
OF_ITERATIONS = 0.005


@dataclass
class _Benchmark:
    """One benchmark with its parameters, as the log tells it."""

    name: str
    mode: str
    parameters: dict[str, str]
    line: int
    warmups: int | None = None
    threads: int | None = None
    unit: str = ""
    forks: list[list[float]] = field(default_factory=list)
    single: bool = False
    stated: dict[str, float] = field(default_factory=dict)
    quantiles: dict[str, float] = field(default_factory=dict)
    setup: dict[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        told = ", ".join(f"{key}={value}" for key, value in self.parameters.items())
        return f"{self.name} ({told})" if told else self.name


@dataclass
class _Row:
    """A row of the table at the end."""

    name: str
    parameters: dict[str, str]
    mode: str
    count: int | None
    score: float
    error: float | None
    unit: str
    line: int
    rough: bool = False


def _read(lines: Iterable[str]) -> Evidence:
    return by_first_line(lines, "[", _of_json, _of_text)


def _of_text(lines: Iterable[str]) -> Evidence:
    log: list[_Benchmark] = []
    rows: list[_Row] = []
    said = Said()
    parameters: list[str] | None = None
    facts: dict[str, str] = {}
    for place, line in enumerate(lines, 1):
        if _HEADER.match(line):
            parameters = _PARAMETER.findall(line.partition("Mode")[0])
        elif parameters is None and (above := _WITHOUT_HEADER.match(line)):
            # The names of its parameters were not copied.
            parameters = [f"parameter {at}" for at, _ in enumerate(above[1].split(), 1)]
            rows += filter(None, [_row(line, parameters, place)])
        elif parameters is not None and (row := _row(line, parameters, place)) is not None:
            rows.append(row)
        elif fact := _FACT.match(line):
            facts[fact[1]] = fact[2].strip()
            if fact[1] == "Benchmark":
                log.append(_begun(facts, place))
                facts = {key: facts[key] for key in (*_SETUP, "Benchmark mode") if key in facts}
            elif fact[1] == "Parameters" and log:
                log[-1].parameters = _parameters(fact[2])
            elif fact[1] == "Fork" and log:
                log[-1].forks.append([])
                if fact[2].startswith("N/A"):
                    log[-1].setup["forks"] = "0"
        elif failed := _FAILED.search(line[:2000]):
            meaning = "a benchmark failed: it is missing, or what it printed is of broken code"
            said.add(Severity.FATAL, place, failed[0], meaning)
        elif warned := _WARNED.search(line[:2000]):
            said.add(Severity.WARNING, place, warned[0], "JMH itself warns of its figures")
        else:
            if not log and (found := _ITERATION.match(line)):
                # Its first lines were not copied.
                mode = "Throughput" if found[4].startswith("ops") else "Average time"
                log.append(_begun({"Benchmark": f"benchmark at line {place}", "Benchmark mode": mode}, place))
            if log:
                _take(log[-1], line, place)
    return _evidence(log, rows, facts.get("VM version"), said)


def _begun(facts: dict[str, str], place: int) -> _Benchmark:
    mode = facts.get("Benchmark mode", "").partition(",")[0]
    warmup = facts.get("Warmup", "")
    count = re.match(r"(\d{1,9}) iterations", warmup)
    threads = re.match(r"(\d{1,9}) thread", facts.get("Threads", ""))
    warmups = int(count[1]) if count else 0 if warmup == "<none>" else None
    setup = {name: facts[fact] for fact, name in _SETUP.items() if fact in facts}
    if warmups == 0 and mode != _MODES["ss"]:
        setup["warm-up iterations"] = "0"
    return _Benchmark(
        facts["Benchmark"],
        _SHORT.get(mode, mode),
        {},
        place,
        warmups,
        int(threads[1]) if threads else None,
        setup=setup,
    )


def _parameters(text: str) -> dict[str, str]:
    pairs = (part.partition(" = ") for part in text.strip().removeprefix("(").removesuffix(")").split(", "))
    return {key: value for key, separator, value in pairs if separator}


def _take(benchmark: _Benchmark, line: str, place: int) -> None:
    if found := _ITERATION.match(line):
        # Warm-ups are not kept.
        if found[1] is None and _is_number(found[3]):
            if not benchmark.forks:
                benchmark.forks.append([])
            benchmark.unit = found[4]
            benchmark.forks[-1].append(_score(found[3], place))
    elif found := _SUMMARY.match(line):
        names = ("min", "mean", "max")
        benchmark.stated = {
            name: _score(text, place) for name, text in zip(names, found.groups(), strict=True) if _is_number(text)
        }
    elif (found := _QUANTILE.match(line)) and _is_number(found[2]):
        benchmark.quantiles[found[1].replace(",", ".")] = _score(found[2], place)
        benchmark.unit = found[3]


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\d[\d.,]*+(?:[Ee]-?\d++)?", text) is not None


def _score(text: str, place: int) -> float:
    """Three digits after the point, which is a comma in half of the world."""
    return number(text.replace(",", "."), line=place)


def _row(line: str, parameters: list[str], place: int) -> _Row | None:
    words = line.split()
    at = next((at for at in range(len(words) - 1, 0, -1) if words[at] in _MODES), None)
    if at is None or len(words) - at < 3:
        return None
    name, given, rest = words[0], words[1:at], words[at + 1 :]
    if len(parameters) == 1 and len(given) > 1:
        given = [" ".join(given)]
    if len(given) != len(parameters):
        return None
    unit, numbers = rest[-1], rest[:-1]
    error, numbers = _error(numbers, place)
    rough = "≈" in numbers
    if rough:
        score = _power(numbers[-1])
        numbers = numbers[: numbers.index("≈")]
    elif numbers and _is_number(numbers[-1]):
        score = _score(numbers[-1], place)
        numbers = numbers[:-1]
    else:
        return None
    if score is None:
        return None
    # Without a number it is of a single iteration.
    count = (
        int(numbers[-1]) if numbers and numbers[-1].isascii() and numbers[-1].isdigit() and len(numbers[-1]) < 10 else 1
    )
    return _Row(name, dict(zip(parameters, given, strict=True)), words[at], count, score, error, unit, place, rough)


def _error(words: list[str], place: int) -> tuple[float | None, list[str]]:
    """The error, and the words before it. A terminal that does not know '±' prints another sign in its place."""
    if len(words) >= 3 and _is_number(words[-1]) and not _is_number(words[-2]) and words[-2] != "≈":
        return _score(words[-1], place), words[:-2]
    return None, words


def _power(text: str) -> float | None:
    """`10⁻³` as 0.001."""
    exponent = text.removeprefix("10").translate(_SUPERSCRIPTS)
    if text == "0":
        return 0.0
    return float(f"1e{exponent}") if re.fullmatch(r"-?\d{1,2}", exponent) else None


def _evidence(log: list[_Benchmark], rows: list[_Row], runtime: str | None, said: Said) -> Evidence:
    figures = [figure for benchmark in log for figure in _of_benchmark(benchmark, runtime)]
    incidents = [*said.incidents(), *_of_setups([each.setup for each in log if each.mode != "ss"])]
    twice: list[Twice] = []
    rough: list[_Row] = []
    for row in rows:
        incidents += too_wide(row.name, row.score, row.error or 0.0, "JMH", check="modes")
        if row.rough and per_operation(row.unit)[0] is not Quantity.OTHER:
            rough.append(row)
        source = _source(row, log)
        if source is None:
            figures.append(_of_row(row, runtime))
        elif source.unit == row.unit and source.mode != "sample" and any(source.forks):
            twice += _score_twice(row, [value for fork in source.forks for value in fork])
    incidents += _of_repeats(rows)
    if rough:
        incidents.append(
            Incident(
                Severity.WARNING,
                f"{len(rough)} scores are printed as a power of ten, such as that of {rough[0].name}",
                "a power of ten has no digits that a cost could be seen in: print them in a smaller unit (-tu)",
                "timer",
            )
        )
    if not figures:
        raise BadInput("there is no result of JMH in it", "give the whole output of a finished run, or its table")
    twice += both_ways(figures)
    return of_names(figures, "JMH", incidents, twice)


def _of_repeats(rows: Sequence[_Row]) -> Iterator[Incident]:
    """Rows that stand in several tables with all their digits, and names whose scores cannot be of one benchmark."""
    by_name: dict[Hashable, list[_Row]] = {}
    for row in rows:
        own = frozenset(item for item in row.parameters.items() if item[1] != "N/A")
        by_name.setdefault((row.name, own, row.mode, row.unit), []).append(row)
    again, apart = [], []
    for same in by_name.values():
        told = [(row.score, row.error) for row in same if row.error and not row.rough]
        again += [same[0]] if len(set(told)) < len(told) else []
        scores = [row.score for row in same if row.score > 0]
        apart += [(same[0], max(scores) / min(scores))] if scores and max(scores) >= HUNDREDFOLD * min(scores) else []
    if len(again) >= FEWEST_AGAIN:
        yield Incident(
            Severity.WARNING,
            f"{len(again)} scores stand in several tables with the same digits and the same error, such as that of "
            f"{printable(again[0].name, 60)}",
            "no second run gives them: one measurement was pasted twice, and is no repetition",
            "copied-data",
        )
    for row, ratio in apart[:1]:
        yield Incident(
            Severity.WARNING,
            f"{printable(row.name, 60)} has scores {ratio:,.0f} times apart"
            f"{f', and {len(apart) - 1} others are like it' if len(apart) > 1 else ''}",
            "the work changed and the name did not: they are not of one benchmark",
            "contradiction",
        )


def _source(row: _Row, log: list[_Benchmark]) -> _Benchmark | None:
    """The benchmark of the log that a row sums up: the table leaves out what all names begin with."""
    base = row.name.partition(":")[0]
    return next(
        (
            one
            for one in log
            if (one.name == base or one.name.endswith(f".{base}"))
            and one.mode == row.mode
            and all(row.parameters.get(key) == value for key, value in one.parameters.items())
            and (":" not in row.name or one.quantiles)
            and (any(one.forks) or one.quantiles)
        ),
        None,
    )


def _score_twice(row: _Row, values: list[float]) -> Iterator[Twice]:
    """Three digits after the point, on both sides."""
    of, where = f"of its {len(values)} iterations is", f"of {row.name}, in line {row.line},"
    yield Twice(f"the score {where}", row.score, fmean(values), f"the mean {of}", 2e-3, tolerance=OF_ITERATIONS)
    if row.error and len(values) > 2:
        error = _error_of(values)
        # Rounding hides a part of the spread.
        yield Twice(f"the error {where}", row.error, error, f"the error {of}", 5e-3, tolerance=10 * OF_ITERATIONS)


def both_ways(figures: Iterable[Figure]) -> Iterator[Twice]:
    """Throughput and average time of one benchmark: all threads together, and one. Each was measured by itself.

    Where nobody tells how many threads there are, no number of them explains less than one.
    """
    found: dict[Hashable, dict[str, Figure]] = {}
    for figure in figures:
        if figure.statistic in (None, "mean") and figure.typical:
            key = frozenset(item for item in figure.levels.items() if item[0] != "mode")
            found.setdefault(key, {})[figure.levels["mode"]] = figure
    for modes in found.values():
        rate, time = modes.get("thrpt"), modes.get("avgt")
        if rate is None or time is None or (rate.quantity, time.quantity) != (Quantity.RATE, Quantity.TIME):
            continue
        under_way = (rate.typical or 0.0) * (time.typical or 0.0)
        known = rate.circumstances.threads
        if under_way < 1 / MOST_APART or (known is not None and under_way > MOST_APART * known):
            yield Twice(
                f"the throughput of {printable(rate.circumstances.operation or rate.id, 60)}, in operations a second,",
                rate.typical or 0.0,
                (known or 1) / (time.typical or 1.0),
                f"by its average time and {known or 'one'} thread{'s' if (known or 1) > 1 else ''} it is",
                0.0,
                (rate.id, time.id),
            )


def _circumstances(name: str, runtime: str | None, **others: object) -> Circumstances:
    return Circumstances(
        operation=name,
        **named_size(name),
        runtime=runtime,
        # An iteration lasts as long as it is asked to; single shots say so in their mode.
        calibrated=True,
        **others,  # type: ignore[arg-type]
    )


def _of_benchmark(benchmark: _Benchmark, runtime: str | None) -> Iterator[Figure]:
    forks = [fork for fork in benchmark.forks if fork]
    quantity, scale = per_operation(benchmark.unit)
    levels = {"benchmark": benchmark.name} | benchmark.parameters | {"mode": benchmark.mode}
    # What a log prints of an iteration of samples is their mean.
    single = benchmark.mode != "sample" or benchmark.single
    values = tuple(value * scale for fork in forks for value in fork) if single else ()
    told = _circumstances(
        benchmark.label,
        runtime,
        replicates=len(forks) or None,
        replicate="process" if forks else None,
        per_replicate=tuple(map(len, forks)) or None,
        warm_up_trials=benchmark.warmups,
        threads=benchmark.threads,
        cold=Cold.APART if benchmark.warmups else None,
    )
    of = Measurement(f"{benchmark.label} {benchmark.mode}", levels, told, len(values) or None)
    stated = {name: value * scale for name, value in benchmark.stated.items()} if values else {}
    if values:
        yield of.figure(benchmark.unit, quantity, values=values, stated=stated)
    # Samples of single calls; JMH does not say how many in a form that does not vary.
    for share, value in benchmark.quantiles.items():
        statistic = {"0": "min", "50": "median", "100": "max"}.get(f"{float(share):g}", f"p{float(share):g}")
        yield of.figure(f"{benchmark.unit}, {statistic}", quantity, value * scale, statistic)


def _of_row(row: _Row, runtime: str | None) -> Figure:
    quantity, scale = per_operation(row.unit)
    found = _QUANTILE_ROW.match(row.name)
    statistic = "mean" if found is None else f"p{100 * float(found[2]):g}"
    statistic = {"p0": "min", "p50": "median", "p100": "max"}.get(statistic, statistic)
    name = row.name if found is None else found[1]
    label = ", ".join([name, *(f"{key}={value}" for key, value in row.parameters.items())])
    of = Measurement(
        f"{label} {row.mode}",
        {"benchmark": name} | row.parameters | {"mode": row.mode},
        _circumstances(label, runtime),
        # The number of calls stands in the row of the mean.
        row.count if found is None else None,
    )
    metric = row.unit if statistic == "mean" else f"{row.unit}, {statistic}"
    return of.figure(metric, quantity, row.score * scale, statistic)


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


def _of_json(lines: Iterable[str]) -> Evidence:
    results = json_text.read(lines, list[_Result], "JMH")
    figures: list[Figure] = []
    incidents: list[Incident] = []
    contradictions: list[Twice] = []
    for at, result in enumerate(results):
        metric, where = result.primaryMetric, f"[{at}].primaryMetric"
        runtime = " ".join(each for each in (result.vmName, result.jdkVersion) if each) or None
        if metric.score == "NaN":
            incidents.append(
                Incident(Severity.FATAL, f"the score of {result.benchmark} is NaN", "nothing was measured there")
            )
            continue
        (score,) = json_text.checked((_plain(metric.score, f"{where}.score"),), f"{where}.score")
        benchmark = _Benchmark(
            result.benchmark, result.mode, result.params, 0, result.warmupIterations, result.threads, metric.scoreUnit
        )
        benchmark.forks = [
            list(json_text.checked((_plain(each, where) for each in fork), f"{where}.rawData[{number}]"))
            for number, fork in enumerate(metric.rawData)
        ]
        if isinstance(metric.scoreError, float):
            incidents += too_wide(benchmark.label, score, metric.scoreError, "JMH", check="modes")
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
                if value != "NaN" and _is_number(share)
            }
            if samples := _single_samples(metric):
                benchmark.forks, benchmark.single = samples, True
        made = list(_of_benchmark(benchmark, runtime))
        figures += made
        if not made:
            row = _Row(result.benchmark, result.params, result.mode, None, score, None, metric.scoreUnit, 0)
            figures.append(_of_row(row, runtime))
    twice = list(both_ways(figures))
    incidents += _of_setups([_setup(result) for result in results])
    return of_names(figures, "JMH", incidents, [*contradictions, *twice])


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


def _of_setups(setups: Sequence[Mapping[str, str]]) -> Iterator[Incident]:
    """What makes all benchmarks doubtful in how they were run, or differs between them."""
    for name, value, saw, meaning, check in _DOUBTFUL_SETUPS:
        count = sum(setup.get(name) == value for setup in setups)
        if count:
            of = "" if count == len(setups) else f", in {count} of {len(setups)} benchmarks"
            yield Incident(Severity.WARNING, f"{saw}{of}", meaning, check)
    for name in dict.fromkeys(name for setup in setups for name in setup):
        told = list(dict.fromkeys(setup[name] for setup in setups if name in setup))
        if len(told) > 1:
            shown = " and ".join(printable(each, 40) for each in told[:3])
            saw = f"the benchmarks differ in their {name}: {shown}{' and others' if len(told) > 3 else ''}"
            meaning = "set beside each other they show the difference of that as well"
            yield Incident(Severity.WARNING, saw, meaning, _DIFFERING.get(name, "said-by-the-tool"))


def _error_and_counts(result: _Result, benchmark: _Benchmark, score: float) -> Iterator[Twice]:
    """The error and the interval of a score, and the number of its iterations, beside the iterations themselves."""
    metric, name = result.primaryMetric, printable(benchmark.label, 60)
    values = [value for fork in benchmark.forks for value in fork]
    error = metric.scoreError
    if isinstance(error, float) and error > 0:
        if len(values) > 2:
            of = f"by its {len(values)} iterations it is"
            yield Twice(f"the error of {name}", error, _error_of(values), of, 0.0, tolerance=0.01)
        ends = [each for each in metric.scoreConfidence if isinstance(each, float)]
        if len(ends) == 2:
            yield Twice(f"the middle of the interval of {name}", sum(ends) / 2, score, "its score is", 0.01 * error)
    for what, told, there in (
        ("forks", result.forks or None, len(benchmark.forks)),
        ("iterations", result.measurementIterations, min(map(len, benchmark.forks))),
    ):
        if told is not None and told != there:
            yield Twice(f"the number of {what} of {name}", told, there, "those that there are number", 0.0, (), 0.0)


def _error_of(values: Sequence[float]) -> float:
    """Half of the interval that JMH prints: Student's at 99.9 %."""
    from scipy.special import stdtrit

    return float(stdtrit(len(values) - 1, 0.9995)) * stdev(values) / math.sqrt(len(values))


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


JMH = Importer("jmh", "the output of JMH", _read, _BEGINS, known=lambda head: _JSON.match(head) is not None)
