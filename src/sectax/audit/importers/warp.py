"""What MinIO's warp prints after a benchmark and for `warp analyze`: 'Report: …' today, 'Operation: …' before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, Figure, Moves, Quantity
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import BINARY, duration_in, number, number_in

_BEGINS = re.compile(r"^(?:Report|Operation): [A-Z]{3,}(?=[ .,(]|$)", re.MULTILINE)
_HEAD = re.compile(r"(?:Report|Operation): ([A-Z]{3,})(?=[ .,(]|$)")
_COUNT = re.compile(r"\((\d+)(?: reqs)?\)|Reqs: (\d+), Errs|Requests considered: (\d+)")
_ERRORS = re.compile(r"Errs: ?(\d+)|^\s*(?:\* )?Errors: (\d+)")
_SIZE = re.compile(r"Size: (\d+) bytes")
_AVERAGE = re.compile(r"\s*\* Average: (?:(\S+) ?([KMGT]?i?B)/s, )?(\S+) obj/s")
# The line of all requests has its own name, 'Reqs:', since 2024; before, it followed 'Requests considered'.
_REQUESTS = re.compile(r"\s*\* (?:Reqs: )?Avg: \S")
_TIMES = re.compile(r"(Avg|Fastest|Slowest|(?<![\d.])\d++(?:\.\d++)?%): ([^,\s]+)")
_STATISTICS = {"Avg": "mean", "Fastest": "min", "Slowest": "max", "50%": "median"}
# What carries a body, and what metadata alone. Operations that are not named here may do either.
_MOVES = {
    "GET": Moves.BODY,
    "PUT": Moves.BODY,
    "STAT": Moves.METADATA,
    "DELETE": Moves.METADATA,
    "LIST": Moves.METADATA,
}


@dataclass
class _Report:
    """One operation of one benchmark."""

    operation: str
    line: int
    count: float | None = None
    errors: float | None = None
    size: float | None = None
    bandwidth: float | None = None
    rate: float | None = None
    times: dict[str, float] = field(default_factory=dict)


def _read(lines: Iterable[str]) -> Evidence:
    reports: list[_Report] = []
    for place, line in enumerate(lines, 1):
        head = _HEAD.match(line)
        if head is not None:
            reports.append(_Report(head[1], place))
        if reports:
            _take(reports[-1], place, line)
    return evidence(_figures(reports), "warp")


def _take(report: _Report, place: int, line: str) -> None:
    for name, pattern in (("count", _COUNT), ("errors", _ERRORS), ("size", _SIZE)):
        found = pattern.search(line)
        if found is not None and getattr(report, name) is None:
            text = next(group for group in found.groups() if group is not None)
            setattr(report, name, number(text, line=place, column=found.start() + 1))
    average = _AVERAGE.match(line)
    # The hosts' own averages come later, further in.
    if average is not None and report.rate is None:
        if average[1] is not None:
            if average[2] not in BINARY:
                raise BadInput(
                    f"{average[2]}/s is not a unit that warp prints", line=place, column=average.start(2) + 1
                )
            report.bandwidth = number_in(average, 1, place, BINARY[average[2]])
        report.rate = number_in(average, 3, place)
    elif _REQUESTS.match(line) and not report.times:
        for each in _TIMES.finditer(line):
            report.times[each[1]] = duration_in(each, 2, place)


def _figures(reports: list[_Report]) -> Iterator[Figure]:
    numbers: dict[str, int] = {}
    for report in reports:
        if report.rate is None:
            raise BadInput(f"this report of {report.operation} was cut short: it has no average", line=report.line)
        which = numbers[report.operation] = numbers.get(report.operation, 0) + 1
        told = Circumstances(
            operation=report.operation,
            load_client="warp",
            moves=_MOVES.get(report.operation),
            # What a GET asks of a server holds all that a STAT (HEAD) asks.
            contains=("STAT",) if report.operation == "GET" else None,
            size_bytes=report.size,
            events=report.count,
            errors=report.errors,
        )
        of = Measurement(
            f"{report.operation} {which}",
            {"operation": report.operation, "run": str(which)},
            told,
            None if report.count is None else int(report.count),
        )
        if report.bandwidth is not None:
            yield of.figure("bandwidth", Quantity.BANDWIDTH, report.bandwidth, "rate")
        yield of.figure("rate", Quantity.RATE, report.rate, "rate")
        for name, value in report.times.items():
            statistic = _STATISTICS.get(name, f"p{name.removesuffix('%')}")
            yield of.figure(f"time, {statistic}", Quantity.TIME, value, statistic)


WARP = Importer("warp", "warp's text", _read, _BEGINS)
