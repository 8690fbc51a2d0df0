"""What wrk and wrk2 print, with or without their latency distributions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sectax.audit.contradictions import LONG_ENOUGH_S
from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Circumstances, EndsBy, Figure, Quantity
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.audit.importers.sizes import size_in, without_size
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import duration_in, number, number_in
from sectax.model.finding import Severity
from sectax.model.printable import printable

_BEGINS = re.compile(r"^Running \S+ test @ ", re.MULTILINE)
_HEAD = re.compile(r"Running (\S+) test @ (\S.*)")
# The line of the command above it, where a shell printed it; wrk2 takes the rate with -R.
_ASKED = re.compile(r"[^|]{0,200}\bwrk2?\b[^|]{0,400}?\s(?:-R\s*+|--rate[ =])(\d++)")
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


@dataclass
class _Run:
    url: str
    line: int
    configured_s: float
    target: float | None = None
    connections: float | None = None
    scheduled: bool = False
    latencies: dict[str, float] = field(default_factory=dict)
    largest: str = "max"
    requests: float | None = None
    wall_s: float | None = None
    bytes_read: float | None = None
    failed: dict[str, float] = field(default_factory=dict)
    rate: float | None = None
    transfer: float | None = None
    uncorrected: bool = False


def _read(lines: Iterable[str]) -> Evidence:
    runs: list[_Run] = []
    incidents: list[Incident] = []
    asked: float | None = None
    for place, line in enumerate(lines, 1):
        head = _HEAD.match(line)
        if head is not None:
            runs.append(_Run(head[2].strip(), place, duration_in(head, 1, place), asked))
            asked = None
        elif rate := _ASKED.match(line):
            asked = number_in(rate, 1, place)
        elif _SAID.match(line):
            incidents.append(
                Incident(
                    Severity.FATAL,
                    f"line {place}: {printable(line.strip(), 80)}",
                    "wrk itself says that it could not do its work",
                )
            )
        elif runs:
            _take(runs[-1], place, line)
    incidents += [incident for run in runs for incident in _failures(run)]
    return evidence(_figures(runs), "wrk", incidents=incidents, twice=[each for run in runs for each in _twice(run)])


def _failures(run: _Run) -> Iterator[Incident]:
    """What failed, by kind. Whether it is too much of all requests is another check's word."""
    kinds = ", ".join(f"{kind}: {count:.0f}" for kind, count in run.failed.items() if count)
    if kinds:
        requests = "an unknown number of" if run.requests is None else f"{run.requests:.0f}"
        yield Incident(
            Severity.WARNING,
            f"wrk counts errors beside {requests} requests ({kinds}; the run at line {run.line})",
            "a request that fails is often a fast one, one that times out is in no latency",
        )


def _twice(run: _Run) -> Iterator[Twice]:
    if run.transfer is not None and run.bytes_read is not None and run.wall_s and run.wall_s >= LONG_ENOUGH_S:
        yield Twice(
            f"the transfer of the run at line {run.line}, in bytes a second,",
            run.transfer,
            run.bytes_read / run.wall_s,
            "the bytes that were read over the time are",
            # Two digits after the point, of the unit that either was printed in.
            0.01 * (run.transfer + run.bytes_read / run.wall_s) + 1.0,
        )


def _take(run: _Run, place: int, line: str) -> None:
    run.scheduled = run.scheduled or line.startswith(_SCHEDULED)
    if _UNCORRECTED in line:
        run.uncorrected = True  # wrk2 prints a second distribution, which leaves out the time in its queue
    elif header := _HEADER.match(line):
        run.largest = "max" if header[1] == "Max" else "p99"
    elif latency := _LATENCY.match(line):
        for statistic, at in (("mean", 1), (run.largest, 3)):
            _latency(run, statistic, latency, at, place)
    elif (quantile := _QUANTILE.match(line)) and not run.uncorrected:
        share = float(quantile[1])
        _latency(run, "median" if share == 50 else "max" if share == 100 else f"p{share:g}", quantile, 2, place)
    elif requests := _REQUESTS.match(line):
        run.requests = number_in(requests, 1, place)
        run.wall_s = duration_in(requests, 2, place)
        run.bytes_read = number_in(requests, 3, place, _BYTES[requests[4]])
    elif requests := _REQUESTS_ALONE.match(line):
        run.requests = number_in(requests, 1, place)
    elif connections := _CONNECTIONS.match(line):
        run.connections = number_in(connections, 1, place)
    elif errors := _SOCKET.match(line):
        run.failed |= {kind: number(each, line=place) for kind, each in zip(_SOCKETS, errors.groups(), strict=True)}
    elif status := _STATUS.match(line):
        run.failed["other status than 2xx or 3xx"] = number_in(status, 1, place)
    elif rate := _RATE.match(line):
        run.rate = number_in(rate, 1, place)
    elif transfer := _TRANSFER.match(line):
        run.transfer = number_in(transfer, 1, place, _BYTES[transfer[2]])


def _latency(run: _Run, statistic: str, found: re.Match[str], at: int, place: int) -> None:
    # A run without a single answer has no latency, and says '-nan'.
    if "nan" not in found[at]:
        run.latencies.setdefault(statistic, duration_in(found, at, place))


def _figures(runs: list[_Run]) -> Iterator[Figure]:
    for at, run in enumerate(runs, 1):
        if run.rate is None:
            raise BadInput("this output of wrk was cut short: it has no Requests/sec", line=run.line)
        named = size_in(run.url)
        told = Circumstances(
            operation=run.url,
            named_bytes=named,
            named=None if named is None else without_size(run.url),
            load_client="wrk",
            ends_by=EndsBy.TIME,
            configured_s=run.configured_s,
            events=run.requests,
            wall_s=run.wall_s,
            target_rate=run.target,
            achieved_rate=None if run.target is None else run.rate,
            in_flight=_in_flight(run),
            bytes_each=run.bytes_read / run.requests if run.bytes_read is not None and run.requests else None,
            # wrk prints a line of errors only where there were some.
            errors=sum(run.failed.values()),
        )
        trials = None if run.requests is None else int(run.requests)
        of = Measurement(f"{run.url} {at}", {"url": run.url, "run": str(at)}, told, trials)
        for name, value in run.latencies.items():
            yield of.figure(f"latency, {name}", Quantity.TIME, value, name)
        yield of.figure("requests/s", Quantity.RATE, run.rate, "rate")
        if run.transfer is not None:
            yield of.figure("transfer/s", Quantity.BANDWIDTH, run.transfer, "rate")


def _in_flight(run: _Run) -> float | None:
    """Little's law: how many requests each connection has under way, or due, at once. wrk itself pipelines."""
    if not run.scheduled or run.rate is None or not run.connections or "mean" not in run.latencies:
        return None
    return run.rate * run.latencies["mean"] / run.connections


WRK = Importer("wrk", "wrk's text", _read, _BEGINS)
