"""What results of JMH tell twice, and how their benchmarks were run: what makes them doubtful by themselves."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean, stdev

from sectax.audit.evidence import Incident, Twice
from sectax.audit.few_values import fall_at_first
from sectax.audit.figure import Figure, Quantity
from sectax.audit.importers.jmh_results import Benchmark, Row
from sectax.audit.importers.microbench import per_operation
from sectax.formats.numbers import SECONDS
from sectax.model.finding import Severity
from sectax.model.printable import printable

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
# Options of the JVM with which nothing is as fast as it will be in use.
_SLOW_OPTIONS = re.compile(
    r"-Xint\b|-Xcomp\b|-XX:TieredStopAtLevel=[0-3]\b|-agentlib:jdwp|-Xrunjdwp|-Xdebug\b|-javaagent:\S{0,400}jacoco"
    r"|(?:^|\s)-(?:ea|enableassertions)\b"
)
_OPTIONS = "options of the JVM"
# Facts whose difference is one of what was measured, and not only of how.
_DIFFERING = {"version of the JVM": "apples-and-oranges"}
# Throughput and time of one benchmark are measured one after the other, each with its own noise.
MOST_APART = 2.0
# Scores of one name that no noise explains; and rows that are there twice, of which one alone may be chance.
HUNDREDFOLD, FEWEST_AGAIN = 100.0, 2
# What printing takes from scores of iterations, as a share; text has three digits behind the point.
OF_ITERATIONS, DIGIT = 0.005, 1e-3
# Of fewer iterations JMH prints no error.
FEWEST_FOR_AN_ERROR = 3
# Of the time that all iterations lasted for, which may be more by rounding.
LONGER = 1.02
_LASTS = re.compile(r"(\d{1,9}) iterations?, (\d{1,9}(?:\.\d{1,9})?) (ns|us|ms|s|min|m) each")


def row_agrees(row: Row, benchmark: Benchmark) -> Iterator[Twice]:
    """A row beside what the log prints at the end of its benchmark, or beside its iterations where that is missing."""
    where = f"of {printable(row.name, 60)}, in line {row.line},"
    values = benchmark.values if benchmark.is_whole else []
    score, error, of = benchmark.score, benchmark.error, "at the end of its log it is"
    if score is None and values:
        score, of = fmean(values), f"by its {len(values)} iterations it is"
        error = error_of(values) if len(values) >= FEWEST_FOR_AN_ERROR else None
    if score is not None:
        yield Twice(f"the score {where}", row.score, score, of, 2 * DIGIT, (), OF_ITERATIONS)
    if row.error and error is not None:
        # Rounding of iterations hides a part of their spread.
        yield Twice(f"the error {where}", row.error, error, of, 5 * DIGIT, (), 10 * OF_ITERATIONS)


def result_agrees(benchmark: Benchmark) -> Iterator[Twice]:
    """The numbers that a log prints at the end of a benchmark, beside each other and its iterations."""
    name, score, error = printable(benchmark.label, 60), benchmark.score, benchmark.error
    if score is not None and error is not None and len(benchmark.ends) == 2:
        for end, sign in zip(benchmark.ends, (-1, 1), strict=True):
            ends = f"by its score and error the interval of {name} ends at"
            yield Twice(f"an end of the interval of {name}", end, score + sign * error, ends, 2 * DIGIT, (), 1e-3)
    if score is not None and not benchmark.values:
        low, high = benchmark.stated.get("min", score), benchmark.stated.get("max", score)
        if not low <= score <= high:
            nearest = min(max(low, score), high)
            yield Twice(f"the score of {name}", score, nearest, "its least and most end at", DIGIT, (), 1e-3)
    # A log that was not copied from its first lines on tells nothing of what it must hold.
    if benchmark.mode == "sample" or not benchmark.told or benchmark.score is None or not benchmark.is_whole:
        return
    values = benchmark.values
    of = f"by its {len(values)} iterations it is"
    yield Twice(f"the score of {name}", benchmark.score, fmean(values), of, 2 * DIGIT, (), OF_ITERATIONS)
    if benchmark.deviation is not None and len(values) > 1:
        what = f"the standard deviation of {name}"
        yield Twice(what, benchmark.deviation, stdev(values), of, 5 * DIGIT, (), 10 * OF_ITERATIONS)
    if error is not None and len(values) >= FEWEST_FOR_AN_ERROR:
        yield Twice(f"the error of {name}", error, error_of(values), of, 5 * DIGIT, (), 10 * OF_ITERATIONS)
    planned = re.match(r"(\d{1,9}) iteration", benchmark.told.get("Measurement", ""))
    wanted = int(planned[1]) if planned else None
    for at, numbers in enumerate(benchmark.numbers, 1):
        if numbers != list(range(1, len(numbers) + 1)) or (wanted is not None and len(numbers) != wanted):
            what = f"the number of iterations of {name}, fork {at},"
            many = wanted or max(numbers)
            yield Twice(what, len(numbers), many, "by its own count they are", 0.0, (), 0.0, Severity.WARNING)
            return


def run_is_long_enough(log: Sequence[Benchmark], rows: Sequence[Row], seconds: float) -> Iterator[Twice]:
    """The time of a whole run beside that of all its iterations."""
    least = sum(map(_lasted, log)) or sum(
        row.score * scale * (row.count or 1)
        for row in rows
        if row.mode in ("avgt", "ss") and ":" not in row.name
        for quantity, scale in [per_operation(row.unit)]
        if quantity is Quantity.TIME
    )
    if least > LONGER * seconds + 1:
        what, from_ = "the time of the whole run, in seconds,", "its iterations alone make"
        yield Twice(what, seconds, least, from_, 0.0, (), 0.0, Severity.WARNING)


def _lasted(benchmark: Benchmark) -> float:
    """Seconds of the iterations that the log holds, at the least."""
    planned = _LASTS.match(benchmark.told.get("Measurement", ""))
    quantity, scale = per_operation(benchmark.unit)
    if planned is not None:
        return len(benchmark.values) * float(planned[2]) * SECONDS.get(planned[3], 60.0)
    single = benchmark.mode == "ss" and quantity is Quantity.TIME
    return sum(benchmark.values or [benchmark.score or 0.0]) * scale if single else 0.0


def modes_fit(measured: Iterable[tuple[str, str, str]]) -> Iterator[Incident]:
    """Benchmarks (name, mode, unit) whose mode is of a time and whose unit is of a rate, or the other way round."""
    unlike = [
        (name, mode, unit)
        for name, mode, unit in measured
        if mode in ("thrpt", "avgt", "sample", "ss")
        and per_operation(unit)[0] is (Quantity.TIME if mode == "thrpt" else Quantity.RATE)
    ]
    if unlike:
        name, mode, unit = unlike[0]
        others = f", and {len(unlike) - 1} others are like it" if len(unlike) > 1 else ""
        yield Incident(
            Severity.WARNING,
            f"the mode of {printable(name, 60)} is {mode}, and its unit is {printable(unit, 20)}{others}",
            "the one is of a rate and the other of a time: whether more or less is better is not known",
            "contradiction",
        )


def rows_fit(rows: Sequence[Row]) -> Iterator[Incident]:
    """Rows of one table that JMH cannot have printed together: a benchmark has one setup for all its parameters."""
    tables: dict[Hashable, list[Row]] = {}
    for row in rows:
        if row.mode != "sample":
            tables.setdefault((row.table, row.name, row.mode), []).append(row)
    for same in tables.values():
        for what, told in (
            ("number of iterations", {str(row.count) for row in same}),
            ("unit", {row.unit for row in same}),
        ):
            if len(told) > 1:
                yield Incident(
                    Severity.WARNING,
                    f"{printable(same[0].name, 60)} differs in its {what} within one table: "
                    f"{' and '.join(printable(each, 20) for each in sorted(told)[:3])}",
                    "JMH has one for all parameters of a benchmark: a row is of another run, or was typed over",
                    "contradiction",
                )
    few = [row for row in rows if row.error and row.count is not None and row.count < FEWEST_FOR_AN_ERROR]
    if few and all(row.mode != "sample" for row in few):
        yield Incident(
            Severity.WARNING,
            f"{printable(few[0].name, 60)} has an error, and {few[0].count} iterations",
            f"JMH prints none of fewer than {FEWEST_FOR_AN_ERROR}: one of the two is not of this run",
            "contradiction",
        )


def of_repeats(rows: Sequence[Row]) -> Iterator[Incident]:
    """Rows that stand in several tables with all their digits, and names whose scores cannot be of one benchmark."""
    by_name: dict[Hashable, list[Row]] = {}
    for row in rows:
        own = frozenset(item for item in row.parameters.items() if item[1] != "N/A")
        by_name.setdefault((row.name, own, row.mode, row.unit), []).append(row)
    again, apart = [], []
    for same in by_name.values():
        told = [(row.score, row.error) for row in same if row.error and not row.is_rough]
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


def falling(sampled: Iterable[Benchmark]) -> Iterator[Incident]:
    """Means of iterations that fall from the first on: samples of which no single ones are told."""
    for benchmark in sampled:
        for fork in benchmark.forks if benchmark.values else ():
            if min(fork, default=0.0) > 0 and fall_at_first(fork):
                yield Incident(
                    Severity.WARNING,
                    f"the iterations of {printable(benchmark.label, 60)} fall from {fork[0]:g} to {fork[-1]:g} "
                    f"{benchmark.unit}, and the last are near each other",
                    "the first belong to the warm-up, and are part of the figure: warm up for longer",
                    "first-trial",
                )
                return


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


def of_setups(setups: Sequence[Mapping[str, str]]) -> Iterator[Incident]:
    """What makes all benchmarks doubtful in how they were run, or differs between them."""
    for name, value, saw, meaning, check in _DOUBTFUL_SETUPS:
        count = sum(setup.get(name) == value for setup in setups)
        if count:
            of = "" if count == len(setups) else f", in {count} of {len(setups)} benchmarks"
            yield Incident(Severity.WARNING, f"{saw}{of}", meaning, check)
    slow = [found[0].strip() for setup in setups if (found := _SLOW_OPTIONS.search(setup.get(_OPTIONS, "")))]
    if slow:
        meaning = "the JVM was slowed down or hindered, so it is not as fast as it will be in use"
        saw = f"it ran with {printable(slow[0], 60)}, in {len(slow)} of {len(setups)} benchmarks"
        yield Incident(Severity.WARNING, saw, meaning)
    for name in dict.fromkeys(name for setup in setups for name in setup):
        told = list(dict.fromkeys(setup[name] for setup in setups if name in setup))
        if len(told) > 1:
            shown = " and ".join(printable(each, 40) for each in told[:3])
            saw = f"the benchmarks differ in their {name}: {shown}{' and others' if len(told) > 3 else ''}"
            meaning = "set beside each other they show the difference of that as well"
            yield Incident(Severity.WARNING, saw, meaning, _DIFFERING.get(name, "said-by-the-tool"))


def error_of(values: Sequence[float]) -> float:
    """Half of the interval that JMH prints: Student's at 99.9 %."""
    from scipy.special import stdtrit

    return float(stdtrit(len(values) - 1, 0.9995)) * stdev(values) / math.sqrt(len(values))
