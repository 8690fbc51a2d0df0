"""What `sysbench … run` prints, of 1.0 and of 0.4 and 0.5; several outputs may follow each other in one file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sectax.audit.contradictions import LONG_ENOUGH_S
from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Circumstances, EndsBy, Figure, Quantity
from sectax.audit.importers.parts import Importer, Measurement, evidence, numbered
from sectax.audit.importers.said import Said
from sectax.audit.importers.sysbench_reports import BEGINS as REPORT_BEGINS
from sectax.audit.importers.sysbench_reports import Report, every_s, report
from sectax.audit.importers.unsteady import copied, unsteady, waiting
from sectax.audit.trials import A_LITTLE
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number_in
from sectax.model.finding import Severity

_MIB = 2.0**20  # 0.4 prints MB and Mb, and means the same
_N = r"([0-9.eE+-]+|-?nan|-?inf)"

_BEGINS = re.compile(
    rf"^sysbench v?\d|^(?:General statistics|Test execution summary):|^[ \t]{{0,40}}{REPORT_BEGINS}", re.MULTILINE
)
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
_SAID = re.compile(
    r"(FATAL|ALERT|WARNING|Number of unfinished transactions|Forcing shutdown|(?:PANIC: )?[Ee]rror (?:in|while)"
    r"|Segmentation fault)\b.*\S"
)
# 0.4 says so of an operation that took no time by its clock, or less.
_NO_TIME = re.compile(r"WARNING: Operation time \(-?[\d.]++\) is less than minimal counted value")
# An operation that takes as long on average does not take nothing.
_LONG_S = 1e-3
# Of a whole number of queries by transaction: so much below it, they were counted at two times.
MOST_COUNTED_APART = 5e-3
# Of the mean, the spread of what threads did: threads that wait for a lock or a lone processor differ by less.
MOST_UNFAIR = 0.5
# Of the rate of the whole run.
MOST_OF_A_SECOND = 20.0
# Rates of whole runs are printed with two digits; the time that sysbench divides by is a little longer than it prints.
OF_A_RATE = 0.05
# Of one figure, in two places of an output.
_SAME_TWICE = 1e-4
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
    version: str = ""
    reports: list[Report] = field(default_factory=list)
    checkpoints: bool = False
    merged: bool = False
    no_time: int = 0


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
            runs.append(
                _Run(place, "", version=line.partition(":")[0].partition("(")[0].strip() if _BANNER.match(line) else "")
            )
        if line and not line.isspace():
            with said.unread(place, line):
                _take_any(runs, place, line, said)
    if runs and not any(run.started or run.facts or run.reports for run in runs):
        raise BadInput(
            "nothing was measured: there is no 'sysbench … run' in it, as after prepare, cleanup or --version",
            "give the output of 'run'",
        )
    begun = [run for run in runs if run.started or run.facts or run.reports]
    measured = [run for run in begun if _tells(run)]
    for run in begun:
        if not _tells(run) and measured:
            what = f"the run at line {run.line} has no results"
            said.add(Severity.WARNING, run.line, what, "it was cut short or failed, and is in none of the figures")
    if begun and not measured:
        raise BadInput("this output of sysbench was cut short: it has no total time", line=begun[0].line)
    for run in measured:
        _doubtful(run, said)
    twice = [each for run in measured for each in _twice(run)]
    incidents = [*said.incidents(), *(each for run in measured for each in (*_along(run), *_of_a_histogram(run)))]
    return evidence(_figures(measured), "sysbench", incidents=incidents, twice=twice)


def _doubtful(run: _Run, said: Said) -> None:
    """What its lines tell of work that was not done, or not by all."""
    told = run.facts
    where = f"the run at line {run.line}"

    def add(what: str, meaning: str) -> None:
        said.add(Severity.WARNING, run.line, what, meaning)

    lost = {name: told[name] for name in ("errors", "deadlocks", "reconnects") if told.get(name)}
    if lost:
        kinds = ", ".join(
            f"{'ignored errors' if name == 'errors' else name}: {count:.0f}" for name, count in lost.items()
        )
        add(f"{kinds} in {where}", "a transaction that fails is made again, and its time is in no latency")
    still, erring = (sum(map(test, run.reports)) for test in (lambda each: not each.rate, lambda each: each.errors > 0))
    if still and still < len(run.reports):
        add(
            f"no transaction in {still} of {len(run.reports)} reports of {where}",
            "it stood still for a while: the mean is of two states",
        )
    rate = told.get("events", 0.0) / max(told.get("total time", 0.0), 1e-9)
    mean_s, least = told.get("latency avg", 0.0), told.get("latency min")
    if run.no_time and run.test == "cpu" and least == 0 and mean_s >= _LONG_S:
        said.add(
            Severity.FATAL,
            run.no_time,
            f"an event of {where} took no time, and they are alike and take {mean_s:.3g} s on average",
            "the clock stood still or jumped while it ran: no latency of it can be used",
        )
    most = max((each.rate for each in run.reports if each.counts), default=0.0)
    if rate and most > MOST_OF_A_SECOND * rate:
        add(
            f"a report of {most:.3g} a second in {where}, and all of it makes {rate:.4g}",
            "a counter ran over, or nothing was done most of the time: the mean is of two states",
        )
    if erring:
        add(f"errors in {erring} of {len(run.reports)} reports of {where}", "what fails is often fast")
    if run.reports and not _summed_up(run):
        add(
            f"{where} has reports of single seconds and no summary",
            "it was cut short, or lines were taken out: its figures are those of the reports",
        )
    mean, spread = told.get("events by thread"), told.get("spread of events by thread")
    if mean and spread and spread > MOST_UNFAIR * mean and told.get("threads", 0) > 1:
        add(
            f"threads of {where} made {mean:.4g} events on average, with a spread of {spread:.4g}",
            "some threads had far more than others: the latencies are those of a few",
        )


def _summed_up(run: _Run) -> bool:
    """Whether it prints a figure of the whole run."""
    return any(fact.quantity is not None and fact.name in run.facts for fact in _FACTS)


def _tells(run: _Run) -> bool:
    """Whether it has a figure."""
    return _summed_up(run) or bool(run.reports)


def _along(run: _Run) -> Iterator[Incident]:
    """Where its reports go, and whether they are of one state."""
    if not run.reports:
        return
    where, each_s = f"the run at line {run.line}", every_s(run.reports)
    rates = [each.rate for each in run.reports]
    counts = [rate * each_s for rate in rates] if all(each.counts for each in run.reports) else None
    timed = [(each.at_s, each.latency_s) for each in run.reports if each.latency_s is not None]
    latencies = [took for _, took in timed]
    found = [
        *copied(f"rates of {where}", rates),
        *unsteady(f"{'events' if counts is not None else 'MiB'} a second of {where}", rates, counts),
        *waiting([at for at, _ in timed], latencies),
        # The percentile of a second without an event is printed as 0.
        *unsteady(f"latencies of {where}, in seconds", [took for took in latencies if took > 0]),
    ]
    yield from {each.check: each for each in reversed(found)}.values()


def _of_a_histogram(run: _Run) -> Iterator[Incident]:
    """A percentile that lies beyond what it is of: it is the edge of a step, which is 2 % wide."""
    told = run.facts
    value, least, most = (told.get(f"latency {name}") for name in ("percentile", "min", "max"))
    if (
        run.percentile != "p100"
        and value
        and ((least is not None and value < least) or (most is not None and value > most))
    ):
        yield Incident(
            Severity.WARNING,
            f"the {run.percentile} of the run at line {run.line} is {value * 1000:.2f} ms, and its latencies lie "
            f"between {(least or 0.0) * 1000:.2f} and {(most or 0.0) * 1000:.2f} ms",
            "it comes from the edges of a histogram: differences of a few per cent in it show nothing",
            "contradiction",
        )


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
    yield from _rates(run, where)
    yield from _by_transaction(run, where)
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


def _by_transaction(run: _Run, where: str) -> Iterator[Twice]:
    """Queries of every kind beside transactions, each of which makes a whole number of them."""
    made = run.facts.get("transactions", 0.0)
    kinds = {kind: run.facts.get(f"{kind} queries", 0.0) for kind in ("read", "write", "other")}
    if made < 1 / MOST_COUNTED_APART or kinds["read"] < made:
        return
    # Transactions that were made again have more queries, and scripts with unlike transactions any number of them.
    whole = {kind: round(count / made) for kind, count in kinds.items()}
    if all(whole[kind] * made * (1 - MOST_COUNTED_APART) < kinds[kind] < whole[kind] * made for kind in kinds):
        yield Twice(
            f"the number of reads that {made:.0f} transactions lack {where}",
            whole["read"] * made - kinds["read"],
            0.0,
            f"where each of these makes {whole['read']}, it is",
            0.0,
            tolerance=0.0,
            severity=Severity.WARNING,
        )


def _rates(run: _Run, where: str) -> Iterator[Twice]:
    """Numbers beside their rates, and what threads, blocks and transactions make."""
    told = run.facts
    seconds, events, threads = told.get("total time", 0.0), told.get("events"), told.get("threads")

    def beside(
        what: str, one: float | None, other: float | None, words: str, tolerance: float = OF_A_RATE
    ) -> Iterator[Twice]:
        if one is not None and other is not None:
            yield Twice(f"{what} {where}", one, other, words, 0.011, tolerance=tolerance)

    if seconds >= LONG_ENOUGH_S:
        for name in ("transactions", "queries", "operations"):
            made = told[name] / seconds if name in told else None
            yield from beside(f"the rate of {name}", told.get(f"{name} per second"), made, "by number and time it is")
        moved = told["MiB moved"] / seconds if "MiB moved" in told else None
        rate = told["transferred"] / _MIB if "transferred" in told else None
        yield from beside("MiB a second", rate, moved, "by their number and the time they are")
    if run.test == "sql" and events is not None:
        # A script may make several transactions of an event; one that begins none has 0 in 0.5.
        yield from beside("the number of transactions", told.get("transactions") or None, events, "and of events", 0.5)
    if told.get("block in KiB") and "operations" in told:
        made = told["operations"] * told["block in KiB"] / 1024
        # The block is printed in whole KiB, without what is more.
        tolerance = max(OF_A_RATE, 1 / (told["block in KiB"] + 1))
        words = "by operations and their block they are"
        yield from beside("MiB that were moved", told.get("MiB moved"), made, words, tolerance)
    if "block of files in KiB" in told and not run.merged:
        for name, what in (("reads", "read"), ("writes", "written")):
            made = told.get(f"{name} per second", 0.0) * told["block of files in KiB"] / 1024
            rate = told[what] / _MIB if what in told else None
            yield from beside(f"MiB {what} a second", rate, made, f"by {name} and their block they are")
    if threads and events is not None and "events by thread" in told:
        made = threads * told["events by thread"]
        # Events of threads that were still at work at the end are counted in one of them.
        yield Twice(f"the events of all threads {where}", made, events, "and those that are counted are", threads)
    if seconds and told.get("time by thread", 0.0) > seconds:
        yield Twice(
            f"the time of a thread {where}, in seconds,",
            told["time by thread"],
            seconds,
            "and the test took",
            0.1,
        )


def _take_any(runs: list[_Run], place: int, line: str, said: Said) -> None:
    """A line of the last run, or of a new one where the last has it already: then its first lines were left out."""
    if not _take(runs[-1], place, line):
        what = "an output begins here without its first lines, or a line is there twice"
        said.add(Severity.WARNING, place, what, "what was asked of it is not known, nor where it begins")
        runs.append(_Run(place, runs[-1].test, version=runs[-1].version))
        _take(runs[-1], place, line)


def _take(run: _Run, place: int, line: str) -> bool:
    """Whether the line can be of this run."""
    for name, pattern in _NAMES:
        if pattern.search(line):
            run.test = name
    if second := report(place, line):
        if run.reports and second.at_s < run.reports[-1].at_s:
            return False
        run.reports.append(second)
        run.test = run.test or second.test
        return True
    run.checkpoints = run.checkpoints or "Checkpoint report" in line
    if _NO_TIME.match(line):
        run.no_time = run.no_time or place
    run.merged = run.merged or line.startswith("Merging requests")
    run.time_limit = run.time_limit or line.startswith(_TIME_LIMIT)
    run.event_limit = run.event_limit or line.startswith(_EVENT_LIMIT)
    run.started = run.started or line.startswith((_OPTIONS, "Threads started!"))
    for fact in _FACTS:
        found = fact.pattern.match(line)
        if found is None:
            continue
        value = number_in(found, 1, place, fact.scale)
        known = run.facts.get(fact.name)
        # 1.1 tells the rate of events in two places, with other digits; checkpoints tell all of it again and again.
        if known is not None and not run.checkpoints:
            if not math.isclose(known, value, rel_tol=_SAME_TWICE) or fact.name == "total time":
                return False
            continue
        run.facts[fact.name] = value
        percentile = _PERCENTILE.match(line)
        if percentile is not None:
            run.percentile = f"p{percentile[1]}"
    return True


def _figures(runs: list[_Run]) -> Iterator[Figure]:
    for run in runs:
        run.test = run.test or _unnamed(run)
    for run, (label, which) in zip(runs, numbered(run.test for run in runs), strict=True):
        events = run.facts.get("events")
        of_reports = run.reports if not _summed_up(run) else []
        errors = run.facts.get("errors")
        if of_reports and all(each.counts for each in of_reports):
            events = every_s(of_reports) * sum(each.rate for each in of_reports)
            errors = every_s(of_reports) * sum(each.errors for each in of_reports)
        told = Circumstances(
            operation=run.test,
            ends_by=_ends_by(run),
            events=events,
            errors=errors,
            wall_s=run.facts.get("total time"),
            target_rate=run.facts.get("target rate") or None,
            set_up=_set_up(run),
            line=run.line,
            achieved_rate=(
                None if events is None or "total time" not in run.facts else events / max(run.facts["total time"], 1e-9)
            ),
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
        if of_reports:
            yield _of_reports(of, of_reports, run.test)


def _of_reports(of: Measurement, reports: list[Report], test: str) -> Figure:
    """The mean rate of the reports, of a run without a summary."""
    mean = sum(each.rate for each in reports) / len(reports)
    events = all(each.counts for each in reports)
    quantity, scale = (Quantity.RATE, 1.0) if events else (Quantity.BANDWIDTH, _MIB)
    metric = "events per second" if events else "bytes per second"
    return of.figure(f"{metric} of the reports", quantity, mean * scale, "rate", table=f"{test}: {metric}")


def _set_up(run: _Run) -> dict[str, str]:
    """How it was told to work, and by which sysbench: its tests changed with 1.0."""
    told = run.facts
    words: dict[str, str] = {name: f"{told[name]:g}" for name in ("threads", "largest prime") if name in told}
    if run.version:
        words["version"] = run.version
    seconds = told.get("total time", 0.0)
    # The clock ends a run a little after the whole seconds that were asked for.
    if _ends_by(run) is not EndsBy.EVENTS and seconds >= 1 and seconds - math.floor(seconds) <= A_LITTLE * seconds:
        words["length of the run"] = f"{math.floor(seconds)} s"
    return words


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
