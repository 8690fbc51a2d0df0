"""What `sysbench … run` prints, of 1.0 and of 0.4 and 0.5; several outputs may follow each other in one file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sectax.audit.contradictions import LONG_ENOUGH_S
from sectax.audit.evidence import Evidence, Twice
from sectax.audit.figure import Circumstances, EndsBy, Figure, Quantity
from sectax.audit.importers.parts import Importer, Measurement, evidence, numbered
from sectax.audit.importers.said import Said
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number_in
from sectax.model.finding import Severity

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
    scale: float
    statistic: str | None


def _fact(
    name: str, pattern: str, quantity: Quantity | None = None, statistic: str | None = None, scale: float = 1.0
) -> _Fact:
    return _Fact(name, re.compile(pattern.replace("@", _N)), quantity, scale, statistic)


def _per_second(name: str, pattern: str) -> _Fact:
    return _fact(name, pattern, Quantity.RATE, "rate")


def _bandwidth(name: str, pattern: str) -> _Fact:
    return _fact(name, pattern, Quantity.BANDWIDTH, "rate", _MIB)


def _latency(name: str, pattern: str, statistic: str | None) -> _Fact:
    return _fact(f"latency {name}", rf"\s*+{pattern}:\s*@", Quantity.TIME, statistic, 1e-3)


_FACTS = (
    # 1.1 calls it 'time elapsed', and prints no label of a test.
    _fact("total time", r"\s*+(?:total time|time elapsed):\s*@s", Quantity.TOTAL_TIME, "total"),
    _fact("events", r"\s*total number of events:\s*@"),
    _per_second("events per second", r"\s*+(?:events per second|events/s \(eps\)):\s*@"),
    _per_second(
        "operations per second",
        r"(?:Total operations|Operations performed):\s*\d+ \(\s*@ (?:per second|ops/sec)\)",
    ),
    _bandwidth("transferred", r".*\bMi?B transferred \(@ Mi?B/sec\)"),
    _fact("MiB moved", r"@ Mi?B transferred"),
    _fact("MiB asked for", r"\s*total size:\s*@Mi?B"),
    _fact("requests asked for", r"Number of (?:IO requests|random requests for random IO):\s*@"),
    _per_second("reads per second", r"\s*reads/s:\s*@"),
    _per_second("writes per second", r"\s*writes/s:\s*@"),
    _per_second("fsyncs per second", r"\s*fsyncs/s:\s*@"),
    _bandwidth("read", r"\s*read, MiB/s:\s*@"),
    _bandwidth("written", r"\s*written, MiB/s:\s*@"),
    # 1.1 of fileio: 'read:  IOPS=1234.00 19.28 MiB/s (20.22 MB/s)'.
    _per_second("read operations per second", r"\s*+read:\s++IOPS=@ "),
    _per_second("write operations per second", r"\s*+write:\s++IOPS=@ "),
    _per_second("fsync operations per second", r"\s*+fsync:\s++IOPS=@$"),
    _bandwidth("read bytes", r"\s*+read:\s++IOPS=[\d.]++ @ MiB/s"),
    _bandwidth("written bytes", r"\s*+write:\s++IOPS=[\d.]++ @ MiB/s"),
    _bandwidth("moved", r".*Total transferred \S+\s+\(@[MG]i?b/sec\)"),
    _per_second("requests per second", r"\s*@ Requests/sec executed"),
    _per_second("transactions per second", r"\s*transactions:\s*\d+\s*\(\s*@ per sec\.\)"),
    _fact("errors", r"\s*ignored errors:\s*@"),
    _fact("target rate", r"Target transaction rate:\s*@/sec"),
    _fact("read queries", r"\s*+read:\s*@$"),
    _fact("write queries", r"\s*+write:\s*@$"),
    _fact("other queries", r"\s*+other:\s*@$"),
    _fact("all queries", r"\s*+total:\s*@$"),
    _fact("threads", r"Number of threads:\s*@"),
    _fact("latency sum", r"\s*+sum:\s*@", scale=1e-3),
    _latency("min", "min", "min"),
    _latency("avg", "avg", "mean"),
    _latency("max", "max", "max"),
    _latency("percentile", r"(?:approx\.)?\s*+\d+(?:th)? percentile", None),
)
_PERCENTILE = re.compile(r"\s*+(?:approx\.)?\s*+(\d+)(?:th)? percentile")
_SAID = re.compile(r"(FATAL|ALERT|WARNING|Number of unfinished transactions|Forcing shutdown)\b.*\S")
# No line that is read is longer.
_LONGEST = 1000
_TIME_LIMIT = "Time limit exceeded, exiting"
_EVENT_LIMIT = "Event limit exceeded, exiting"


@dataclass
class _Run:
    """One output, as far as it is read."""

    line: int
    test: str
    facts: dict[str, float] = field(default_factory=dict)
    percentile: str = "p95"
    time_limit: bool = False
    event_limit: bool = False
    started: bool = False


def _read(lines: Iterable[str]) -> Evidence:
    runs: list[_Run] = []
    said = Said()
    for place, line in enumerate(lines, 1):
        if len(line) > _LONGEST:
            continue
        if its := _SAID.match(line):
            if its[1] in ("FATAL", "ALERT"):
                said.add(Severity.FATAL, place, its[0], "sysbench itself says that its test failed")
            else:
                said.add(Severity.WARNING, place, its[0], "sysbench itself warns of its figures")
        # Every output begins with the banner; where that was cut off, with its options or with what it measured.
        ended = bool(runs) and "total time" in runs[-1].facts
        options = line.startswith(_OPTIONS) and (not runs or ended)
        unannounced = ended and any(pattern.search(line) for _, pattern in _NAMES)
        if _BANNER.match(line) or options or unannounced or not runs:
            runs.append(_Run(place, ""))
        if line and not line.isspace():
            _take(runs[-1], place, line)
    if runs and not any(run.started or run.facts for run in runs):
        raise BadInput(
            "nothing was measured: there is no 'sysbench … run' in it, as after prepare, cleanup or --version",
            "give the output of 'run'",
        )
    measured = [run for run in runs if run.started or run.facts]
    twice = [each for run in measured for each in _twice(run)]
    return evidence(_figures(measured), "sysbench", incidents=said.incidents(), twice=twice)


def _twice(run: _Run) -> Iterator[Twice]:
    """What its output tells in two ways: sums beside their parts."""
    told = run.facts
    where = f"of the run at line {run.line}"
    queries = [told.get(f"{kind} queries") for kind in ("read", "write", "other")]
    if "all queries" in told and None not in queries:
        yield Twice(
            f"the number of all queries {where}",
            told["all queries"],
            sum(each or 0.0 for each in queries),
            "those that read, write and do other things are together",
            1.0,
        )
    operations = [told.get(f"{kind} per second") for kind in ("reads", "writes", "fsyncs")]
    events, seconds = told.get("events"), told.get("total time", 0.0)
    if None not in operations and events is not None and seconds >= LONG_ENOUGH_S:
        # Operations that were counted after the end are few.
        yield Twice(
            f"the number of events {where}",
            events,
            seconds * sum(each or 0.0 for each in operations),
            "reads, writes and fsyncs a second make",
            0.05 * events + 1.0,
        )
    if events and "latency sum" in told and "latency avg" in told:
        yield Twice(
            f"the mean latency {where}, in seconds,",
            told["latency avg"],
            told["latency sum"] / events,
            "the sum of all over their number is",
            # Two digits after the point, of milliseconds.
            1e-5,
        )
    if told.get("threads") and "latency sum" in told and seconds:
        busy, possible = told["latency sum"], told["threads"] * seconds
        if busy > possible:
            # Threads can have waited for less than they lived.
            yield Twice(
                f"the sum of all latencies {where}, in seconds,",
                busy,
                possible,
                f"its {told['threads']:.0f} threads lived for no more than",
                0.05 * possible + 1e-2,
            )


def _take(run: _Run, place: int, line: str) -> None:
    for name, pattern in _NAMES:
        if pattern.search(line):
            run.test = name
    run.time_limit = run.time_limit or line.startswith(_TIME_LIMIT)
    run.event_limit = run.event_limit or line.startswith(_EVENT_LIMIT)
    run.started = run.started or line.startswith((_OPTIONS, "Threads started!"))
    for fact in _FACTS:
        found = fact.pattern.match(line)
        if found is None:
            continue
        if fact.name in run.facts:
            raise BadInput(
                f"the {fact.name} of one run is printed twice",
                "two outputs may follow each other when each has its first lines ('sysbench 1.0…')",
                line=place,
            )
        run.facts[fact.name] = number_in(found, 1, place, fact.scale)
        percentile = _PERCENTILE.match(line)
        if percentile is not None:
            run.percentile = f"p{percentile[1]}"


def _figures(runs: list[_Run]) -> Iterator[Figure]:
    for run in runs:
        if "total time" not in run.facts:
            raise BadInput("this output of sysbench was cut short: it has no total time", line=run.line)
        run.test = run.test or _unnamed(run)
    for run, (label, which) in zip(runs, numbered(run.test for run in runs), strict=True):
        events = run.facts.get("events")
        told = Circumstances(
            operation=run.test,
            ends_by=_ends_by(run),
            events=events,
            errors=run.facts.get("errors"),
            wall_s=run.facts["total time"],
            target_rate=run.facts.get("target rate") or None,
            achieved_rate=None if events is None else events / max(run.facts["total time"], 1e-9),
        )
        of = Measurement(
            label,
            {"test": run.test, "run": which},
            told,
            None if events is None else int(events),
        )
        for fact in _FACTS:
            value = run.facts.get(fact.name)
            if value is not None and fact.quantity is not None:
                metric = f"latency {run.percentile}" if fact.name == "latency percentile" else fact.name
                statistic = fact.statistic or run.percentile
                yield of.figure(metric, fact.quantity, value, statistic, table=f"{run.test}: {metric}")


def _unnamed(run: _Run) -> str:
    """`threads` and `mutex` of 1.0 print no name; each thread of `mutex` makes one event."""
    events = run.facts.get("events")
    return "mutex" if events is not None and events == run.facts.get("threads") else "threads"


def _ends_by(run: _Run) -> EndsBy | None:
    """What ended the run, where its output tells: a time limit, or a total that it did not come to."""
    moved, asked = run.facts.get("MiB moved"), run.facts.get("MiB asked for")
    if run.facts.get("events") == 0:
        return None
    if run.event_limit:
        return EndsBy.EVENTS
    if run.time_limit or run.facts.get("requests asked for") == 0:
        return EndsBy.TIME
    if moved is not None and asked is not None:
        return EndsBy.TIME if moved < asked else EndsBy.EVENTS
    return None


SYSBENCH = Importer("sysbench", "sysbench", _read, _BEGINS)
