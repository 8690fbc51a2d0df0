"""What wrk and wrk2 print, with or without their latency distributions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sectax.audit.evidence import Evidence, Incident
from sectax.audit.figure import EndsBy
from sectax.audit.importers.load_run import LATENCY, Command, Commands, LoadRun, of_runs, quantile, without_figures
from sectax.audit.importers.parts import Importer
from sectax.audit.importers.said import Said
from sectax.formats.numbers import duration_in, number, number_in
from sectax.model.finding import Severity

# Before version 2 it made a number of requests.
_BEGINS = re.compile(r"^(?:Running \S+ test @ |Making \d+ requests to )", re.MULTILINE)
_HEAD = re.compile(r"(?:Running (\S+) test @|Making \d++ requests to) \s*+(\S.*)")
# Where its first lines were not copied.
_WITHOUT_HEAD = re.compile(
    r"\s*+(?:\d++ threads and \d++ conn|Thread Stats\s|Latency\s++\d|#\[Mean |\d++ requests in |Requests/sec:)"
)
_LATENCY = re.compile(r"\s*+Latency\s++(?!Distribution)(\S++)\s++(\S++)\s++(\S++)(?:\s++([\d.]++)%)?")
_PER_THREAD = re.compile(
    r"\s*+Req/Sec\s++([\d.]++)([kMG]?)\s++([\d.]++)([kMG]?)\s++([\d.]++)([kMG]?)(?:\s++([\d.]++)%)?"
)
_HEADER = re.compile(r"\s*+Thread Stats\s++Avg\s++Stdev\s++(Max|99%)")
_QUANTILE = re.compile(r"\s*+(\d++(?:\.\d++)?)%\s++(\S++)\s*+$")
_REQUESTS = re.compile(r"\s*+(\d++) requests in ([0-9.]++[a-z]++), ([0-9.]++)([KMGT]?B)\s++read")
_REQUESTS_ALONE = re.compile(r"\s*+(\d++) requests in ")
_CONNECTIONS = re.compile(r"\s*+(\d++) threads and (\d++) connections")
_SOCKET = re.compile(r"\s*+Socket errors: connect (\d++), read (\d++), write (\d++), timeout (\d++)")
_SOCKETS = ("connect", "read", "write", "timeout")
_STATUS = re.compile(r"\s*+Non-2xx or 3xx responses: (\d++)")
# wrk2 counts a request's latency from when it was due, and says so.
_SCHEDULED = re.compile(r"\s*+(?:Thread calibration:|Latency Distribution \(HdrHistogram|Detailed Percentile spectrum)")
_SAID = re.compile(
    r"\s*+(?:unable to (?:connect|resolve|create thread|initialize SSL)|number of connections must|invalid URL"
    r"|We are about to crash|\S*\.lua:\d)"
)
# Another tool, whose table looks alike.
_REWRK = re.compile(r"\s*+(?:Beginning round \d++|Benchmarking \d++ connections @ )")
# Of rates wrk2 prints nothing where a run ends with its calibration.
_NO_RATES = re.compile(r"\s*+Req/Sec\s++-?nan")
# Of what one request at a time leaves for each: waits that wrk adds, and values that its correction invents. Where
# single threads stall, real runs have a mean of 25 times that.
MANY_IN_FLIGHT, FAR_TOO_MANY, ONE_AT_A_TIME = 3.0, 100.0, 1.5
# wrk2 looks at what is due once in this time.
_TIMER_S = 1e-3
_RATE = re.compile(r"Requests/sec:\s*(\S+)")
_TRANSFER = re.compile(r"Transfer/sec:\s*(\S+?)([KMGT]?B)\s*$")
_BYTES = {"B": 1.0, "KB": 2.0**10, "MB": 2.0**20, "GB": 2.0**30, "TB": 2.0**40}  # units.c counts in 1024
_UNCORRECTED = "Uncorrected Latency"
# Below wrk2's spectrum, in milliseconds.
_SPECTRUM = re.compile(r"#\[(Mean|Max)\s++=\s++([0-9.]++), (?:StdDeviation|Total count)\s++=\s++([0-9.]++)\]")
# Of the time that was asked for.
LEAST_LASTED, MOST_LASTED = 0.9, 1.5
# So early a test was broken off, and so much longer nobody waits for one: its clock is wrong.
BROKEN_OFF, IMPOSSIBLY_LONG = 0.5, 10.0
# What wrk does where nobody says otherwise.
_TIMEOUT_S = 2.0
_METRIC = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
# What threads make together, as a share of the whole rate. Their means are of tenths of a second in which anything was
# answered, so they are too high where the server pauses, and never much too low.
UNLIKE_THREADS = 0.5
# The spread of what a thread does in tenths of a second, beside its mean.
UNEVEN = 0.5
# Of the whole run, for a request that was due to be answered.
MOST_WAITED = 0.1


@dataclass
class _Run:
    """A run, and what of its lines tells how to read the next."""

    load: LoadRun
    connections: float | None = None
    threads: float | None = None
    per_thread: float | None = None
    spread: float = 0.0
    asked: list[Command] = field(default_factory=list)
    scheduled: bool = False
    largest: str = "max"
    uncorrected: bool = False
    footer: list[float] = field(default_factory=list)
    counted: float | None = None


def _read(lines: Iterable[str]) -> Evidence:
    runs: list[_Run] = []
    said = Said()
    commands = Commands("wrk", "wrk2")
    other = False
    for place, line in enumerate(lines, 1):
        head = _HEAD.match(line)
        if head is not None:
            other = False
            timed = head[1] is not None
            load = LoadRun("wrk", head[2].strip(), place, ends_by=EndsBy.TIME if timed else EndsBy.EVENTS)
            own, asked = commands.taken()
            load.target = own.number("-R", "--rate") if own is not None else None
            load.configured_s = duration_in(head, 1, place) if timed else None
            runs.append(_Run(load, asked=asked))
        elif commands.sees(line):
            continue
        elif (commands.own or not runs) and _WITHOUT_HEAD.match(line):
            own, asked = commands.taken()
            runs.append(_Run(_by_command(own, place), asked=asked))
            with said.unread(place, line):
                _take(runs[-1], place, line)
        elif _REWRK.match(line):
            other = True
            said.add(Severity.WARNING, place, line, "this is of rewrk, not of wrk: it is in none of the figures")
        elif _SAID.match(line):
            said.add(Severity.FATAL, place, line, "wrk itself says that it could not do its work")
        elif runs and not other:
            if _NO_RATES.match(line):
                meaning = "not one value of it was taken: the run was no longer than its calibration"
                said.add(Severity.WARNING, place, "the rate of a thread is 'nan'", meaning)
            if runs[-1].load.rate is not None and _REQUESTS_ALONE.match(line):
                runs.append(_without_head(runs[-1].load, place))
            with said.unread(place, line):
                _take(runs[-1], place, line)
    for run in runs:
        run.load.in_flight = _in_flight(run)
        _consistent(run)
        lasted, asked_s = run.load.wall_s or 0.0, run.load.configured_s or 0.0
        if lasted and asked_s and not LEAST_LASTED <= lasted / asked_s <= MOST_LASTED:
            what = f"the run at line {run.load.line} was to last {asked_s:g} s, and lasted {lasted:g} s"
            meaning = (
                "it was interrupted, or the clock that its rate is taken from is wrong"
                if lasted < asked_s
                else "the clock is wrong, or the client did not keep up with itself"
            )
            severe = not BROKEN_OFF <= lasted / asked_s <= IMPOSSIBLY_LONG
            said.add(Severity.FATAL if severe else Severity.WARNING, run.load.line or 0, what, meaning)
        each = _by_threads(run)
        if each is not None and each > 1 / UNLIKE_THREADS:
            what = f"the threads of the run at line {run.load.line} make {each:.3g} times the whole rate together"
            said.add(Severity.WARNING, run.load.line or 0, what, "the server stood still for parts of the run")
    loads = [run.load for run in runs]
    incidents = [*said.incidents(), *without_figures(loads, "Requests/sec"), *_same_footers(runs)]
    incidents += [each for run in runs for look in (_in_flight_of_wrk, _unsteady) for each in look(run)]
    return of_runs(loads, "wrk", incidents)


def _by_command(own: Command | None, place: int) -> LoadRun:
    """A run whose first lines were not copied: the command above it tells what it asked for."""
    if own is None or not own.address:
        load = LoadRun("wrk", f"run at line {place}", place, factor="name")
    else:
        load = LoadRun("wrk", own.address, place)
    load.target = own.number("-R", "--rate") if own is not None else None
    return load


def _without_head(before: LoadRun, place: int) -> _Run:
    """A further run of the same, of which only the last lines were copied."""
    return _Run(LoadRun("wrk", before.name, place, ends_by=before.ends_by, configured_s=before.configured_s))


def _take(run: _Run, place: int, line: str) -> None:
    load = run.load
    run.scheduled = run.scheduled or _SCHEDULED.match(line) is not None
    if _UNCORRECTED in line:
        run.uncorrected = True  # wrk2 prints a second distribution, which leaves out the time in its queue
    elif header := _HEADER.match(line):
        run.largest = "max" if header[1] == "Max" else "p99"
    elif latency := _LATENCY.match(line):
        for statistic, at in (("mean", 1), (run.largest, 3)):
            _latency(load, statistic, latency, at, place)
        if "nan" not in latency[2]:
            load.stdev = duration_in(latency, 2, place)
        _within(load, latency[4])
    elif per_thread := _PER_THREAD.match(line):
        mean, spread, most = (number_in(per_thread, at, place, _METRIC[per_thread[at + 1]]) for at in (1, 3, 5))
        run.per_thread, run.spread = mean, spread
        if run.largest == "max":
            load.at_most("the mean of requests a second by thread", mean, most, "their maximum is", 0.01 * most)
            load.at_most("the spread of requests a second by thread", spread, most, "their maximum is", 0.01 * most)
        _within(load, per_thread[7])
    elif (per_cent := _QUANTILE.match(line)) and not run.uncorrected:
        _latency(load, quantile(float(per_cent[1])), per_cent, 2, place)
    elif (spectrum := _SPECTRUM.match(line)) and not run.uncorrected:
        name, value, beside = spectrum[1].lower(), number_in(spectrum, 2, place, 1e-3), number_in(spectrum, 3, place)
        run.footer += value, beside
        run.counted = beside if name == "max" else run.counted
        run.scheduled = True
        known = load.times.get(LATENCY, {}).get(name)
        load.tells_twice(f"the {name} latency", known, value, "in seconds, and below its spectrum", 1e-5, 0.01)
        load.took(name, value)
    elif requests := _REQUESTS.match(line):
        load.requests = number_in(requests, 1, place)
        load.wall_s = duration_in(requests, 2, place)
        load.bytes_read = number_in(requests, 3, place, _BYTES[requests[4]])
    elif requests := _REQUESTS_ALONE.match(line):
        load.requests = number_in(requests, 1, place)
    elif connections := _CONNECTIONS.match(line):
        run.threads, run.connections = (number_in(connections, at, place) for at in (1, 2))
    # wrk prints a line of errors only where there were some.
    elif errors := _SOCKET.match(line):
        load.fails({kind: number(each, line=place) for kind, each in zip(_SOCKETS, errors.groups(), strict=True)})
    elif status := _STATUS.match(line):
        load.fails({"other status than 2xx or 3xx": number_in(status, 1, place)})
    elif rate := _RATE.match(line):
        load.rate = number_in(rate, 1, place)
    elif transfer := _TRANSFER.match(line):
        load.transfer = number_in(transfer, 1, place, _BYTES[transfer[2]])


def _latency(load: LoadRun, statistic: str, found: re.Match[str], at: int, place: int) -> None:
    # A run without a single answer has no latency, and says '-nan'.
    if "nan" not in found[at]:
        load.took(statistic, duration_in(found, at, place))


def _within(load: LoadRun, per_cent: str | None) -> None:
    """The share of values within one stdev of their mean, in per cent."""
    if per_cent is not None:
        load.at_most("the share within a standard deviation", number(per_cent) / 100, 1.0, "no share is more than")


def _consistent(run: _Run) -> None:
    """What the lines of one run say of each other, and of the command above them."""
    load = run.load
    # It is of those after the calibration.
    load.at_most("the count below the spectrum", run.counted, load.requests, "and of requests", run.connections or 0.0)
    each = _by_threads(run)
    if each is not None and each < UNLIKE_THREADS:
        load.tells_twice(
            "the requests of all threads a second",
            (run.threads or 0.0) * (run.per_thread or 0.0),
            load.rate,
            "and by their number and the time they are",
            tolerance=UNLIKE_THREADS,
        )
    if load.times.get(LATENCY, {}).get("max") is not None and not run.scheduled:
        limit = run.asked[-1].seconds("--timeout", "-T") if run.asked else None
        load.gives_up_s = limit or _TIMEOUT_S
    if run.connections is not None:
        load.places = run.connections if not _by_schedule(run) else None
        load.set_up["connections"] = f"{run.connections:g}"
    if run.threads is not None:
        load.set_up["threads"] = f"{run.threads:g}"
    if load.configured_s is not None:
        load.set_up["length of the run"] = f"{load.configured_s:g} s"
    if load.name.startswith("http"):
        load.set_up["protocol"] = load.name.partition(":")[0]
    load.asked_for(run.asked, connections=run.connections, threads=run.threads, seconds=load.configured_s)


def _same_footers(runs: Sequence[_Run]) -> Iterator[Incident]:
    """F where the summaries of two histograms are the same to the last digit."""
    seen: dict[tuple[float, ...], int | None] = {}
    for run in runs:
        told = tuple(run.footer)
        if any(told) and told in seen:
            yield Incident(
                Severity.FATAL,
                f"the runs at lines {seen[told]} and {run.load.line} have the same summary of their histograms, to the "
                "last digit",
                "one of them was copied from the other",
                "copied-data",
            )
        seen.setdefault(told, run.load.line)


def _in_flight_of_wrk(run: _Run) -> Iterator[Incident]:
    """Little's law: F where the mean is far beyond what a request at a time on each connection leaves, and half of
    the requests are not; W where it is above, or several may have been under way by a script.
    """
    load, times = run.load, run.load.times.get(LATENCY, {})
    mean, middle = times.get("mean"), times.get("median")
    if _by_schedule(run) or not run.connections or not load.rate or mean is None:
        return
    each = run.connections / load.rate
    if mean < MANY_IN_FLIGHT * each:
        return
    phantoms = mean > FAR_TOO_MANY * each and middle is not None and middle <= ONE_AT_A_TIME * each
    yield Incident(
        Severity.FATAL if phantoms else Severity.WARNING,
        f"the mean latency {load.where} is {mean:.3g} s, and {run.connections:g} connections at its rate leave "
        f"{each:.3g} s for each request",
        "half of the requests keep to that, so the mean is of values that nobody measured, as those that wrk's "
        "correction for coordinated omission adds"
        if phantoms
        else "several were under way on a connection (a script that pipelines), or values were added that nobody "
        "measured, as wrk's correction for coordinated omission does",
        "contradiction",
    )


def _unsteady(run: _Run) -> Iterator[Incident]:
    """A rate that went up and down, and waits that grew with the run."""
    load, mean = run.load, run.load.times.get(LATENCY, {}).get("mean", 0.0)
    # What comes in a tenth of a second is counted, and a Poisson number by chance alone.
    by_chance = 2 * math.sqrt(10 * (run.per_thread or 0.0))
    if run.per_thread and run.spread > max(UNEVEN * run.per_thread, by_chance) and load.rate:
        yield Incident(
            Severity.WARNING,
            f"a thread makes {run.per_thread:.4g} requests a second, with a spread of {run.spread:.4g} ({load.where})",
            "it did not run evenly: the mean is of several states, such as a server that pauses",
            "modes",
        )
    if _by_schedule(run) and load.wall_s and mean > MOST_WAITED * load.wall_s:
        yield Incident(
            Severity.WARNING,
            f"the mean latency {load.where} is {mean:.3g} s, in a test of {load.wall_s:.4g} s",
            "requests waited for their turn, longer and longer: less was done than was asked for, and the latencies "
            "are those of the queue",
            "saturated-client",
        )


def _by_schedule(run: _Run) -> bool:
    """Whether requests were due at a rate, so that it is of wrk2."""
    return run.scheduled or bool(run.load.target)


def _by_threads(run: _Run) -> float | None:
    """What its threads make together by their own means, as a share of the rate of all requests."""
    load = run.load
    if (
        not (run.threads and run.per_thread and load.rate)
        or (load.wall_s or 0.0) < 1
        or (load.failed and any(load.failed.values()))
    ):
        return None
    return run.threads * run.per_thread / load.rate


def _in_flight(run: _Run) -> float | None:
    """Little's law: how many requests each connection has under way, or due, at once. wrk itself pipelines.

    wrk2 sends what is due by a timer of whole milliseconds, so that requests wait for one even with nothing to do.
    """
    mean = run.load.times.get(LATENCY, {}).get("mean")
    if not _by_schedule(run) or run.load.rate is None or not run.connections or mean is None:
        return None
    return run.load.rate * max(mean - _TIMER_S, 0.0) / run.connections


WRK = Importer("wrk", "wrk's text", _read, _BEGINS)
