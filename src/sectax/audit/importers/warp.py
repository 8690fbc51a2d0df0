"""What MinIO's warp prints after a benchmark and for `warp analyze`, since 2019.

Source: cli/analyze.go of minio/warp. 'Report: …' today, 'Operation: …' before; averages stand behind 'Average:', behind
'Throughput:' (`mixed`), or alone (`mixed` of 2020).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sectax.audit.evidence import Evidence, Twice
from sectax.audit.figure import Circumstances, Figure, Moves, Quantity
from sectax.audit.importers.parts import Importer, Measurement, evidence, numbered
from sectax.audit.importers.said import Said
from sectax.audit.words import number as number_of
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import BINARY, duration_in, number, number_in
from sectax.model.finding import Severity

_BEGINS = re.compile(
    r"^(?:Report|Operation): [A-Z]{3,}(?=[ .,(]|$)|^[ \t]*+-[ \t]++[A-Z]{3,} Average: [\d.]++ Obj/s.{0,40}; Current ",
    re.MULTILINE,
)
# Of its screen while it runs: '-  GET Average: 13740 Obj/s, 53.7MiB/s; Current 14074 Obj/s, 55.0MiB/s, 0.6 ms/req'.
_SCREEN = re.compile(r"\s*+-\s++([A-Z]{3,}) Average: ([\d.]++) Obj/s(?:, ([\d.]++) ?([KMGT]?i?B)/s)?; Current ")
_HEAD = re.compile(r"(?:Report|Operation): ([A-Z]{3,})(?=[ .,(]|$)")
_COUNT = re.compile(r"\((\d++)(?: reqs)?\)|Reqs: (\d++), Errs|Requests considered: (\d++)|total: (\d++)")
_ERRORS = re.compile(r"Errs: ?(\d++)|^\s*+(?:\* )?Errors: (\d++)")
_SIZE = re.compile(r"Size: (\d++) bytes")
_CONCURRENCY = re.compile(r"Concurrency: (\d++)")
_HOSTS = re.compile(r"Hosts: (\d++)")
_OBJECTS = re.compile(r"Objects per (?:request|operation): (\d{2,}|[2-9])\b")
_INSTANCES = re.compile(r"Warp Instances: (\d++)")
_FACTS = {
    "objects": _OBJECTS,
    "instances": _INSTANCES,
    "count": _COUNT,
    "errors": _ERRORS,
    "size": _SIZE,
    "hosts": _HOSTS,
    "concurrency": _CONCURRENCY,
}
# '12.3 MiB/s, 1.23 obj/s', or objects alone.
_SPEED = r"(?:([\d.]++) ?([KMGT]?i?B)/s, )?([\d.]++) obj/s"
_AVERAGE = re.compile(rf"\s*+\* (?:(?:Average|Throughput): )?{_SPEED}")
# Where its first lines were not copied.
_WITHOUT_HEAD = re.compile(r"\s*+(?:\* (?:Average|Throughput|Fastest|50% Median): |Reqs: Avg|Throughput, split into)")
_SEGMENT = re.compile(rf"\s*+\* (Fastest|50% Median|Slowest): {_SPEED}")
_STARTING = re.compile(r"starting (\d\d):(\d\d):(\d\d) ")
_DAY_S = 86400
# Until 2022 it stood in brackets behind the average: '(4m30.985s, starting 10:26:21 UTC)'.
_LASTED = re.compile(r"\s*+\* (?:Average|Throughput): .{1,80}\(([0-9hms.]{2,20}), starting ")
_OF_HOST = re.compile(rf"\s*+(?:\* \S++ Avg: |- Average:\s++){_SPEED}")
_OF_CLIENT = re.compile(rf"\s*+Client \d++ throughput: {_SPEED}")
_CLUSTER = re.compile(rf"Cluster Total: {_SPEED}")
# `warp cmp` prints how two results differ, and no result.
_COMPARED = re.compile(r"\s*+\* Average: [+-]")
_SAID = re.compile(r"(?:Skipping\s\S++.{0,80}too few samples|Not enough requests)", re.IGNORECASE)
# The line of all requests has its own name, 'Reqs:', since 2024; before, it followed 'Requests considered'.
_REQUESTS = re.compile(r"\s*+\* (?:Reqs: )?Avg: \S")
_FIRST_BYTE = re.compile(r"\s*+\* TTFB: Avg: ([^,\s]+)(?:, Best: ([^,\s]+))?(?:.{0,200}?Worst: ([^,\s]+))?")
_SPREAD = re.compile(r"StdDev: ([^,\s]+)")
# How long it ran: before the average, or of the average itself.
_RAN = re.compile(r"Ran(?: Duration)?:? ([0-9hms.]{2,20}?)(?=[.,]?(?:\s|$))")
_SHARE = re.compile(
    r"Operation: [A-Z]{3,}(?:,| - total: \d+,) (\d{1,3}(?:\.\d)?)%,|.{0,200}? \((\d{1,3}(?:\.\d)?)% of operations\)"
)
_BELOW = re.compile(r"Total Errors: ?[1-9]\d*")
_ERROR = re.compile(r"<ERROR> ((?:(?!warp: <ERROR>).){0,200})")
# Its errors are of requests, or of a cleanup: so many are of what was measured.
FEWEST_ERRORS = 10
# The printed spread beside the least that two of its times make.
MOST_BELOW = 3.0
# Of the whole: the beginning and the end, when not all clients are at work, are left out of rates.
MOST_LEFT_OUT = 0.35
_TIMES = re.compile(r"(Avg|Fastest|Slowest|(?<![\d.])\d++(?:\.\d++)?%): ([^,\s]+)")
# Hosts, or clients, in two clusters: so far apart, with so many in either, each of them closer together.
CLUSTERS_APART, FEWEST_IN_CLUSTER = 2.0, 2
# The average of all seconds over their median, or the other way round.
MOST_SKEWED = 2.0
_STATISTICS = {"Avg": "mean", "Fastest": "min", "Slowest": "max", "50%": "median"}
# Until 2020 it printed MB, and counted in 1024 too.
_BYTES = {unit.replace("i", ""): scale for unit, scale in BINARY.items()} | BINARY
# What carries a body, and what metadata alone. Operations that are not named here may do either.
_MOVES = {
    "GET": Moves.BODY,
    "PUT": Moves.BODY,
    "STAT": Moves.METADATA,
    "DELETE": Moves.METADATA,
    "LIST": Moves.METADATA,
}


@dataclass
class _Speed:
    """Objects per second, and bytes per second where they were printed."""

    rate: float
    bandwidth: float | None


@dataclass
class _Report:
    """One operation of one benchmark."""

    operation: str
    line: int
    count: float | None = None
    errors: float | None = None
    size: float | None = None
    hosts: float | None = None
    concurrency: float | None = None
    objects: float | None = None
    instances: float | None = None
    mixed: bool = False
    average: _Speed | None = None
    compared: bool = False
    skipped: bool = False
    segments: dict[str, _Speed] = field(default_factory=dict)
    of_hosts: list[_Speed] = field(default_factory=list)
    of_clients: list[_Speed] = field(default_factory=list)
    # Of the whole ("") and of single segments: the second of the day.
    begins: dict[str, float] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)
    first_byte: tuple[float | None, ...] = ()
    spread: float | None = None
    ran_s: float | None = None
    share: float | None = None

    @property
    def tells(self) -> bool:
        return self.average is not None or bool(self.times)


def _read(lines: Iterable[str]) -> Evidence:
    reports: list[_Report] = []
    said = Said()
    twice: list[Twice] = []
    errors: list[int] = []
    screens: list[_Report] = []
    # Where the operations of a mixed benchmark begin; they end with their sum, or where a new output begins.
    mixed: int | None = None
    # So many reports are followed by something else: the text of a page, another command.
    ended = 0
    for place, line in enumerate(lines, 1):
        head = _HEAD.match(line)
        if head is not None:
            reports.append(_Report(head[1], place, mixed=mixed is not None))
        elif screen := _SCREEN.match(line):
            screens.append(_of_screen(screen, place))
        elif line.startswith("Mixed operations"):
            mixed = len(reports)
        elif cluster := _CLUSTER.match(line):
            twice += _cluster(_speed(cluster, 1, place), reports[mixed:])
            mixed = None
        elif line.startswith(("```", "λ ", "$ ", "warp: ")):
            mixed = None
            ended = len(reports)
        elif not reports and _WITHOUT_HEAD.match(line):
            reports.append(_Report("OPERATION NOT COPIED", place))
        if len(reports) > ended:
            with said.unread(place, line):
                _take(reports[-1], place, line)
        if below := _BELOW.match(line):
            said.add(Severity.WARNING, place, below[0], "warp itself says that something failed")
        if failed := _ERROR.findall(line):
            errors.append(place)
            errors += [place] * (len(failed) - 1)
            said.add(Severity.WARNING, place, f"<ERROR> {failed[0]}", "warp itself says that something failed")
        if too_little := _SAID.search(line):
            said.add(Severity.WARNING, place, too_little[0], "warp itself says that it measured too little")
            if reports:
                reports[-1].skipped = True
    if screens and not reports:
        reports = list({each.operation: each for each in screens}.values())
        for each in reports:
            each.mixed = len(reports) > 1
        meaning = "it did not end, or its end was not copied: these are averages up to then"
        said.add(Severity.WARNING, screens[-1].line, "warp's screen while it ran, and no report", meaning)
    _without_a_result(reports, said)
    if len(errors) >= FEWEST_ERRORS:
        what = f"warp printed <ERROR> {len(errors)} times"
        said.add(Severity.FATAL, errors[0], what, "so many errors are no accident: what was asked for was not done")
    for report in reports:
        _of_two_states(report, said)
        for what, parts in (("hosts", report.of_hosts), ("clients", report.of_clients)):
            _in_clusters(report, what, [each.rate for each in parts], said)
    for report in reports:
        twice += [*_hosts(report), *_within(report), *_of_times(report)]
        idle = sum(each.rate == 0 for each in report.of_hosts)
        if 0 < idle < len(report.of_hosts):
            what = f"{idle} of {len(report.of_hosts)} hosts of {report.operation} did nothing"
            said.add(Severity.WARNING, report.line, what, "the others carried the load: the average is not that of all")
        if report.errors:
            what = f"{report.errors:.0f} errors of {report.operation}"
            said.add(Severity.WARNING, report.line, what, "a request that fails is often a fast one", "unequal-work")
    twice += _shares(reports)
    return evidence(_figures(reports), "warp", incidents=said.incidents(), twice=twice)


def _of_screen(found: re.Match[str], place: int) -> _Report:
    """An operation as it stands on the screen, where several are of one mixed benchmark."""
    unit = _BYTES.get(found[4] or "B")
    if unit is None:
        raise BadInput(f"{found[4]}/s is not a unit that warp prints", line=place, column=found.start(4) + 1)
    bandwidth = number_in(found, 3, place, unit) if found[3] else None
    return _Report(found[1], place, average=_Speed(number_in(found, 2, place), bandwidth))


def _without_a_result(reports: Sequence[_Report], said: Said) -> None:
    """What has no average. Raises `BadInput` where nothing has one."""
    for report in reports:
        if report.average is None and report.times:
            meaning = "it was cut short, or lines were taken out: what is missing is not known"
            said.add(Severity.WARNING, report.line, f"this report of {report.operation} has no throughput", meaning)
        if report.tells or report.compared or report.skipped:
            continue
        if not any(each.tells for each in reports):
            raise BadInput(f"this report of {report.operation} was cut short: it has no average", line=report.line)
        meaning = "it was cut short or failed, and is in none of the figures"
        said.add(Severity.WARNING, report.line, f"this report of {report.operation} has no average", meaning)


def _take(report: _Report, place: int, line: str) -> None:
    for name, pattern in _FACTS.items():
        found = pattern.search(line)
        if found is not None and getattr(report, name) is None:
            text = next(group for group in found.groups() if group is not None)
            setattr(report, name, number(text, line=place, column=found.start() + 1))
    segment = _SEGMENT.match(line)
    if begins := _STARTING.search(line):
        hours, minutes, seconds = (int(each) for each in begins.groups())
        report.begins.setdefault(segment[1] if segment else "", 3600.0 * hours + 60 * minutes + seconds)
    report.compared = report.compared or _COMPARED.match(line) is not None
    if segment is not None:
        report.segments.setdefault(segment[1], _speed(segment, 2, place))
    elif host := _OF_HOST.match(line):
        report.of_hosts.append(_speed(host, 1, place))
    elif client := _OF_CLIENT.match(line):
        report.of_clients.append(_speed(client, 1, place))
    elif report.average is None and (average := _AVERAGE.match(line)):
        report.average = _speed(average, 1, place)
    elif not report.times and _REQUESTS.match(line):
        for each in _TIMES.finditer(line):
            report.times[each[1]] = duration_in(each, 2, place)
        if spread := _SPREAD.search(line):
            report.spread = duration_in(spread, 1, place)
    elif not report.first_byte and (first := _FIRST_BYTE.match(line)):
        report.first_byte = tuple(duration_in(first, at, place) if first[at] else None for at in (1, 2, 3))
    if report.ran_s is None and (ran := _RAN.search(line) or _LASTED.match(line)):
        report.ran_s = duration_in(ran, 1, place)
    if report.share is None and (share := _SHARE.match(line)):
        report.share = number_in(share, 1 if share[1] else 2, place)


def _speed(found: re.Match[str], first: int, place: int) -> _Speed:
    bandwidth = None
    if found[first] is not None:
        if found[first + 1] not in _BYTES:
            raise BadInput(
                f"{found[first + 1]}/s is not a unit that warp prints", line=place, column=found.start(first + 1) + 1
            )
        bandwidth = number_in(found, first, place, _BYTES[found[first + 1]])
    return _Speed(number_in(found, first + 2, place), bandwidth)


def _hosts(report: _Report) -> Iterator[Twice]:
    """All hosts together, where every one is told, each over a time of its own; and bytes beside objects."""
    average, parts = report.average, report.of_hosts
    # Sizes that are drawn at random have an average of their own.
    if average is not None and average.bandwidth and report.size:
        yield Twice(
            f"the bandwidth of {report.operation}, in line {report.line},",
            average.bandwidth,
            average.rate * report.size,
            "objects a second of that size make",
            # Two digits after the point of either.
            0.05 * average.bandwidth + 0.01 * report.size,
        )
    if average is not None and parts and report.hosts in (None, len(parts)):
        # Where nothing says how many there are, some may not be listed.
        if report.hosts is None and any(each.rate for each in parts):
            return
        yield Twice(
            f"the rate of {report.operation}, in line {report.line},",
            average.rate,
            sum(each.rate for each in parts),
            f"those of its {len(parts)} hosts are together",
            0.05 * average.rate + 0.01 * len(parts),
        )


def _of_times(report: _Report) -> Iterator[Twice]:
    """Times beside each other, beside rate and clients, and the count beside rate and time."""
    where = f"of {report.operation}, in line {report.line},"
    mean, longest, rate = report.times.get("Avg"), report.times.get("Slowest"), report.average and report.average.rate
    first, best, worst = report.first_byte or (None, None, None)
    # Whole milliseconds, and averages of seconds that were averaged before.
    step = 1.1e-3

    def beyond(what: str, one: float | None, most: float | None, words: str, slack: float = step) -> Iterator[Twice]:
        if one is not None and most is not None and one > most:
            yield Twice(f"{what} {where}", one, most, words, slack, tolerance=0.1)

    yield from beyond("the mean time to the first byte", first, mean, "in seconds, and that of a whole request is")
    yield from beyond("the best first byte", best, first, "in seconds, and the mean one is")
    yield from beyond("the mean first byte", first, worst, "in seconds, and the worst one is")
    yield from beyond("the spread of times", report.spread, longest, "in seconds, and the slowest is")
    yield from _spread(report, where)
    if mean is not None and rate and report.concurrency and not report.mixed and report.objects is None:
        # Little's law: each client has one request under way. The time of all hosts together is in the rate.
        clients = report.concurrency * max(report.instances or 1.0, 1.0) * max(report.hosts or 1.0, 1.0)
        yield from beyond(
            "the mean time", mean, clients / rate, "in seconds, and clients at its rate can wait for", 2e-3
        )
    if report.count and rate and report.ran_s and report.objects is None and not report.mixed:
        yield Twice(
            f"the requests {where}",
            report.count,
            rate * report.ran_s,
            "and by rate and time they are",
            rate,
            tolerance=MOST_LEFT_OUT,
        )


def _spread(report: _Report, where: str) -> Iterator[Twice]:
    """The standard deviation, which its fastest and slowest alone make larger than some that are printed."""
    mean, least, most = (report.times.get(name) for name in ("Avg", "Fastest", "Slowest"))
    rate = report.average.rate if report.average is not None else None
    count = report.count or (rate * report.ran_s if rate and report.ran_s else None)
    if report.spread is None or mean is None or least is None or most is None or not count or report.objects:
        return
    alone = math.sqrt(((mean - least) ** 2 + (most - mean) ** 2) / count)
    if alone > MOST_BELOW * report.spread:
        words = f"in seconds, and its fastest and slowest among {count:.0f} alone make"
        yield Twice(f"the standard deviation {where}", report.spread, alone, words, 1e-3)


def _shares(reports: Sequence[_Report]) -> Iterator[Twice]:
    """Of the operations of one mixed benchmark, which are all of them together."""
    runs: list[dict[str, float]] = []
    for report in reports:
        if report.share is not None:
            if not runs or report.operation in runs[-1]:
                runs.append({})
            runs[-1][report.operation] = report.share
    for shares in runs:
        whole = sum(shares.values()) / 100
        if len(shares) > 1 and whole > 1:
            # Each is printed in whole per cent.
            yield Twice("the share of all operations", whole, 1.0, "and a whole is", 0.006 * len(shares), tolerance=0.0)


def _within(report: _Report) -> Iterator[Twice]:
    """Where the average of all seconds lies outside of the fastest and the slowest."""
    for name, beyond in (("Fastest", 1), ("Slowest", -1)):
        end = report.segments.get(name)
        if report.average is None or end is None:
            continue
        # Seconds are put in order by their bytes, where there are any.
        both = report.average.bandwidth is not None and end.bandwidth is not None
        told, bound = (one.bandwidth if both else one.rate for one in (report.average, end))
        if told is not None and bound is not None and beyond * (told - bound) > 0:
            yield Twice(
                f"the {'bandwidth' if both else 'rate'} of {report.operation}, in line {report.line},",
                told,
                bound,
                f"its {name.lower()} second has",
                0.01,
            )


def _of_two_states(report: _Report, said: Said) -> None:
    """Where the average of all seconds is far from the second in their middle."""
    middle = report.segments.get("50% Median")
    if report.average is None or middle is None or not middle.rate or not report.average.rate:
        return
    ratio = report.average.rate / middle.rate
    if max(ratio, 1 / ratio) > MOST_SKEWED:
        said.add(
            Severity.WARNING,
            report.line,
            f"the average of {report.operation} is {number_of(ratio)} times its median second",
            "it was measured in more than one state, such as with and without a cache: the average is of none of them",
        )
    begun = {name: report.begins[name] for name in ("Fastest", "Slowest") if name in report.begins}
    if ratio <= MOST_SKEWED or len(begun) < 2 or not report.ran_s or report.begins.get("") is None:
        return
    fast, slow = ((at - report.begins[""]) % _DAY_S / report.ran_s for at in begun.values())
    if fast < 1 / 3 and slow > 1 / 3:
        said.add(
            Severity.WARNING,
            report.line,
            f"the fastest second of {report.operation} is after {100 * fast:.0f} % of its time, and the slowest after "
            f"{100 * slow:.0f} %",
            "it grew slower while it ran, such as when a cache was full: the average is of its beginning and its end",
            "drift",
        )


def _in_clusters(report: _Report, what: str, rates: Sequence[float], said: Said) -> None:
    """Where some of those that shared the work were far faster than the others, and all of them alike."""
    ordered = sorted(each for each in rates if each > 0)
    for cut in range(FEWEST_IN_CLUSTER, len(ordered) - FEWEST_IN_CLUSTER + 1):
        gap = ordered[cut] / ordered[cut - 1]
        if gap >= CLUSTERS_APART and max(ordered[cut - 1] / ordered[0], ordered[-1] / ordered[cut]) < gap:
            few, many = ordered[:cut], ordered[cut:]
            said.add(
                Severity.WARNING,
                report.line,
                f"{len(few)} {what} of {report.operation} made about {number_of(few[-1])}/s, and {len(many)} from "
                f"{number_of(many[0])}/s",
                "they are in two clusters: the average is of neither",
                "modes",
            )
            return


def _cluster(total: _Speed, reports: Sequence[_Report]) -> Iterator[Twice]:
    parts = [report.average.rate for report in reports if report.average is not None]
    if len(parts) > 1 and len(parts) == len(reports):
        yield Twice(
            "the rate of all operations",
            total.rate,
            sum(parts),
            f"those of the {len(parts)} operations are together",
            0.05 * total.rate + 0.01 * len(parts),
        )


def _set_up(report: _Report) -> dict[str, str]:
    words = {"object size": report.size, "clients": report.concurrency}
    return {name: f"{value:g}" for name, value in words.items() if value is not None}


def _figures(reports: Sequence[_Report]) -> Iterator[Figure]:
    telling = [report for report in reports if report.tells]
    for report, (label, which) in zip(telling, numbered(each.operation for each in telling), strict=True):
        # Of a mixed benchmark the shares of the operations were asked for.
        operation = f"{report.operation} among others" if report.mixed else report.operation
        told = Circumstances(
            operation=operation,
            load_client="warp",
            moves=_MOVES.get(report.operation),
            # What a GET asks of a server holds all that a STAT (HEAD) asks.
            contains=("STAT",) if operation == "GET" else None,
            size_bytes=report.size,
            events=report.count,
            errors=report.errors,
            wall_s=report.ran_s,
            set_up=_set_up(report),
            line=report.line,
        )
        of = Measurement(
            label,
            {"operation": report.operation, "run": which}
            | ({} if report.concurrency is None else {"concurrency": f"{report.concurrency:g}"}),
            told,
            None if report.count is None else int(report.count),
        )
        speeds = {"": report.average} | {f", {name}": each for name, each in report.segments.items()}
        for name, speed in speeds.items():
            if speed is None:
                continue
            if speed.bandwidth is not None:
                yield of.figure(f"bandwidth{name}", Quantity.BANDWIDTH, speed.bandwidth, "rate")
            yield of.figure(f"rate{name}", Quantity.RATE, speed.rate, "rate")
        for name, value in report.times.items():
            statistic = _STATISTICS.get(name, f"p{name.removesuffix('%')}")
            yield of.figure(f"time, {statistic}", Quantity.TIME, value, statistic)


WARP = Importer("warp", "warp's text", _read, _BEGINS)
