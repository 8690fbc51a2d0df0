"""What wrk and wrk2 print, with or without their latency distributions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, EndsBy, Figure, Quantity
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import duration_in, number, number_in

_BEGINS = re.compile(r"^Running \S+ test @ ", re.MULTILINE)
_HEAD = re.compile(r"Running (\S+) test @ (\S.*)")
_LATENCY = re.compile(r"\s+Latency\s+(?!Distribution)(\S+)\s+(\S+)\s+(\S+)")
_HEADER = re.compile(r"\s*Thread Stats\s+Avg\s+Stdev\s+(Max|99%)")
_QUANTILE = re.compile(r"\s*(\d+(?:\.\d+)?)%\s+(\S+)\s*$")
_REQUESTS = re.compile(r"\s*(\d+) requests in ([0-9.]+[a-z]+), ([0-9.]+)([KMGT]?B) read")
_REQUESTS_ALONE = re.compile(r"\s*(\d+) requests in ")
_SOCKET = re.compile(r"\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")
_STATUS = re.compile(r"\s*Non-2xx or 3xx responses: (\d+)")
_RATE = re.compile(r"Requests/sec:\s*(\S+)")
_TRANSFER = re.compile(r"Transfer/sec:\s*(\S+?)([KMGT]?B)\s*$")
_BYTES = {"B": 1.0, "KB": 2.0**10, "MB": 2.0**20, "GB": 2.0**30, "TB": 2.0**40}  # units.c counts in 1024
_UNCORRECTED = "Uncorrected Latency"


@dataclass
class _Run:
    url: str
    line: int
    configured_s: float
    latencies: dict[str, float] = field(default_factory=dict)
    largest: str = "max"
    requests: float | None = None
    wall_s: float | None = None
    bytes_read: float | None = None
    failed: float | None = None
    rate: float | None = None
    transfer: float | None = None
    uncorrected: bool = False


def _read(lines: Iterable[str]) -> Evidence:
    runs: list[_Run] = []
    for place, line in enumerate(lines, 1):
        head = _HEAD.match(line)
        if head is not None:
            runs.append(_Run(head[2].strip(), place, duration_in(head, 1, place)))
        elif runs:
            _take(runs[-1], place, line)
    return evidence(_figures(runs), "wrk")


def _take(run: _Run, place: int, line: str) -> None:
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
    elif errors := _SOCKET.match(line) or _STATUS.match(line):
        run.failed = (run.failed or 0.0) + sum(number(each, line=place) for each in errors.groups())
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
        told = Circumstances(
            operation=run.url,
            load_client="wrk",
            ends_by=EndsBy.TIME,
            configured_s=run.configured_s,
            events=run.requests,
            wall_s=run.wall_s,
            bytes_each=run.bytes_read / run.requests if run.bytes_read is not None and run.requests else None,
            # wrk prints a line of errors only where there were some.
            errors=run.failed if run.failed is not None else 0.0,
        )
        trials = None if run.requests is None else int(run.requests)
        of = Measurement(f"{run.url} {at}", {"url": run.url, "run": str(at)}, told, trials)
        for name, value in run.latencies.items():
            yield of.figure(f"latency, {name}", Quantity.TIME, value, name)
        yield of.figure("requests/s", Quantity.RATE, run.rate, "rate")
        if run.transfer is not None:
            yield of.figure("transfer/s", Quantity.BANDWIDTH, run.transfer, "rate")


WRK = Importer("wrk", "wrk's text", _read, _BEGINS)
