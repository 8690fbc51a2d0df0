"""What `sysbench … run` prints, of 1.0 and of 0.4 and 0.5; several outputs may follow each other in one file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, EndsBy, Figure, Quantity
from sectax.audit.importers.bad_input import BadInput
from sectax.audit.importers.numbers import number
from sectax.audit.importers.parts import Importer, evidence

_MIB = 2.0**20  # 0.4 prints MB and Mb, and means the same
_N = r"([0-9.eE+-]+|-?nan|-?inf)"

_BEGINS = re.compile(r"^sysbench v?\d|^(?:General statistics|Test execution summary):", re.MULTILINE)
_BANNER = re.compile(r"sysbench v?\d")
_OPTIONS = "Running the test with following options:"

# What a test prints of itself. `threads` and `mutex` of 1.0 do not say their names.
_NAMES = (
    ("cpu", re.compile(r"CPU speed:|Prime numbers limit:|Maximum prime number checked|Doing CPU performance")),
    ("memory", re.compile(r"Running memory speed test|Doing memory operations speed test")),
    ("fileio", re.compile(r"File operations:|Extra file open flags:")),
    ("threads", re.compile(r"Doing thread subsystem performance test")),
    ("mutex", re.compile(r"Doing mutex performance test")),
    ("sql", re.compile(r"SQL statistics:|OLTP test statistics:")),
)


@dataclass(frozen=True)
class _Fact:
    """A number that is printed once per run: where it stands, and what figure it makes (none for `quantity` None)."""

    name: str
    pattern: re.Pattern[str]
    quantity: Quantity | None
    unit: str
    scale: float = 1.0
    statistic: str | None = None


def _fact(
    name: str, pattern: str, quantity: Quantity | None = None, unit: str = "", scale: float = 1.0, statistic: str = ""
) -> _Fact:
    return _Fact(name, re.compile(pattern.replace("@", _N)), quantity, unit, scale, statistic or None)


_FACTS = (
    _fact("total time", r"\s*total time:\s*@s", Quantity.TOTAL_TIME, "s", statistic="total"),
    _fact("events", r"\s*total number of events:\s*@"),
    _fact("events per second", r"\s*events per second:\s*@", Quantity.RATE, "operations/s", statistic="rate"),
    _fact(
        "operations per second",
        r"(?:Total operations|Operations performed):\s*\d+ \(\s*@ (?:per second|ops/sec)\)",
        Quantity.RATE,
        "operations/s",
        statistic="rate",
    ),
    _fact("transferred", r".*\bMi?B transferred \(@ Mi?B/sec\)", Quantity.BANDWIDTH, "bytes/s", _MIB, statistic="rate"),
    _fact("MiB moved", r"@ Mi?B transferred"),
    _fact("MiB asked for", r"\s*total size:\s*@Mi?B"),
    _fact("requests asked for", r"Number of (?:IO requests|random requests for random IO):\s*@"),
    _fact("reads per second", r"\s*reads/s:\s*@", Quantity.RATE, "operations/s", statistic="rate"),
    _fact("writes per second", r"\s*writes/s:\s*@", Quantity.RATE, "operations/s", statistic="rate"),
    _fact("fsyncs per second", r"\s*fsyncs/s:\s*@", Quantity.RATE, "operations/s", statistic="rate"),
    _fact("read", r"\s*read, MiB/s:\s*@", Quantity.BANDWIDTH, "bytes/s", _MIB, statistic="rate"),
    _fact("written", r"\s*written, MiB/s:\s*@", Quantity.BANDWIDTH, "bytes/s", _MIB, statistic="rate"),
    _fact(
        "moved", r".*Total transferred \S+\s+\(@[MG]i?b/sec\)", Quantity.BANDWIDTH, "bytes/s", _MIB, statistic="rate"
    ),
    _fact("requests per second", r"\s*@ Requests/sec executed", Quantity.RATE, "operations/s", statistic="rate"),
    _fact(
        "transactions per second",
        r"\s*transactions:\s*\d+\s*\(\s*@ per sec\.\)",
        Quantity.RATE,
        "operations/s",
        statistic="rate",
    ),
    _fact("errors", r"\s*ignored errors:\s*@"),
    _fact("latency min", r"\s*min:\s*@(?:ms)?\s*", Quantity.TIME, "s", 1e-3, "min"),
    _fact("latency avg", r"\s*avg:\s*@(?:ms)?\s*", Quantity.TIME, "s", 1e-3, "mean"),
    _fact("latency max", r"\s*max:\s*@(?:ms)?\s*", Quantity.TIME, "s", 1e-3, "max"),
    _fact("latency percentile", r"\s*(?:approx\.)?\s*\d+(?:th)? percentile:\s*@(?:ms)?\s*", Quantity.TIME, "s", 1e-3),
)
_PERCENTILE = re.compile(r"\s*(?:approx\.)?\s*(\d+)(?:th)? percentile")
_TIME_LIMIT = "Time limit exceeded, exiting"


@dataclass
class _Run:
    """One output, as far as it is read."""

    line: int
    test: str
    facts: dict[str, float] = field(default_factory=dict)
    percentile: str = "p95"
    time_limit: bool = False


def _read(lines: Iterable[str]) -> Evidence:
    runs: list[_Run] = []
    for place, line in enumerate(lines, 1):
        # Every output begins with the banner; where that was cut off, with its options.
        if _BANNER.match(line) or (line.startswith(_OPTIONS) and (not runs or "total time" in runs[-1].facts)):
            runs.append(_Run(place, f"test at line {place}"))
        if not runs:
            runs.append(_Run(place, f"test at line {place}"))
        _take(runs[-1], place, line)
    complete = [run for run in runs if run.facts or run.line > 1]
    figures: list[Figure] = []
    numbers: dict[str, int] = {}
    for run in complete:
        if "total time" not in run.facts:
            raise BadInput("this output of sysbench was cut short: it has no total time", line=run.line)
        numbers[run.test] = numbers.get(run.test, 0) + 1
        figures.extend(_figures(run, numbers[run.test]))
    return evidence(figures, "sysbench")


def _take(run: _Run, place: int, line: str) -> None:
    for name, pattern in _NAMES:
        if pattern.search(line):
            run.test = name
    run.time_limit = run.time_limit or line.startswith(_TIME_LIMIT)
    for fact in _FACTS:
        found = fact.pattern.match(line)
        if found is None:
            continue
        if fact.name in run.facts:
            raise BadInput(
                f"the {fact.name} of one run is told twice",
                "two outputs may follow each other when each has its first lines ('sysbench 1.0…')",
                line=place,
            )
        run.facts[fact.name] = number(found[1], scale=fact.scale, line=place, column=found.start(1) + 1)
        percentile = _PERCENTILE.match(line)
        if percentile is not None:
            run.percentile = f"p{percentile[1]}"


def _figures(run: _Run, which: int) -> Iterable[Figure]:
    events = run.facts.get("events")
    told = Circumstances(operation=run.test, ends_by=_ends_by(run), events=events, errors=run.facts.get("errors"))
    for fact in _FACTS:
        value = run.facts.get(fact.name)
        if value is None or fact.quantity is None:
            continue
        metric = f"latency {run.percentile}" if fact.name == "latency percentile" else fact.name
        single = fact.quantity is Quantity.TIME
        yield Figure(
            id=f"{run.test} {which}: {metric}",
            table=f"{run.test}: {metric}",
            levels={"test": run.test, "run": str(which)},
            metric=metric,
            quantity=fact.quantity,
            unit=fact.unit,
            value=value,
            statistic=fact.statistic or run.percentile,
            # A latency is of many events; everything else is one number of one run.
            trials=int(events) if single and events is not None else None if single else 1,
            circumstances=told,
        )


def _ends_by(run: _Run) -> EndsBy | None:
    """What ended the run, where its output tells: a time limit, or a total that it did not come to."""
    moved, asked = run.facts.get("MiB moved"), run.facts.get("MiB asked for")
    if run.time_limit or run.facts.get("requests asked for") == 0:
        return EndsBy.TIME
    if moved is not None and asked is not None:
        return EndsBy.TIME if moved < asked else EndsBy.EVENTS
    return None


SYSBENCH = Importer(
    name="sysbench",
    title="sysbench",
    recognises=lambda head: _BEGINS.search(head) is not None,
    read=_read,
    begins=_BEGINS,
)
