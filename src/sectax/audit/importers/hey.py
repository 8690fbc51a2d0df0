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
from sectax.audit.importers.load_run import Command, LoadRun, command, of_runs, quantile
from sectax.audit.importers.parts import Importer
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import BINARY, SECONDS, number_in
from sectax.model.finding import Severity

# Some who copy it have an empty line after each.
_BEGINS = re.compile(r"^[ \t]*+[Ss]ummary:[ \t\r]*+\n\s*+(?:Success rate|Total):[ \t]", re.MULTILINE)
_HEAD = re.compile(r"\s*+[Ss]ummary:\s*+$")
_TIME = re.compile(r"\s*+(Total|Slowest|Fastest|Average):\s++(\S++) (secs|sec|min|ms|us|µs|ns|s|m|h)\b")
_RATE = re.compile(r"\s*+Requests/sec:\s++(\S++)")
_SIZE = re.compile(r"\s*+(Total data|Size/request|Size/sec):\s++(\S++) (bytes|[KMGT]iB|B)(?:/s)?\s*+$")
_QUANTILE = re.compile(r"\s*+(\d{1,2}(?:\.\d{1,4})?)%{1,2} in (\S++) (secs|sec|min|ms|us|µs|ns|s|m|h)\b")
_STATUS = re.compile(r"\s*+\[(\d{3})\]\s++(\d++) responses")
_ERROR = re.compile(r"\s*+\[(\d++)\]\s++(\S.*)")
_SUCCESS = re.compile(r"\s*+Success rate:\s++(\S++)%")
_SECTION = re.compile(r"\s*+(Response time|Latency|Details|Status code|Error) ?(?:distribution|histogram)?.*:\s*+$")
_UNITS = SECONDS | {"secs": 1.0, "sec": 1.0, "min": 60.0}
_BYTES = BINARY | {"bytes": 1.0}
_STATISTICS = {"Slowest": "max", "Fastest": "min", "Average": "mean"}
# hey keeps so many answers.
_MOST_KEPT = 1_000_000
# What hey does where nobody says otherwise.
_CONNECTIONS = 50


@dataclass
class _Run:
    """A run, and the parts of its output that its figures are made of."""

    load: LoadRun
    section: str = ""
    answers: dict[str, float] = field(default_factory=dict)
    size: float | None = None


def _read(lines: Iterable[str]) -> Evidence:
    runs: list[_Run] = []
    asked: Command | None = None
    for place, line in enumerate(lines, 1):
        if _HEAD.match(line):
            runs.append(_Run(_load(len(runs) + 1, place, asked)))
            asked = None
        elif typed := command(line, "hey", "oha"):
            asked = typed
        elif runs:
            _take(runs[-1], place, line)
    for run in runs:
        _finish(run)
    twice = [each for run in runs for each in _sizes(run)]
    return of_runs([run.load for run in runs], "hey or oha", chain(*map(_not_kept, runs)), twice)


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
        return LoadRun("hey", f"run {number}", place, factor="name")
    load = LoadRun("hey", asked.address or f"run {number}", place, factor="url" if asked.address else "name")
    load.busy = asked.number("-c") or _CONNECTIONS
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
            load.bytes_read = value
        elif size[1] == "Size/sec":
            load.transfer = value
        else:
            run.size = value
    elif _SUCCESS.match(line):
        load.client = "oha"
        load.target = None
    elif per_cent := _QUANTILE.match(line):
        # Too few answers leave quantiles out, which hey prints as '0% in 0.0000 secs'.
        if float(per_cent[1]) > 0:
            load.took(quantile(float(per_cent[1])), number_in(per_cent, 2, place, _UNITS[per_cent[3]]))
    elif run.section == "Error" and (error := _ERROR.match(line)):
        kind = error[2].strip()
        load.fails({kind: (load.failed or {}).get(kind, 0.0) + number_in(error, 1, place)})
    elif status := _STATUS.match(line):
        run.answers[status[1]] = number_in(status, 2, place)


def _finish(run: _Run) -> None:
    load = run.load
    if load.rate is None:
        raise BadInput(f"this output of {load.client} was cut short: it has no Requests/sec", line=load.line)
    if run.section == "" or not (run.answers or load.failed):
        # Without the distribution of answers nobody knows which failed.
        load.failed = None
        return
    refused = {f"status {status}": count for status, count in run.answers.items() if not status.startswith("2")}
    of_answers, errors = sum(run.answers.values()), sum((load.failed or {}).values())
    load.fails(refused)
    if of_answers < _MOST_KEPT:
        load.requests = of_answers + errors


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
