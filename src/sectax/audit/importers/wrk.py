"""What wrk and wrk2 print, with or without their latency distributions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sectax.audit.evidence import Evidence
from sectax.audit.figure import EndsBy
from sectax.audit.importers.load_run import LATENCY, LoadRun, command, of_runs, quantile
from sectax.audit.importers.parts import Importer
from sectax.audit.importers.said import Said
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import duration_in, number, number_in
from sectax.model.finding import Severity

# Before version 2 it made a number of requests.
_BEGINS = re.compile(r"^(?:Running \S+ test @ |Making \d+ requests to )", re.MULTILINE)
_HEAD = re.compile(r"(?:Running (\S+) test @|Making \d++ requests to) \s*+(\S.*)")
_LATENCY = re.compile(r"\s++Latency\s++(?!Distribution)(\S++)\s++(\S++)\s++(\S++)")
_HEADER = re.compile(r"\s*+Thread Stats\s++Avg\s++Stdev\s++(Max|99%)")
_QUANTILE = re.compile(r"\s*+(\d++(?:\.\d++)?)%\s++(\S++)\s*+$")
_REQUESTS = re.compile(r"\s*+(\d++) requests in ([0-9.]++[a-z]++), ([0-9.]++)([KMGT]?B)\s++read")
_REQUESTS_ALONE = re.compile(r"\s*+(\d++) requests in ")
_CONNECTIONS = re.compile(r"\s*+\d++ threads and (\d++) connections")
_SOCKET = re.compile(r"\s*+Socket errors: connect (\d++), read (\d++), write (\d++), timeout (\d++)")
_SOCKETS = ("connect", "read", "write", "timeout")
_STATUS = re.compile(r"\s*+Non-2xx or 3xx responses: (\d++)")
# wrk2 counts a request's latency from when it was due, and says so.
_SCHEDULED = ("  Thread calibration:", "  Latency Distribution (HdrHistogram")
_SAID = re.compile(
    r"\s*+(?:unable to (?:connect|resolve|create thread|initialize SSL)|number of connections must|invalid URL"
    r"|We are about to crash|\S*\.lua:\d)"
)
_RATE = re.compile(r"Requests/sec:\s*(\S+)")
_TRANSFER = re.compile(r"Transfer/sec:\s*(\S+?)([KMGT]?B)\s*$")
_BYTES = {"B": 1.0, "KB": 2.0**10, "MB": 2.0**20, "GB": 2.0**30, "TB": 2.0**40}  # units.c counts in 1024
_UNCORRECTED = "Uncorrected Latency"
# Of the time that was asked for.
LEAST_LASTED = 0.9


@dataclass
class _Run:
    """A run, and what of its lines tells how to read the next."""

    load: LoadRun
    connections: float | None = None
    scheduled: bool = False
    largest: str = "max"
    uncorrected: bool = False


def _read(lines: Iterable[str]) -> Evidence:
    runs: list[_Run] = []
    said = Said()
    asked: float | None = None
    for place, line in enumerate(lines, 1):
        head = _HEAD.match(line)
        if head is not None:
            timed = head[1] is not None
            load = LoadRun("wrk", head[2].strip(), place, ends_by=EndsBy.TIME if timed else EndsBy.EVENTS, target=asked)
            load.configured_s = duration_in(head, 1, place) if timed else None
            runs.append(_Run(load))
            asked = None
        elif typed := command(line, "wrk", "wrk2"):
            asked = typed.number("-R", "--rate")
        elif _SAID.match(line):
            said.add(Severity.FATAL, place, line, "wrk itself says that it could not do its work")
        elif runs:
            _take(runs[-1], place, line)
    for run in runs:
        if run.load.rate is None:
            raise BadInput("this output of wrk was cut short: it has no Requests/sec", line=run.load.line)
        run.load.in_flight = _in_flight(run)
        lasted, asked_s = run.load.wall_s or 0.0, run.load.configured_s or 0.0
        if 0 < lasted < LEAST_LASTED * asked_s:
            what = f"the run at line {run.load.line} was to last {asked_s:g} s, and lasted {lasted:g} s"
            meaning = "it was interrupted, or the clock that its rate is taken from is wrong"
            said.add(Severity.WARNING, run.load.line or 0, what, meaning)
    return of_runs([run.load for run in runs], "wrk", said.incidents())


def _take(run: _Run, place: int, line: str) -> None:
    load = run.load
    run.scheduled = run.scheduled or line.startswith(_SCHEDULED)
    if _UNCORRECTED in line:
        run.uncorrected = True  # wrk2 prints a second distribution, which leaves out the time in its queue
    elif header := _HEADER.match(line):
        run.largest = "max" if header[1] == "Max" else "p99"
    elif latency := _LATENCY.match(line):
        for statistic, at in (("mean", 1), (run.largest, 3)):
            _latency(load, statistic, latency, at, place)
    elif (per_cent := _QUANTILE.match(line)) and not run.uncorrected:
        _latency(load, quantile(float(per_cent[1])), per_cent, 2, place)
    elif requests := _REQUESTS.match(line):
        load.requests = number_in(requests, 1, place)
        load.wall_s = duration_in(requests, 2, place)
        load.bytes_read = number_in(requests, 3, place, _BYTES[requests[4]])
    elif requests := _REQUESTS_ALONE.match(line):
        load.requests = number_in(requests, 1, place)
    elif connections := _CONNECTIONS.match(line):
        run.connections = number_in(connections, 1, place)
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


def _in_flight(run: _Run) -> float | None:
    """Little's law: how many requests each connection has under way, or due, at once. wrk itself pipelines."""
    mean = run.load.times.get(LATENCY, {}).get("mean")
    if not (run.scheduled or run.load.target) or run.load.rate is None or not run.connections or mean is None:
        return None
    return run.load.rate * mean / run.connections


WRK = Importer("wrk", "wrk's text", _read, _BEGINS)
