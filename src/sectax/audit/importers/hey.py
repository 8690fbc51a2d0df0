"""What the load clients hey and oha print as text: oha has the form of hey, and says more.

Source: requester/print.go and report.go of rakyll/hey, src/printer.rs of hatoo/oha. hey's Requests/sec counts requests
that failed too; of more than a million answers it keeps the first million, but divides the sum of all times by them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import EndsBy
from sectax.audit.importers.clusters import of_histogram
from sectax.audit.importers.load_run import LATENCY, Command, Commands, LoadRun, of_runs, quantile, without_figures
from sectax.audit.importers.parts import Importer
from sectax.audit.importers.said import Said
from sectax.formats.numbers import BINARY, SECONDS, number_in
from sectax.model.finding import Severity

# Some who copy it have an empty line after each.
_BEGINS = re.compile(r"^[ \t]*+[Ss]ummary:[ \t\r]*+\n\s*+(?:Success rate|Total):[ \t]", re.MULTILINE)
_HEAD = re.compile(r"\s*+[Ss]ummary:\s*+$")
# Where its first lines were not copied.
_WITHOUT_HEAD = re.compile(
    r"\s*+(?:(?:Total|Slowest|Fastest|Average):\s++[\d.]++ \w++$|Requests/sec:|\d[\d.]*+%{1,2} in |Success rate:)"
)
_TIME = re.compile(r"\s*+(Total|Slowest|Fastest|Average):\s++(\S++) (secs|sec|min|ms|us|µs|ns|s|m|h)\b")
_RATE = re.compile(r"\s*+Requests/sec:\s++(\S++)")
_SIZE = re.compile(r"\s*+(Total data|Size/request|Size/sec):\s++(\S++) (bytes|[KMGT]iB|B)(?:/s)?\s*+$")
_QUANTILE = re.compile(r"\s*+(\d{1,2}(?:\.\d{1,4})?)%{1,2} in (\S++) (secs|sec|min|ms|us|µs|ns|s|m|h)\b")
_STATUS = re.compile(r"\s*+\[(\d{3})\]\s++(\d++) responses")
_BUCKET = re.compile(r"\s*+([\d.]++)(?: (secs|sec|ms|us|µs|ns|s|m))?\s++\[(\d++)\](?:\s|$)")
# oha counts what was under way when the time was over, at most one of each connection; it is no failure.
_CUT_OFF = "aborted due to deadline"
_ERROR = re.compile(r"\s*+\[(\d++)\]\s++(\S.*)")
_SUCCESS = re.compile(r"\s*+Success rate:\s++([\d.]++)%")
_SECTION = re.compile(r"\s*+(Response time|Latency|Details|Status code|Error) ?(?:distribution|histogram)?.*:\s*+$")
_UNITS = SECONDS | {"secs": 1.0, "sec": 1.0, "min": 60.0}
_BYTES = BINARY | {"bytes": 1.0}
_STATISTICS = {"Slowest": "max", "Fastest": "min", "Average": "mean"}
# hey keeps so many answers.
_MOST_KEPT = 1_000_000
# What hey does where nobody says otherwise.
_CONNECTIONS, _TIMEOUT_S = 50, 20.0
# Of the width of a bucket, beside it.
WITHIN = 1.25
# Of those that are under way on average: at the end there may be more.
_MOST_BEYOND = 1.5


@dataclass
class _Run:
    """A run, and the parts of its output that its figures are made of."""

    load: LoadRun
    section: str = ""
    answers: dict[str, float] = field(default_factory=dict)
    size: float | None = None
    histogram: float = 0.0
    buckets: list[tuple[float, float]] = field(default_factory=list)
    success: float | None = None
    cut_off: float = 0.0
    asked: list[Command] = field(default_factory=list)


def _read(lines: Iterable[str]) -> Evidence:
    runs: list[_Run] = []
    said = Said()
    commands = Commands("hey", "oha")
    for place, line in enumerate(lines, 1):
        if _HEAD.match(line):
            own, asked = commands.taken()
            runs.append(_Run(_load(len(runs) + 1, place, own), asked=asked))
        elif commands.sees(line):
            continue
        elif runs or _WITHOUT_HEAD.match(line):
            if not runs:
                runs.append(_Run(_load(1, place, commands.taken()[0])))
            with said.unread(place, line):
                _take(runs[-1], place, line)
    for run in runs:
        _finish(run)
    twice = [each for run in runs for each in _sizes(run)]
    loads = [run.load for run in runs]
    incidents = [
        *said.incidents(),
        *chain(*map(_not_kept, runs)),
        *chain(*(of_histogram(run.load.where, run.buckets) for run in runs)),
        *without_figures(loads, "Requests/sec"),
    ]
    return of_runs(loads, "hey or oha", incidents, twice)


def _not_kept(run: _Run) -> Iterator[Incident]:
    if sum(run.answers.values()) == _MOST_KEPT:
        yield Incident(
            Severity.WARNING,
            f"exactly a million answers are counted ({run.load.where.removeprefix('of ')})",
            "hey keeps the first million: later ones, and errors among them, are in none of its times and counts",
        )


def _load(number: int, place: int, asked: Command | None) -> LoadRun:
    """The output does not say what was asked for; the command above it may."""
    if asked is None:
        return LoadRun("hey", f"run {number}", place, factor="name", gives_up_s=_TIMEOUT_S)
    load = LoadRun("hey", asked.address or f"run {number}", place, factor="url" if asked.address else "name")
    load.gives_up_s = asked.number("-t") or _TIMEOUT_S
    load.busy = load.places = asked.number("-c") or _CONNECTIONS
    load.configured_s = asked.seconds("-z")
    load.ends_by = EndsBy.TIME if "-z" in asked.options else EndsBy.EVENTS
    # Of hey each worker's, of oha that of all together.
    rate = asked.number("-q")
    load.target = rate and rate * load.busy
    return load


def _take(run: _Run, place: int, line: str) -> None:
    load = run.load
    if section := _SECTION.match(line):
        run.section = section[1]
    elif time := _TIME.match(line):
        value = number_in(time, 2, place, _UNITS[time[3]])
        if time[1] == "Total":
            load.wall_s = value
        elif run.section == "":
            load.took(_STATISTICS[time[1]], value)
    elif rate := _RATE.match(line):
        load.rate = number_in(rate, 1, place)
    elif size := _SIZE.match(line):
        value = number_in(size, 2, place, _BYTES[size[3]])
        if size[1] == "Total data":
            load.bytes_read = load.content = value
        elif size[1] == "Size/sec":
            load.transfer = value
        else:
            run.size = value
    elif success := _SUCCESS.match(line):
        load.client = "oha"
        load.target = None
        load.gives_up_s = None
        run.success = number_in(success, 1, place) / 100
    elif run.section in ("Response time", "Latency") and (bucket := _BUCKET.match(line)):
        count = number_in(bucket, 3, place)
        run.histogram += count
        run.buckets.append((number_in(bucket, 1, place, _UNITS[bucket[2] or "s"]), count))
    elif per_cent := _QUANTILE.match(line):
        # Too few answers leave quantiles out, which hey prints as '0% in 0.0000 secs'.
        if float(per_cent[1]) > 0:
            load.took(quantile(float(per_cent[1])), number_in(per_cent, 2, place, _UNITS[per_cent[3]]))
    elif run.section == "Error" and (error := _ERROR.match(line)):
        kind = error[2].strip()
        if kind == _CUT_OFF:
            run.cut_off += number_in(error, 1, place)
            return
        load.fails({kind: (load.failed or {}).get(kind, 0.0) + number_in(error, 1, place)})
    elif status := _STATUS.match(line):
        run.answers[status[1]] = number_in(status, 2, place)


def _finish(run: _Run) -> None:
    load = run.load
    if run.section == "" or not (run.answers or load.failed):
        # Without the distribution of answers nobody knows which failed.
        load.failed = None
        return
    refused = {f"status {status}": count for status, count in run.answers.items() if not status.startswith("2")}
    of_answers, errors = sum(run.answers.values()), sum((load.failed or {}).values())
    load.fails(refused)
    # As many are under way as its connections, which rate and mean time tell where nothing else does.
    under_way = (load.rate or 0.0) * load.times.get(LATENCY, {}).get("mean", 0.0)
    if run.cut_off > max(load.busy or 0.0, _MOST_BEYOND * under_way + _CONNECTIONS):
        load.fails({_CUT_OFF: run.cut_off})
        errors += run.cut_off
    if of_answers < _MOST_KEPT:
        load.requests = of_answers + errors
        _consistent(run, of_answers, errors)


def _consistent(run: _Run, answers: float, errors: float) -> None:
    """What the lines of one run say of each other, and of the command above them."""
    load = run.load
    if run.histogram and answers:
        load.tells_twice(
            "the answers in the histogram", run.histogram, answers, "and by their status they are", tolerance=0.01
        )
    mean = load.times.get(LATENCY, {}).get("mean")
    if len(run.buckets) > 1 and run.histogram and mean is not None:
        # Buckets are told by an end of theirs, so that each answer is within one of them on either side.
        width = (run.buckets[-1][0] - run.buckets[0][0]) / (len(run.buckets) - 1)
        by_buckets = sum(end * count for end, count in run.buckets) / run.histogram
        words = "in seconds, and by its histogram about"
        load.tells_twice("the mean time of a request", mean, by_buckets, words, WITHIN * width + 1e-3)
    if run.success is not None and answers + errors:
        load.tells_twice(
            "the share of requests that succeeded",
            run.success,
            answers / (answers + errors),
            "and by their counts",
            1e-4,
            0.02,
        )
    if run.asked:
        load.set_up["connections"] = run.asked[-1].options.get("-c", f"{_CONNECTIONS}")
        # hey makes a multiple of its connections.
        slack = (load.busy or 0.0) if load.client == "hey" else 0.0
        timed = any("-z" in each.options for each in run.asked)
        load.asked_for(run.asked, slack, requests=None if timed else answers + errors)


def _sizes(run: _Run) -> Iterator[Twice]:
    load = run.load
    answers = sum(run.answers.values())
    if run.size and load.bytes_read is not None and 0 < answers < _MOST_KEPT:
        yield Twice(
            f"the data of all answers {load.where}, in bytes,",
            load.bytes_read,
            run.size * answers,
            f"{answers:.0f} answers of {run.size:.0f} bytes make",
            # hey rounds the size down to whole bytes, oha to two digits of its unit.
            answers * max(1.0, 0.01 * run.size),
        )


HEY = Importer("hey", "the text of hey or oha", _read, _BEGINS)
