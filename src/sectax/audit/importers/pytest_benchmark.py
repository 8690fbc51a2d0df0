"""What `pytest --benchmark-json` and `--benchmark-autosave` write.

Source: src/pytest_benchmark/stats.py and session.py. Times are seconds of one iteration.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise

import msgspec

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Circumstances, Figure, Quantity
from sectax.audit.importers.microbench import copied_rows, of_names
from sectax.audit.importers.parts import Importer, Measurement
from sectax.audit.importers.sizes import named_size
from sectax.audit.timer import FEWEST_STEPS
from sectax.audit.words import number
from sectax.formats import json_text
from sectax.formats.bad_input import BadInput
from sectax.model.finding import Severity
from sectax.model.printable import printable

# By its own count of outliers: of fewer rounds, or of less than this share, nothing is said.
FEWEST_ROUNDS, MOST_OUTLIERS = 10, 0.25
PERF_COUNTER_S = 1e-9
# Steps of the clocks of macOS on Apple's processors and of Windows, whose times are printed in whole nanoseconds; how
# near to a whole number of steps they are; and how many different ones show which it is.
TICKS_S, BESIDE_S, FEWEST_TOLD, MOST_TICKS = (1 / 24e6, 100e-9), 1.01e-9, 8, 1000
# A mean that is so much above the median, by rounds that take so many times as long; or that is far above it, with a
# deviation that is such a share of the median.
MOST_DECIDED, FAR = 0.1, 10.0
FAR_ABOVE, DEVIATION = 0.2, 0.75
# Of fewer rounds one that takes so many times as long is doubted by itself.
FEW_ROUNDS, FAR_OF_FEW = 30, 3.0
# Stated beside the single values: what `contradiction` holds against them.
_STATED = ("min", "max", "mean", "median")


class _Stats(msgspec.Struct):
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    median: float | None = None
    stddev: float | None = None
    iqr: float | None = None
    outliers: str | None = None
    q1: float | None = None
    q3: float | None = None
    ops: float | None = None
    total: float | None = None
    rounds: int | None = None
    iterations: int | None = None
    data: list[float] | None = None


class _Benchmark(msgspec.Struct):
    name: str
    stats: _Stats
    fullname: str | None = None
    group: str | None = None
    params: dict[str, object] | None = None
    options: dict[str, object] | None = None


class _File(msgspec.Struct):
    benchmarks: list[_Benchmark]
    machine_info: dict[str, object] = {}


def _read(lines: Iterable[str]) -> Evidence:
    file = json_text.read(lines, _File, "pytest-benchmark")
    figures: list[Figure] = []
    twice: list[Twice] = []
    incidents: list[Incident] = []
    tick_s = _tick(file.benchmarks)
    for at, each in enumerate(file.benchmarks):
        where = f"benchmarks[{at}].stats"
        told = {name: _one(each.stats, name, where) for name in (*_STATED, "q1", "q3", "iqr", "stddev", "ops", "total")}
        made = list(_figures(each, told, where, file.machine_info, tick_s))
        figures += made
        twice += _twice(each, told, made)
    incidents += [*_outliers(file.benchmarks), *_unlike_options(file.benchmarks)]
    numbers = [[each.stats.min, each.stats.max, each.stats.mean, each.stats.stddev] for each in file.benchmarks]
    incidents += copied_rows(
        (each.name, "time", [number for number in told if number is not None])
        for each, told in zip(file.benchmarks, numbers, strict=True)
    )
    return of_names(figures, "pytest-benchmark", incidents, twice)


def _outliers(benchmarks: list[_Benchmark]) -> Iterator[Incident]:
    """What summaries tell of outliers, each for the worst: pytest-benchmark's own count, and a few far rounds."""
    counted, decided, far = [], [], []
    for each in benchmarks:
        rounds, beyond, name = each.stats.rounds or 0, _counted(each.stats.outliers), printable(each.name, 60)
        if rounds >= FEWEST_ROUNDS and rounds >= beyond > MOST_OUTLIERS * rounds:
            counted.append((beyond / rounds, f"{beyond} of {rounds} rounds of {name} are outliers by its own count"))
        mean, median, most = each.stats.mean, each.stats.median, each.stats.max
        if not (mean and median and most):
            continue
        times = f"{name}: the maximum is {number(most / median)} times the median"
        spread = (each.stats.stddev or 0.0) >= DEVIATION * median and mean >= (1 + FAR_ABOVE) * median
        if spread or (mean > (1 + MOST_DECIDED) * median and most > FAR * median):
            decided.append((most / median, f"{times}, and the mean {number(mean / median)} times"))
        elif 1 < rounds < FEW_ROUNDS and most > FAR_OF_FEW * median and not each.stats.data:
            far.append((most / median, f"{times}, in {rounds} rounds"))
    for found, meaning in (
        (counted, "so many are no outliers but another mode, and neither the mean nor the median tells of both"),
        (decided, "a few rounds decide the mean: report the median, and how often they come"),
        (far, "among so few rounds it is a part of what is measured, or a disturbance"),
    ):
        if found:
            others = f". {len(found)} of {len(benchmarks)} benchmarks are like it" if len(found) > 1 else ""
            yield Incident(Severity.WARNING, f"{max(found)[1]}{others}", meaning, "modes")


def _counted(outliers: str | None) -> int:
    """Of 'A;B' the second: rounds beyond one and a half times the range between the quartiles."""
    digits = (outliers or "").rpartition(";")[2]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 0


def _unlike_options(benchmarks: list[_Benchmark]) -> Iterator[Incident]:
    for name in ("timer", "disable_gc", "warmup"):
        told = sorted({str(each.options[name]) for each in benchmarks if each.options and name in each.options})
        if len(told) > 1:
            yield Incident(
                Severity.WARNING,
                f"benchmarks differ in an option: {name} is {' and '.join(printable(each, 40) for each in told)}",
                "set beside each other they show the difference of that as well",
                "apples-and-oranges",
            )


def _one(stats: _Stats, name: str, where: str) -> float | None:
    value = getattr(stats, name)
    return None if value is None else json_text.checked((value,), f"{where}.{name}")[0]


def _figures(
    benchmark: _Benchmark,
    told: dict[str, float | None],
    where: str,
    machine: dict[str, object],
    tick_s: float | None,
) -> Iterator[Figure]:
    stats = benchmark.stats
    values = json_text.checked(stats.data or (), f"{where}.data")
    if stats.rounds is not None and stats.rounds < 0:
        raise BadInput(f"{where}.rounds is {stats.rounds}", "every value must be a finite number of 0 or more")
    name = benchmark.fullname or benchmark.name
    warmed = (benchmark.options or {}).get("warmup")
    circumstances = Circumstances(
        operation=benchmark.name,
        **named_size(benchmark.name),
        warm_up_trials=0 if warmed is False else None,
        # All rounds are of one process.
        replicates=1,
        replicate="process",
        batch=None if stats.iterations is None else float(stats.iterations),
        # perf_counter has whole nanoseconds at best; only where that matters is it told.
        granularity_s=PERF_COUNTER_S if _is_short(told["min"], stats.iterations) else None,
        tick_s=tick_s,
        calibrated=True,
        processor=_processor(machine),
        runtime=json_text.text(machine, "python_implementation", "python_version"),
    )
    # A parameter is the level of a factor; the name of a test holds it in brackets.
    levels = {"benchmark": name.partition("[")[0] if benchmark.params else name} | {
        str(key): printable(str(value), 60) for key, value in (benchmark.params or {}).items()
    }
    trials = len(values) or stats.rounds
    of = Measurement(name, levels, circumstances, trials)
    stated = {key: value for key in _STATED if (value := told[key]) is not None}
    if told["stddev"] is not None:
        stated["standard deviation"] = told["stddev"]
    yield of.figure(
        "time",
        Quantity.TIME,
        None if values else told["mean"],
        None if values else "mean",
        id=name,
        values=values,
        stated=stated,
    )


def _tick(benchmarks: list[_Benchmark]) -> float | None:
    """The step of the clock, where the least and largest times of single calls are all whole steps of a known one."""
    ends = {
        time
        for each in benchmarks
        if each.stats.iterations == 1
        for time in (each.stats.min, each.stats.max)
        if time is not None and 0 < time < MOST_TICKS * min(TICKS_S)
    }
    if len(ends) < FEWEST_TOLD:
        return None
    return next(
        (tick for tick in TICKS_S if all(abs(time - tick * round(time / tick)) <= BESIDE_S for time in ends)), None
    )


def _is_short(least: float | None, iterations: int | None) -> bool:
    """Whether a round lasts fewer steps of the clock than `timer` asks for."""
    return least is not None and iterations is not None and least * iterations < FEWEST_STEPS * PERF_COUNTER_S


def _twice(benchmark: _Benchmark, told: dict[str, float | None], figures: list[Figure]) -> Iterator[Twice]:
    mean, rounds, name = told["mean"], benchmark.stats.rounds, printable(benchmark.name, 60)
    ids = tuple(figure.id for figure in figures)
    yield from _order(told, name, ids)
    if mean and (total := told["total"]) is not None and rounds:
        yield Twice(
            f"the total of {name}, in seconds,",
            total,
            mean * rounds,
            f"{rounds} rounds of its mean make",
            0.0,
            ids,
            0.005,
        )
    if mean and (ops := told["ops"]) is not None:
        yield Twice(f"the operations a second of {name}", ops, 1 / mean, "by its mean they are", 0.0, ids, 0.005)
    deviation, low, high = (told[each] for each in ("stddev", "min", "max"))
    if deviation is not None and low is not None and high is not None and rounds and rounds > 1 and low <= high:
        # Of rounds within a range the deviation is largest where half are at each end, least where one is at each.
        most = (high - low) / 2 * math.sqrt(rounds / (rounds - 1))
        least = (high - low) / math.sqrt(2 * (rounds - 1))
        for limit, outside in ((most, deviation > most), (least, deviation < least)):
            if outside:
                what, from_ = f"the standard deviation of {name}, in seconds,", "its range and rounds end it at"
                yield Twice(what, deviation, limit, from_, 0.0, ids, 0.005)
    q1, q3, between = (told[each] for each in ("q1", "q3", "iqr"))
    if q1 is not None and q3 is not None and between is not None and q3 >= q1:
        what = f"the range between the quartiles of {name}, in seconds,"
        yield Twice(what, between, q3 - q1, "their difference is", 1e-6 * q3, ids, 0.005)
    if rounds and (counted := _counted(benchmark.stats.outliers)) > rounds:
        yield Twice(f"the number of outliers of {name}", counted, rounds, "of rounds there are", 0.0, ids, 0.0)
    if benchmark.stats.data and rounds and rounds != len(benchmark.stats.data):
        held = float(len(benchmark.stats.data))
        yield Twice(f"the number of rounds of {name}", float(rounds), held, "the values beside it are", 0.0, ids, 0.0)


def _order(told: dict[str, float | None], name: str, ids: tuple[str, ...]) -> Iterator[Twice]:
    """Quartiles that do not rise, or a mean outside of the least and the most."""
    for low, high in (*pairwise(("min", "q1", "median", "q3", "max")), ("min", "mean"), ("mean", "max")):
        one, other = told[low], told[high]
        if one is not None and other is not None and one > other:
            yield Twice(
                f"the {low} of {name}, in seconds,", one, other, f"it can be no more than the {high},", 0.0, ids, 1e-9
            )


def _processor(machine: dict[str, object]) -> str | None:
    cpu = machine.get("cpu")
    return json_text.text(cpu, "brand_raw") or json_text.text(cpu, "brand") if isinstance(cpu, dict) else None


def _known(head: str) -> bool:
    return head.lstrip().startswith("{") and (
        '"machine_info"' in head or ('"commit_info"' in head and '"stats"' in head)
    )


PYTEST_BENCHMARK = Importer("pytest-benchmark", "pytest-benchmark's JSON", _read, known=_known)
