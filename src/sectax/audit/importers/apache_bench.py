"""What ApacheBench (`ab`) prints.

Source: support/ab.c of apache/httpd. Times of requests are whole milliseconds; Length counts answers of another length
than the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from sectax.audit.contradictions import ENOUGH_FOR_QUANTILES, RATE_STEP
from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import EndsBy
from sectax.audit.importers.headings import Headings, mislabelled
from sectax.audit.importers.load_run import (
    LATENCY,
    Command,
    Commands,
    LoadRun,
    of_runs,
    quantile,
    without_figures,
)
from sectax.audit.importers.parts import Importer
from sectax.audit.importers.said import Said
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number, number_in
from sectax.model.finding import Severity

_BEGINS = re.compile(r"^[ \t>#]*+This is ApacheBench|^Server Hostname: {2,}", re.MULTILINE)
_BANNER = re.compile(r"[\s>#]*+This is ApacheBench")
# Where its first lines were not copied.
_WITHOUT_HEAD = re.compile(
    r"\s*+(?:Document (?:Path|Length)|Concurrency Level|Time taken for tests|(?:Complete|Failed) requests"
    r"|Requests per second|Time per request|Total|Percentage of the requests served.{0,60}):?\s"
)
# They stand before the rate in every output, so that behind one they are of the next.
_EARLY = re.compile(r"\s*+(?:Document (?:Path|Length)|Concurrency Level|Time taken for tests):\s")
_FIELD = re.compile(r"\s*+([A-Z][A-Za-z0-9/-]*+(?: [A-Za-z0-9/-]++){0,4}):\s++(\S.*)")
_VALUE = re.compile(r"(\S++)(?: (\S++))?")
_KINDS = re.compile(r"\s*+\(Connect: (\d++)(?:, Receive: (\d++))?, Length: (\d++), Exceptions: (\d++)\)")
# With -S three numbers, without their spread and median.
_TOTAL = re.compile(r"\s*+Total:\s++(\d++)\s++(\d++)(?:\s++[0-9.]++\s++(\d++))?\s++(\d++)\s*+$")
# The other rows of its table, and of the first the spread of all requests.
_ROW = re.compile(r"\s*+(Connect|Processing|Waiting|Total):\s++(\d++)\s++(\d++)\s++([0-9.]++)\s++(\d++)\s++(\d++)\s*+$")
_FINISHED = re.compile(r"\s*+Finished (\d++) requests\s*+$")
_QUANTILE = re.compile(r"\s*+(\d{1,3})%\s++(\d++)")
_UNRELIABLE = re.compile(r"\s*+(?:ERROR|WARNING): The median and mean for .*")
_SAID = re.compile(
    r"\s*+(?:apr_\w++: .*\(\d++\)|ab: (?!option).*|Test aborted after .*|SSL (?:handshake|read|write) failed.*"
    r"|Total of \d++ requests completed|Test failed|Send request (?:failed|timed out)!)"
)
_KB = 1024.0
# A page that changes does not double or lose half of its length, and is not another one most of the time.
MOST_UNLIKE, MOST_OTHERS = 2.0, 0.5
# After these seconds a first packet is sent again, a little late; of all requests at least a hundredth of a second.
SYN_AGAIN_S, SYN_LATE, SYN_SHARE_S = (1.0, 3.0, 7.0), 1.1, 0.01
# Of the time that requests took, that their places were there for.
MOST_EMPTY = 2.0
# Beyond whole seconds, where the clock ended a test.
A_LITTLE = 0.02


@dataclass
class _Run:
    """A run, and what its lines told that figures do not hold."""

    load: LoadRun
    has_head: bool = True
    host: str = ""
    port: str = ""
    path: str = "/"
    secure: bool = False
    sends: bool = False
    length: float | None = None
    lengths_differ: float = 0.0
    kinds: float | None = None
    all_failed: float | None = None
    stopped: str = ""
    finished: float | None = None
    per_request: list[float] = field(default_factory=list)
    means: dict[str, float] = field(default_factory=dict)
    connects: tuple[float, float, float] | None = None
    not_2xx: float | None = None
    quantiles: dict[float, float] = field(default_factory=dict)
    kept: bool = False
    asked: list[Command] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    heading: str = ""
    server: str = ""


def _read(lines: Iterable[str]) -> Evidence:
    runs: list[_Run] = []
    said = Said()
    commands, headings = Commands("ab"), Headings()
    for place, line in enumerate(lines, 1):
        headings.sees(line)
        if _BANNER.match(line) or (line.lstrip().startswith("Server Hostname:") and (not runs or runs[-1].host)):
            own, asked = commands.taken()
            load = LoadRun("ab", "", place, printed_s=1e-3)
            runs.append(_Run(load, asked=asked, heading=headings.taken()))
            if own is not None:
                runs[-1].load.ends_by = EndsBy.TIME if "-t" in own.options else EndsBy.EVENTS
                runs[-1].load.configured_s = own.seconds("-t")
        elif commands.sees(line):
            continue
        elif _WITHOUT_HEAD.match(line) and (not runs or (runs[-1].load.rate is not None and _EARLY.match(line))):
            load = LoadRun("ab", f"run at line {place}", place, factor="name", printed_s=1e-3)
            runs.append(_Run(load, has_head=False, asked=commands.taken()[1]))
        if runs:
            with said.unread(place, line):
                _take(runs[-1], place, line, said)
    measured = [run for run in runs if run.host or not run.has_head]
    for run in runs:
        _name(run)
        if not run.host and run.has_head and measured:
            why = run.stopped or "its output ends before them"
            what = f"a run without results: {why}"
            # What ab stopped was asked for, and would have had a place beside the others.
            severity = Severity.FATAL if run.stopped else Severity.WARNING
            said.add(severity, run.load.line or 0, what, "it is in none of the figures")
    if runs and not measured:
        why = next((run.stopped for run in runs if run.stopped), "")
        raise BadInput(
            f"nothing was measured: {'ab stopped, ' + repr(why) if why else 'there are no results of ab in it'}",
            "give the whole output of a finished run",
            line=runs[-1].load.line,
        )
    for run in measured:
        _consistent(run, said)
    twice = [each for run in measured for each in _lengths(run)]
    # Before the figures: these may be failures.
    loads = [run.load for run in measured]
    incidents = [*said.incidents(), *(each for run in measured for each in _other_lengths(run))]
    incidents += mislabelled([(f"the run at line {run.load.line}", run.heading, run.server) for run in measured])
    incidents += without_figures(loads, "Requests per second")
    return of_runs(loads, "ApacheBench", incidents, twice)


def _take(run: _Run, place: int, line: str, said: Said) -> None:
    load = run.load
    if row := _ROW.match(line):
        run.means.setdefault(row[1], number_in(row, 3, place, 1e-3))
        if row[1] == "Total":
            load.stdev = number_in(row, 4, place, 1e-3)
        elif row[1] == "Connect":
            mean, middle, most = (number_in(row, at, place, 1e-3) for at in (3, 5, 6))
            run.connects = mean, middle, most
    if finished := _FINISHED.match(line):
        run.finished = number_in(finished, 1, place)
    elif total := _TOTAL.match(line):
        for statistic, at in (("min", 1), ("mean", 2), ("median", 3), ("max", 4)):
            if total[at] is not None:
                load.took(statistic, number_in(total, at, place, 1e-3))
    elif per_cent := _QUANTILE.match(line):
        value = number_in(per_cent, 2, place, 1e-3)
        run.quantiles[float(per_cent[1])] = value
        load.took(quantile(float(per_cent[1])), value)
    elif kinds := _KINDS.match(line):
        connect, receive, length, exceptions = (number(each or "0", line=place) for each in kinds.groups())
        run.kinds, run.lengths_differ = connect + receive + length + exceptions, length
        load.fails({"connect": connect, "receive": receive, "exceptions": exceptions})
        (load.failed or {}).pop("failed", None)
    elif _UNRELIABLE.match(line):
        said.add(Severity.WARNING, place, line, "ab itself says that these results are not reliable")
    elif stop := _SAID.match(line):
        run.stopped = run.stopped or stop[0].strip()
        said.add(Severity.WARNING, place, stop[0], "ab itself says that requests failed, or that it stopped early")
    elif fact := _FIELD.match(line):
        _fact(run, fact, place)


def _fact(run: _Run, found: re.Match[str], place: int) -> None:
    load, name, text = run.load, found[1], found[2].strip()
    value = _VALUE.match(text)
    if value is None or (name in run.told and name != "Time per request"):
        return
    run.told.add(name)

    def amount(scale: float = 1.0) -> float:
        return number(value[1], scale=scale, line=place, column=found.start(2) + 1)

    match name:
        case "Server Software":
            run.server = text
        case "Server Hostname":
            run.host = value[1]
        case "Server Port":
            run.port = value[1]
        case "Document Path":
            run.path = text
        case "SSL/TLS Protocol":
            run.secure = True
        case "Document Length":
            run.length = None if text.startswith("Variable") else amount()
        case "Concurrency Level":
            load.busy = amount()
        case "Time taken for tests":
            load.wall_s = amount()
        case "Complete requests":
            load.requests = amount()
        case "Failed requests":
            run.all_failed = amount()
            load.fails({"failed": run.all_failed})
        case "Write errors" | "Non-2xx responses" | "Broken pipe errors":
            kind = "other status than 2xx (ab follows no redirect)" if name.startswith("Non") else name.lower()
            load.fails({kind: amount()})
            if name == "Non-2xx responses":
                run.not_2xx = amount()
        case "Total transferred":
            load.bytes_read = amount()
        case "Total body sent":
            run.sends = True
        case "HTML transferred":
            load.content = amount()
        case "Requests per second":
            load.rate = amount()
        case "Time per request":
            run.per_request.append(amount(1e-3))
        case "Keep-Alive requests":
            run.kept = amount() > 0
        case "Transfer rate":
            load.transfer, load.transfer_step = amount(_KB), 0.01 * _KB


def _name(run: _Run) -> None:
    """Its address, as the tool was given it; and whether its results are whole."""
    load = run.load
    usual = "443" if run.secure else "80"
    port = "" if run.port in ("", usual) else f":{run.port}"
    # What sends a body does other work at the same path; with which method is not printed.
    verb = "sending to " if run.sends else ""
    if run.host:
        load.name = f"{verb}{'https' if run.secure else 'http'}://{run.host}{port}{run.path}"
    if load.failed is not None and run.kinds is None and not load.failed.get("failed"):
        load.failed.pop("failed", None)
    if run.host and load.requests == 0:
        load.rate = 0.0


def _consistent(run: _Run, said: Said) -> None:
    """What the lines of one run say of each other, and of the command above them."""
    load, times = run.load, run.load.times.get(LATENCY, {})
    # Waits of all connections together, and of one request after the other: three digits after the point of both.
    command = run.asked[-1] if run.asked else Command({}, "")
    requests, at_a_time = load.requests or command.number("-n"), load.busy or command.number("-c")
    rate = load.rate or (requests / load.wall_s if requests and load.wall_s else None)
    for each, busy, words in zip(
        run.per_request, (at_a_time, 1.0), ("the time of a request", "the time across all requests"), strict=False
    ):
        if busy and rate:
            step = 5e-7 + busy / rate * RATE_STEP / rate
            load.tells_twice(words, each, busy / rate, "in seconds, and by the rate it is", step)
    if run.per_request and not times:
        load.took("mean", run.per_request[0])
        load.printed_s = 1e-6
    load.tells_twice("the number of failures of all kinds", run.kinds, run.all_failed, "and of failed requests")
    load.tells_twice(
        "the number of finished requests", run.finished, load.requests, "and of complete ones", tolerance=0
    )
    if "median" in times and 50.0 in run.quantiles and (load.requests or 0.0) >= ENOUGH_FOR_QUANTILES:
        # One of them is the mean of two neighbours.
        load.tells_twice(
            "the median", run.quantiles[50.0], times["median"], "in seconds, and in its table it is", 1.1e-3, 0.25
        )
    if "max" in times and 100.0 in run.quantiles:
        load.tells_twice(
            "the longest", run.quantiles[100.0], times["max"], "in seconds, and in its table", 1.1e-3, 0.02
        )
    whole = run.means.get("Processing")
    if {"Connect", "Processing", "Total"} <= run.means.keys():
        load.tells_twice(
            "the mean time of a request",
            run.means["Total"],
            run.means["Connect"] + run.means["Processing"],
            "in seconds, and connecting and processing are together",
            2.1e-3,
        )
    load.at_most("the mean time of waiting", run.means.get("Waiting"), whole, "in seconds, and of processing", 1.1e-3)
    _slots(run)
    if load.requests and load.bytes_read == 0 and not run.length and not run.server:
        said.add(
            Severity.FATAL,
            load.line or 0,
            f"{load.requests:.0f} complete requests, and not one byte was read {load.where}",
            "no server answered: connections were opened and closed again",
            "zero-event-run",
        )
    if run.connects is not None:
        mean, middle, most = run.connects
        if mean - middle >= SYN_SHARE_S and any(wait <= most <= SYN_LATE * wait for wait in SYN_AGAIN_S):
            said.add(
                Severity.WARNING,
                load.line or 0,
                f"connecting takes {middle:g} s in the middle and up to {most:g} s {load.where}",
                "some packets were sent again, as for a full queue, after 1, 3 or 7 s: the times are in clusters",
                "modes",
            )
    if load.busy is not None:
        load.set_up["connections"] = f"{load.busy:g}"
    load.set_up["keep-alive"] = "with keep-alive" if run.kept else "without keep-alive"
    load.set_up["protocol"] = load.name.removeprefix("sending to ").partition(":")[0]
    timed = any("-t" in each.options for each in run.asked)
    load.asked_for(run.asked, connections=load.busy, requests=None if timed or run.stopped else load.requests)


def _slots(run: _Run) -> None:
    """Answers beside requests, and the time of all requests beside that of all places that they had."""
    load, longest = run.load, run.load.times.get(LATENCY, {}).get("max")
    # Where the clock ended the test, some were under way.
    by_the_clock = load.ends_by is EndsBy.TIME or (load.wall_s or 0.0) % 1 <= A_LITTLE
    load.at_most(
        "the number of answers of another status than 2xx",
        run.not_2xx,
        load.requests,
        "and of complete requests",
        load.busy or 0.0 if by_the_clock else 0.0,
    )
    mean = run.means.get("Total")
    if mean is None or longest is None or not load.busy or not load.requests or not load.wall_s or _failed(run):
        return
    # Until the last request began no place was empty: each begins the next as soon as one is done.
    least = load.busy * max(load.wall_s - longest, 0.0) / load.requests
    if least > MOST_EMPTY * (mean + 1e-3):
        load.tells_twice(
            "the mean time of a request",
            mean,
            least,
            f"in seconds, and {load.busy:.0f} at a time in {load.wall_s:g} s have at the least",
        )


def _failed(run: _Run) -> bool:
    return any((run.load.failed or {}).values()) or bool(run.stopped)


def _lengths(run: _Run) -> Iterable[Twice]:
    """Bytes of the answers beside their number and the length of the first."""
    load = run.load
    load.at_most("the HTML transferred", load.content, load.bytes_read, "in bytes, and all that was read is", 1.0)
    if (
        run.length
        and load.content is not None
        and load.requests
        and not sum((load.failed or {}).values())
        and not run.lengths_differ
    ):
        yield Twice(
            f"the HTML that was transferred {load.where}, in bytes,",
            load.content,
            run.length * load.requests,
            f"{load.requests:.0f} documents of {run.length:.0f} bytes make",
            # Answers to requests that were under way at the end are in it.
            run.length * ((load.busy or 0.0) + 1),
        )


def _other_lengths(run: _Run) -> Iterable[Incident]:
    """Answers of another length than the first: W of a page that changes; where most of it is gone, they failed."""
    load = run.load
    if not run.lengths_differ:
        return
    many = f"{run.lengths_differ:.0f} of {load.requests or 0:.0f} answers have another length than the first"
    mean = _mean_of_others(run)
    unlike = (
        mean is not None and run.length and not run.length / MOST_UNLIKE <= mean <= MOST_UNLIKE * run.length
    ) or run.lengths_differ > MOST_OTHERS * (load.requests or 0.0)
    if mean is not None and run.length and unlike:
        load.fails({f"length (about {mean:.0f} bytes instead of {run.length:.0f})": run.lengths_differ})
        return
    yield Incident(
        Severity.WARNING,
        f"{many} ({load.where.removeprefix('of ')})",
        "the page changes from request to request (then say ab -l), or these are error pages",
    )


def _mean_of_others(run: _Run) -> float | None:
    load = run.load
    if load.content is None or run.length is None or not load.requests:
        return None
    alike = load.requests - run.lengths_differ
    return max(load.content - alike * run.length, 0.0) / run.lengths_differ


APACHE_BENCH = Importer("ab", "ApacheBench", _read, _BEGINS)
