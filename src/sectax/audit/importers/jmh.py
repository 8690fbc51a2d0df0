"""What the Java Microbenchmark Harness prints: its log, and the table at its end. `jmh_json` reads `-rf json`.

Source: TextReportFormat, TextResultFormat, Result and ScoreFormatter of openjdk/jmh. Text has three digits after the
point, in the locale of whoever ran it: '12,345' is twelve there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Figure, Quantity
from sectax.audit.importers.jmh_agree import (
    both_ways,
    falling,
    modes_fit,
    of_repeats,
    of_setups,
    result_agrees,
    row_agrees,
    rows_fit,
    run_is_long_enough,
)
from sectax.audit.importers.jmh_json import is_json_of_jmh, of_json
from sectax.audit.importers.jmh_results import MODES, Benchmark, Row, of_benchmark, of_row
from sectax.audit.importers.jmh_table import (
    HEADER,
    PARAMETER,
    WITHOUT_HEADER,
    is_number,
    is_speed,
    number_of,
    power,
    row_of,
)
from sectax.audit.importers.microbench import copied_rows, of_names, per_operation, wide_errors
from sectax.audit.importers.parts import Importer, by_first_line
from sectax.audit.importers.said import Said
from sectax.model.finding import Severity

_BEGINS = re.compile(
    r"^(?:# JMH (?:version: |\d)"
    r"|[ \t]*+Benchmark[ \t](?:[^\n]{0,1000}[ \t])?Mode[ \t]++(?:Cnt|Samples|Thr)[ \t])",
    re.MULTILINE,
)
_FACT = re.compile(
    r"# (Benchmark|Benchmark mode|Parameters|VM version|VM options|Warmup|Measurement|Threads|(?:Warmup )?Fork): (.*\S)"
)
_ITERATION = re.compile(
    r"(# Warmup )?Iteration\s++(\d++): (?:n = \d++, mean = )?(≈ )?(\S++) (?:±\(99[.,]9%\) \S++ )?([^\s/]++/\S++)"
)
# Of old versions the score stands behind the word; 'Secondary result' is of a profiler or a part of a group.
_RESULT = re.compile(r'Result "([^"\n]{1,400})":\s*+$|(Secondary result |Result ")|Result ?: (?=\S)')
_SCORE = re.compile(
    r"(?:Result ?:)?\s*+(?:mean =\s++)?(≈ )?(\d\S*+)(?: ±\(99[.,]9%\) (\d\S*+))? ([^\s/]++/\S++)(?: \[\w++\])?\s*+$"
)
_N = r"(\d[^\s\])]{0,40}?)"
_SUMMARY = re.compile(rf"\s*+(?:Statistics: )?\(min, avg, max\) = \({_N}, {_N}, {_N}\)(?:, stdev = (\d\S*+))?")
_ENDS = re.compile(rf"\s*+(?:CI|Confidence interval) \(99[.,]9%\): \[{_N}, {_N}\]")
_QUANTILE = re.compile(r"\s*+p\((\d{1,3}[.,]\d{1,4})\) =\s++(\S++) (\S++/op)")
_RUN = re.compile(r"# Run complete\. Total time: (?:(\d{1,5})\+)?(\d{1,5}):(\d\d):(\d\d)")
# What another program, or a logger, says of the time in its lines.
_CLOCK = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d")
_SHORT = {long: short for short, long in MODES.items()}
_FAILED = re.compile(
    r"<failure>|<(?:forked VM failed with exit code|failed to invoke the VM|host VM has been interrupted"
    r"|binary link had failed).{1,200}>|RunnerException: .*|ERROR: .*|Benchmark had encountered error"
)
_INTERRUPTED = re.compile(r"Cancell?ing execution\.{3}|Run cancell?ed\.|\(benchmark timed out, interrupted .{1,40}\)")
_WARNED = re.compile(
    r"\*\*\* ?WARNING: .*|WARNING: (?:System\.gc|JMH lock|The perf event count|(?:Failed|Unable|Could not) ).*"
    r"|<JMH had finished, but forked VM did not exit.*|<shutdown timeout of .*"
)
# Facts of a log, and what people know them by.
_SETUP = {
    "VM version": "version of the JVM",
    "VM options": "options of the JVM",
    "Warmup": "warm-up",
    "Measurement": "iterations",
    "Threads": "threads",
}
# Of a clock in the lines beside a score, and in seconds: what the two may differ by.
_BESIDE, _BESIDE_S = 0.05, 2.0


def _read(lines: Iterable[str]) -> Evidence:
    return by_first_line(lines, ("[", "{"), of_json, _of_text)


class _Log:
    """What has been read of a log, line by line."""

    def __init__(self) -> None:
        self.benchmarks: list[Benchmark] = []
        self.rows: list[Row] = []
        self.said = Said()
        self.twice: list[Twice] = []
        self.facts: dict[str, str] = {}
        self.run_s: float | None = None
        self._table: tuple[int, list[str]] | None = None
        # Whether the lines are those of a result, which has one score.
        self._result: Benchmark | None = None
        self._clock: list[datetime] = []
        # Warm-ups are not kept, be they iterations or whole forks.
        self._counts = True

    def take(self, line: str, place: int) -> None:
        """Read the next line."""
        if HEADER.match(line):
            self._table = place, PARAMETER.findall(line.partition("Mode")[0])
        elif self._table is None and (above := WITHOUT_HEADER.match(line)):
            # The names of its parameters were not copied.
            self._table = place, [f"parameter {at}" for at, _ in enumerate(above[1].split(), 1)]
            self.rows += filter(None, [row_of(line, *self._table, place)])
        elif self._table is not None and (row := row_of(line, *self._table, place)) is not None:
            self.rows.append(row)
        elif fact := _FACT.match(line):
            self._fact(fact[1], fact[2].strip(), place)
        elif run := _RUN.match(line):
            days, hours, minutes, seconds = (int(each or 0) for each in run.groups())
            self.run_s = ((24 * days + hours) * 60.0 + minutes) * 60 + seconds
        elif failed := _FAILED.search(line[:2000]):
            meaning = "a benchmark failed: it is missing, or what it printed is of broken code"
            self.said.add(Severity.FATAL, place, failed[0], meaning)
        elif interrupted := _INTERRUPTED.search(line[:2000]):
            meaning = "the run was ended before all was measured: what is missing is not known"
            self.said.add(Severity.FATAL, place, interrupted[0], meaning)
        elif warned := _WARNED.search(line[:2000]):
            self.said.add(Severity.WARNING, place, warned[0], "JMH itself warns of its figures")
        elif (begun := _RESULT.match(line)) or self._result is not None:
            self._of_result(line, begun, place)
        elif found := _ITERATION.match(line):
            self._iteration(found, place)
        elif clock := _CLOCK.search(line[:200]):
            with suppress(ValueError):
                self._clock.append(datetime.fromisoformat(clock[0]))

    def _fact(self, name: str, value: str, place: int) -> None:
        self._result = None
        self.facts[name] = value
        if name == "Benchmark":
            self.benchmarks.append(_begun(self.facts, place))
            self.facts = {key: self.facts[key] for key in (*_SETUP, "Benchmark mode") if key in self.facts}
        elif name == "Parameters" and self.benchmarks:
            self.benchmarks[-1].parameters = _parameters(value)
        elif name.endswith("Fork") and self.benchmarks:
            self._counts = name == "Fork"
            if self._counts:
                self.benchmarks[-1].begin_fork()
            if value.startswith("N/A"):
                self.benchmarks[-1].setup["forks"] = "0"

    def _iteration(self, found: re.Match[str], place: int) -> None:
        if found[1] is not None or not self._counts:
            return
        if not self.benchmarks:
            # Its first lines were not copied.
            self.benchmarks.append(_without_head(f"benchmark at line {place}", found[5], place))
        benchmark = self.benchmarks[-1]
        benchmark.unit = found[5]
        if found[3] is not None:
            benchmark.is_rough, benchmark.score = True, power(found[4])
        elif is_number(found[4]):
            benchmark.take(int(found[2]) if len(found[2]) < 10 else 0, number_of(found[4], place))

    def _of_result(self, line: str, begun: re.Match[str] | None, place: int) -> None:
        if begun is not None and begun[2] is not None:
            self._result = None
            return
        if begun is not None:
            last = self.benchmarks[-1] if self.benchmarks else None
            if last is None or not _is_of(last, begun[1]):
                last = _without_head(begun[1] or f"benchmark at line {place}", "", place)
                self.benchmarks.append(last)
            self._result = last
        benchmark = self._result
        if benchmark is None:
            return
        if (found := _SCORE.match(line)) and (benchmark.score is None or benchmark.is_rough):
            benchmark.is_rough = benchmark.is_rough or found[1] is not None
            benchmark.score = power(found[2]) if found[1] else number_of(found[2], place)
            benchmark.error = number_of(found[3], place) if found[3] else None
            benchmark.unit = found[4]
            if not benchmark.mode:
                benchmark.mode = _mode_of(found[4])
            self._beside_the_clock(benchmark)
        elif found := _SUMMARY.match(line):
            told = zip(("min", "mean", "max", "deviation"), found.groups(), strict=True)
            benchmark.stated = {name: number_of(text, place) for name, text in told if is_number(text)}
            benchmark.deviation = benchmark.stated.pop("deviation", None)
        elif found := _ENDS.match(line):
            benchmark.ends = tuple(number_of(each, place) for each in found.groups() if is_number(each))
        elif (found := _QUANTILE.match(line)) and is_number(found[2]):
            benchmark.quantiles[found[1].replace(",", ".")] = number_of(found[2], place)
            benchmark.unit = found[3]

    def _beside_the_clock(self, benchmark: Benchmark) -> None:
        """Scores of whole runs beside the times in the lines between this result and the one before."""
        quantity, scale = per_operation(benchmark.unit)
        clock, self._clock = self._clock, []
        if quantity is not Quantity.TIME or len(clock) < 2 or benchmark.mode not in ("ss", "avgt"):
            return
        passed = (max(clock) - min(clock)).total_seconds()
        lasted = sum(benchmark.values or [benchmark.score or 0.0]) * scale
        if lasted > (1 + _BESIDE) * passed + _BESIDE_S:
            self.twice.append(
                Twice(
                    f"the time of {benchmark.label}, in seconds,",
                    lasted,
                    passed,
                    "by the clock in the lines above it there passed",
                    _BESIDE_S,
                    tolerance=_BESIDE,
                    severity=Severity.WARNING,
                )
            )


def _of_text(lines: Iterable[str]) -> Evidence:
    log = _Log()
    for place, line in enumerate(lines, 1):
        log.take(line, place)
    return _evidence(log)


def _begun(facts: dict[str, str], place: int) -> Benchmark:
    mode = facts.get("Benchmark mode", "").partition(",")[0]
    warmup = facts.get("Warmup", "")
    count = re.match(r"(\d{1,9}) iterations", warmup)
    threads = re.match(r"(\d{1,9}) thread", facts.get("Threads", ""))
    warmups = int(count[1]) if count else 0 if warmup == "<none>" else None
    setup = {name: facts[fact] for fact, name in _SETUP.items() if fact in facts}
    if warmups == 0 and mode != MODES["ss"]:
        setup["warm-up iterations"] = "0"
    return Benchmark(
        facts["Benchmark"],
        _SHORT.get(mode, mode),
        {},
        place,
        warmups,
        int(threads[1]) if threads else None,
        told=dict(facts),
        setup=setup,
    )


def _is_of(benchmark: Benchmark, name: str | None) -> bool:
    """Whether a result of this name, if any, is that of a benchmark; lines may have been left out in between."""
    measured = bool(benchmark.values) or benchmark.is_rough
    if name is None or not benchmark.told:
        return measured
    return name == benchmark.name and (benchmark.score is None or benchmark.is_rough)


def _without_head(name: str, unit: str, place: int) -> Benchmark:
    return Benchmark(name, _mode_of(unit) if unit else "", {}, place)


def _mode_of(unit: str) -> str:
    return "thrpt" if unit.startswith("ops") else "avgt"


def _parameters(text: str) -> dict[str, str]:
    pairs = (part.partition(" = ") for part in text.strip().removeprefix("(").removesuffix(")").split(", "))
    return {key: value for key, separator, value in pairs if separator}


def _evidence(log: _Log) -> Evidence:
    benchmarks, rows, runtime = log.benchmarks, log.rows, log.facts.get("VM version")
    figures: list[Figure] = []
    # What is known to a power of ten alone contradicts nothing.
    sharp: list[Figure] = []
    for benchmark in benchmarks:
        figures += (made := list(of_benchmark(benchmark, runtime)))
        sharp += [] if benchmark.is_rough else made
    twice = [*log.twice, *(each for benchmark in benchmarks for each in result_agrees(benchmark))]
    rough = [each.label for each in benchmarks if each.is_rough]
    errors = [(each.label, each.score or 0.0, each.error) for each in benchmarks if each.error is not None]
    beside: list[Row] = []
    for row in rows:
        if row.is_rough and is_speed(row):
            rough.append(row.name)
        elif row.error is not None:
            errors.append((row.name, row.score, row.error))
        source = _source(row, benchmarks)
        if source is None:
            beside.append(row)
            figures.append(of_row(row, runtime))
            sharp += [] if row.is_rough else figures[-1:]
        elif source.unit == row.unit and source.mode != "sample":
            twice += row_agrees(row, source)
    if log.run_s is not None:
        twice += run_is_long_enough(benchmarks, rows, log.run_s)
    incidents = [*log.said.incidents(), *of_setups([each.setup for each in benchmarks if each.mode != "ss"])]
    incidents += [*wide_errors(errors, "JMH"), *of_repeats(rows), *rows_fit(rows)]
    incidents += copied_rows(
        (row.label, row.unit, (row.score, row.error)) for row in rows if row.error and is_speed(row)
    )
    incidents += modes_fit([(one.name, one.mode, one.unit) for one in benchmarks])
    incidents += modes_fit([(row.name, row.mode, row.unit) for row in beside])
    incidents += falling([each for each in benchmarks if each.mode == "sample" and not each.single])
    if rough:
        incidents.append(
            Incident(
                Severity.WARNING,
                f"{len(rough)} scores are printed as a power of ten or with one digit, such as that of {rough[0]}",
                "there are no digits that a cost could be seen in: print them in a smaller unit (-tu)",
                "timer",
            )
        )
    if benchmarks and not figures:
        incidents.append(
            Incident(Severity.WARNING, "its log was cut short before the first result", "the run was ended, or failed")
        )
    return of_names(figures, "JMH", incidents, [*twice, *both_ways(sharp)])


def _source(row: Row, log: list[Benchmark]) -> Benchmark | None:
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
            and (any(one.forks) or one.quantiles or one.score is not None)
        ),
        None,
    )


JMH = Importer("jmh", "the output of JMH", _read, _BEGINS, known=is_json_of_jmh)
