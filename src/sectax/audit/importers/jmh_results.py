"""Results of JMH, whether its log, its table or its JSON tells them, and figures made of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sectax.audit.figure import Circumstances, Cold, Figure
from sectax.audit.importers.microbench import per_operation
from sectax.audit.importers.parts import Measurement
from sectax.audit.importers.sizes import named_size

MODES = {"thrpt": "Throughput", "avgt": "Average time", "sample": "Sampling time", "ss": "Single shot"}
_QUANTILE_ROW = re.compile(r"(.{1,400}):\S{0,200}[·.]p(\d\.\d{1,9})$")
_STATISTICS = {"p0": "min", "p50": "median", "p100": "max"}


@dataclass
class Benchmark:
    """One benchmark with its parameters, as a log or JSON tells it.

    Attributes:
        line: where it begins; 0 of JSON.
        forks: the scores of the iterations that count, by fork.
        numbers: what the log calls these iterations, by fork.
        single: whether each iteration of samples had one alone.
        stated: least, mean and most of the iterations, beside them.
        score, error, deviation, ends: what is printed of all iterations, as far as it is.
        is_rough: whether some of its scores are powers of ten alone.
        told: facts of the log, by the words before their colon.
        setup: how it was run, in words.
    """

    name: str
    mode: str
    parameters: dict[str, str]
    line: int
    warmups: int | None = None
    threads: int | None = None
    unit: str = ""
    forks: list[list[float]] = field(default_factory=list)
    numbers: list[list[int]] = field(default_factory=list)
    single: bool = False
    stated: dict[str, float] = field(default_factory=dict)
    score: float | None = None
    error: float | None = None
    deviation: float | None = None
    ends: tuple[float, ...] = ()
    is_rough: bool = False
    quantiles: dict[str, float] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    setup: dict[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        told = ", ".join(f"{key}={value}" for key, value in self.parameters.items())
        return f"{self.name} ({told})" if told else self.name

    def begin_fork(self) -> None:
        """Note that the next iterations are of another process."""
        self.forks.append([])
        self.numbers.append([])

    def take(self, iteration: int, score: float) -> None:
        """Note the score of an iteration of the last fork."""
        if not self.forks:
            self.begin_fork()
        self.forks[-1].append(score)
        self.numbers[-1].append(iteration)

    @property
    def values(self) -> list[float]:
        """The scores of all iterations that count; none where some of them are rough."""
        return [] if self.is_rough else [value for fork in self.forks for value in fork]

    @property
    def is_whole(self) -> bool:
        """Whether the values are of all iterations, as far as their numbers tell."""
        return bool(self.values) and all(not numbers or numbers[0] == 1 for numbers in self.numbers)


@dataclass
class Row:
    """A row of the table at the end, of the table that begins in line *table*."""

    name: str
    parameters: dict[str, str]
    mode: str
    count: int | None
    score: float
    error: float | None
    unit: str
    line: int
    is_rough: bool = False
    table: int = 0

    @property
    def label(self) -> str:
        return ", ".join([self.name, *(f"{key}={value}" for key, value in self.parameters.items())])


def _circumstances(name: str, runtime: str | None, **others: object) -> Circumstances:
    return Circumstances(
        operation=name,
        **named_size(name),
        runtime=runtime,
        # An iteration lasts as long as it is asked to; single shots say so in their mode.
        calibrated=True,
        **others,  # type: ignore[arg-type]
    )


def of_benchmark(benchmark: Benchmark, runtime: str | None) -> Iterator[Figure]:
    """Its iterations as a figure, or its score where they are not told; and its quantiles."""
    forks = [fork for fork in benchmark.forks if fork and benchmark.values]
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
    stated = {name: value * scale for name, value in benchmark.stated.items()} if benchmark.is_whole else {}
    if values:
        yield of.figure(benchmark.unit, quantity, values=values, stated=stated)
    elif benchmark.score is not None:
        yield of.figure(benchmark.unit, quantity, benchmark.score * scale, "mean")
    # Samples of single calls; JMH does not say how many in a form that does not vary.
    for share, value in benchmark.quantiles.items():
        statistic = f"p{float(share):g}"
        statistic = _STATISTICS.get(statistic, statistic)
        yield of.figure(f"{benchmark.unit}, {statistic}", quantity, value * scale, statistic)


def of_row(row: Row, runtime: str | None) -> Figure:
    """A row that nothing else tells of."""
    quantity, scale = per_operation(row.unit)
    found = _QUANTILE_ROW.match(row.name)
    statistic = "mean" if found is None else f"p{100 * float(found[2]):g}"
    statistic = _STATISTICS.get(statistic, statistic)
    name = row.name if found is None else found[1]
    label = name + row.label.removeprefix(row.name)
    of = Measurement(
        # Quantiles of one table are of one measurement, and another table is of another.
        f"{label} {row.mode}, table at line {row.table}",
        {"benchmark": name} | row.parameters | {"mode": row.mode},
        _circumstances(label, runtime),
        # The number of calls stands in the row of the mean.
        row.count if found is None else None,
    )
    metric = row.unit if statistic == "mean" else f"{row.unit}, {statistic}"
    return of.figure(metric, quantity, row.score * scale, statistic, id=f"{label} {row.mode}: {metric}")
