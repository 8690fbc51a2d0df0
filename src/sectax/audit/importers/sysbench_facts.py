"""The lines of one output of sysbench, as far as they are read: what each number is of, and what figure it makes."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from sectax.audit.figure import Quantity
from sectax.audit.importers.sysbench_reports import Report, report
from sectax.formats.numbers import number_in

MIB = 2.0**20  # 0.4 prints MB and Mb, and means the same
_N = r"([0-9.eE+-]+|-?nan|-?inf)"
OPTIONS = "Running the test with following options:"

# What a test prints of itself. `threads` and `mutex` of 1.0 do not say their names.
NAMES = (
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
    return _fact(name, pattern, Quantity.BANDWIDTH, "rate", MIB)


def _latency(name: str, pattern: str, statistic: str | None) -> _Fact:
    return _fact(f"latency {name}", rf"\s*+{pattern}:\s*@", Quantity.TIME, statistic, 1e-3)


FACTS = (
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
    _fact("transactions", r"\s*transactions:\s*@\s*\("),
    _fact("queries", r"\s*queries:\s*@\s*\("),
    _fact("queries per second", r"\s*queries:\s*\d+\s*\(\s*@ per sec\.\)"),
    _fact("operations", r"(?:Total operations|Operations performed):\s*@ \("),
    _fact("block in KiB", r"\s*(?:block size|Memory block size):\s*@Ki?B?\s*$"),
    _fact("block of files in KiB", r"Block size @Ki?[bB]"),
    _fact("reconnects", r"\s*reconnects:\s*@"),
    _fact("deadlocks", r"\s*deadlocks:\s*@"),
    _fact("largest prime", r"(?:Prime numbers limit|Maximum prime number checked in CPU test):\s*@"),
    _fact("events by thread", r"\s*events \(avg/stddev\):\s*@/"),
    _fact("spread of events by thread", r"\s*events \(avg/stddev\):\s*[0-9.]+/@"),
    _fact("time by thread", r"\s*execution time \(avg/stddev\):\s*@/"),
    _fact("errors", r"\s*ignored errors:\s*@"),
    _fact("target rate", r"Target transaction rate:\s*@/sec"),
    _fact("read queries", r"\s*+read:\s*@(?=\s*+(?://|#|$))"),
    _fact("write queries", r"\s*+write:\s*@(?=\s*+(?://|#|$))"),
    _fact("other queries", r"\s*+other:\s*@(?=\s*+(?://|#|$))"),
    _fact("all queries", r"\s*+total:\s*@$"),
    _fact("threads", r"Number of threads:\s*@"),
    _fact("latency sum", r"\s*+sum:\s*@", scale=1e-3),
    _fact("latency sum", r"\s*+total time taken by event execution:\s*@"),
    _latency("min", "min", "min"),
    _latency("avg", "avg", "mean"),
    _latency("max", "max", "max"),
    _latency("percentile", r"(?:approx\.)?\s*+\d+(?:th)? percentile", None),
)
_PERCENTILE = re.compile(r"\s*+(?:approx\.)?\s*+(\d+)(?:th)? percentile")
# 0.4 says so of an operation that took no time by its clock, or less.
_NO_TIME = re.compile(r"WARNING: Operation time \(-?[\d.]++\) is less than minimal counted value")
# Of one figure, in two places of an output.
_SAME_TWICE = 1e-4
_TIME_LIMIT = "Time limit exceeded, exiting"
_EVENT_LIMIT = "Event limit exceeded, exiting"
# What it does to files or to memory.
_DOING = re.compile(r"\s*+(?:operation: (\w{1,20})|Doing (.{1,60}) test)$")
# Numbers of events that somebody asks for; after whole seconds, the time until the last event is done.
ROUND, LATE_S = 1000, 0.02

# What a command line above an output asked for: so many threads, seconds and events.
_COMMAND, _OTHER_COMMAND = re.compile(r"(?:^|[\s/])sysbench\s.*--|^\s*--"), re.compile(r"\b(?:prepare|cleanup)\b")
_ASKED = re.compile(r"--(?:num-|max-)?(threads|time|events|requests)[= ](\d{1,9})(?=\s|$)")


def asked_for(line: str) -> dict[str, float]:
    """The options of a line of a command of sysbench, by the names of 1.0; empty where it is none."""
    if not _COMMAND.search(line) or _OTHER_COMMAND.search(line):
        return {}
    return {name.replace("requests", "events"): float(value) for name, value in _ASKED.findall(line)}


@dataclass
class Run:
    """One output, as far as it is read; `asked` is by the command above it."""

    line: int
    test: str
    facts: dict[str, float] = field(default_factory=dict)
    percentile: str = "p95"
    time_limit: bool = False
    event_limit: bool = False
    started: bool = False
    version: str = ""
    reports: list[Report] = field(default_factory=list)
    checkpoints: bool = False
    merged: bool = False
    no_time: int = 0
    asked: dict[str, float] = field(default_factory=dict)
    heading: str = ""
    says: str = ""

    @property
    def by_events(self) -> bool:
        """Whether a number of events ended it, as of 0.4 or --events: then it is round, and the time is not."""
        if self.event_limit or self.time_limit:
            return self.event_limit
        return self._round and self.facts.get("total time", 0.0) % 1 > LATE_S

    @property
    def by_the_clock(self) -> bool:
        """Whether the clock ended it: the time is of whole seconds, and the number of events is not round."""
        if self.event_limit or self.time_limit:
            return self.time_limit
        seconds = self.facts.get("total time", 0.0)
        return not self._round and seconds >= 1 and seconds % 1 <= LATE_S

    @property
    def _round(self) -> bool:
        events = self.facts.get("events", 0.0)
        return events % ROUND == 0 or events == self.asked.get("events")

    @property
    def where(self) -> str:
        return f"the run at line {self.line}"

    @property
    def summed_up(self) -> bool:
        """Whether it prints a figure of the whole run."""
        return any(fact.quantity is not None and fact.name in self.facts for fact in FACTS)

    @property
    def tells(self) -> bool:
        """Whether it has a figure."""
        return self.summed_up or bool(self.reports)

    @property
    def begun(self) -> bool:
        return bool(self.started or self.facts or self.reports)

    def take(self, place: int, line: str) -> bool:
        """Whether the line can be of this self."""
        for name, pattern in NAMES:
            if pattern.search(line):
                self.test = name
        if doing := _DOING.match(line):
            self.says = doing[1] or doing[2]
        if second := report(place, line):
            if self.reports and second.at_s < self.reports[-1].at_s:
                return False
            self.reports.append(second)
            self.test = self.test or second.test
            return True
        self.checkpoints = self.checkpoints or "Checkpoint report" in line
        if _NO_TIME.match(line):
            self.no_time = self.no_time or place
        self.merged = self.merged or line.startswith("Merging requests")
        self.time_limit = self.time_limit or line.startswith(_TIME_LIMIT)
        self.event_limit = self.event_limit or line.startswith(_EVENT_LIMIT)
        self.started = self.started or line.startswith((OPTIONS, "Threads started!"))
        for fact in FACTS:
            found = fact.pattern.match(line)
            if found is None:
                continue
            value = number_in(found, 1, place, fact.scale)
            known = self.facts.get(fact.name)
            # 1.1 tells the rate of events in two places, with other digits; checkpoints tell all of it again and again.
            if known is not None and not self.checkpoints:
                if not math.isclose(known, value, rel_tol=_SAME_TWICE) or fact.name == "total time":
                    return False
                continue
            self.facts[fact.name] = value
            percentile = _PERCENTILE.match(line)
            if percentile is not None:
                self.percentile = f"p{percentile[1]}"
        return True
