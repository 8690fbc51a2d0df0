"""What `sysbench … run` prints, of 1.0 and of 0.4 and 0.5; several outputs may follow each other in one file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, EndsBy, Figure, Quantity
from sectax.audit.importers.headings import Headings, mislabelled
from sectax.audit.importers.parts import Importer, Measurement, evidence, numbered
from sectax.audit.importers.said import Said
from sectax.audit.importers.sysbench_agree import (
    along,
    by_command,
    doubtful,
    of_a_histogram,
    too_fast,
    twice,
    unlike_ends,
)
from sectax.audit.importers.sysbench_facts import FACTS, MIB, NAMES, OPTIONS, Run, asked_for
from sectax.audit.importers.sysbench_reports import BEGINS as REPORT_BEGINS
from sectax.audit.importers.sysbench_reports import Report, every_s
from sectax.audit.trials import A_LITTLE
from sectax.formats.bad_input import BadInput
from sectax.model.finding import Severity

_BEGINS = re.compile(
    rf"^sysbench v?\d|^(?:General statistics|Test execution summary):|^[ \t]{{0,40}}{REPORT_BEGINS}", re.MULTILINE
)
_BANNER = re.compile(r"sysbench v?\d")
_SAID = re.compile(
    r"(FATAL|ALERT|WARNING|Number of unfinished transactions|Forcing shutdown|(?:PANIC: )?[Ee]rror (?:in|while)"
    r"|Segmentation fault)\b.*\S"
)
# No line that is read is longer.
_LONGEST = 1000


def _read(lines: Iterable[str]) -> Evidence:
    runs: list[Run] = []
    said, headings = Said(), Headings()
    asked: dict[str, float] = {}
    for place, line in enumerate(lines, 1):
        if len(line) > _LONGEST:
            continue
        if its := _SAID.match(line):
            if its[1] in ("FATAL", "ALERT"):
                said.add(Severity.FATAL, place, its[0], "sysbench itself says that its test failed")
            else:
                said.add(Severity.WARNING, place, its[0], "sysbench itself warns of its figures")
        asked |= asked_for(line)
        headings.sees(line)
        # Every output begins with the banner; where that was cut off, with its options or with what it measured.
        ended = bool(runs) and "total time" in runs[-1].facts
        options = line.startswith(OPTIONS) and (not runs or ended)
        unannounced = ended and any(pattern.search(line) for _, pattern in NAMES)
        if _BANNER.match(line) or options or unannounced or not runs:
            heading = headings.taken() if options or _BANNER.match(line) else ""
            version = line.partition(":")[0].partition("(")[0].strip() if _BANNER.match(line) else ""
            runs.append(Run(place, "", version=version, asked=asked if version else {}, heading=heading))
            asked = {} if version else asked
        if line and not line.isspace():
            with said.unread(place, line):
                _take_any(runs, place, line, said)
    if runs and not any(run.begun for run in runs):
        raise BadInput(
            "nothing was measured: there is no 'sysbench … run' in it, as after prepare, cleanup or --version",
            "give the output of 'run'",
        )
    begun = [run for run in runs if run.begun]
    measured = [run for run in begun if run.tells]
    for run in begun:
        if not run.tells and measured:
            what = f"the run at line {run.line} has no results"
            said.add(Severity.WARNING, run.line, what, "it was cut short or failed, and is in none of the figures")
    if begun and not measured:
        raise BadInput("this output of sysbench was cut short: it has no total time", line=begun[0].line)
    for run in measured:
        doubtful(run, said)
    of_each = (along, of_a_histogram, by_command, too_fast)
    incidents = [
        *said.incidents(),
        *(each for run in measured for look in of_each for each in look(run)),
        *unlike_ends(measured),
        *mislabelled([(run.where, run.heading, run.says) for run in measured]),
    ]
    return evidence(_figures(measured), "sysbench", incidents=incidents, twice=chain(*map(twice, measured)))


def _take_any(runs: list[Run], place: int, line: str, said: Said) -> None:
    """A line of the last run, or of a new one where the last has it already: then its first lines were left out."""
    if not runs[-1].take(place, line):
        what = "an output begins here without its first lines, or a line is there twice"
        said.add(Severity.WARNING, place, what, "what was asked of it is not known, nor where it begins")
        runs.append(Run(place, runs[-1].test, version=runs[-1].version))
        runs[-1].take(place, line)


def _figures(runs: list[Run]) -> Iterator[Figure]:
    for run in runs:
        run.test = run.test or _unnamed(run)
    for run, (label, which) in zip(runs, numbered(run.test for run in runs), strict=True):
        events = run.facts.get("events")
        of_reports = run.reports if not run.summed_up else []
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
        for fact in FACTS:
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
    quantity, scale = (Quantity.RATE, 1.0) if events else (Quantity.BANDWIDTH, MIB)
    metric = "events per second" if events else "bytes per second"
    return of.figure(f"{metric} of the reports", quantity, mean * scale, "rate", table=f"{test}: {metric}")


def _set_up(run: Run) -> dict[str, str]:
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


def _unnamed(run: Run) -> str:
    """`threads` and `mutex` of 1.0 print no name; each thread of `mutex` makes one event."""
    events = run.facts.get("events")
    return "mutex" if events is not None and events == run.facts.get("threads") else "threads"


def _ends_by(run: Run) -> EndsBy | None:
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
