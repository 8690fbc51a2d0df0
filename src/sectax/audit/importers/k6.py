"""What k6 says at the end of a test: its summary as text, since 0.26, and as JSON.

JSON is `--summary-export`, or what handleSummary() is given. Source: internal/js/summary.js and summary-legacy.js of
grafana/k6. Text cuts digits off, JSON is in milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NoReturn

import msgspec

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import EndsBy
from sectax.audit.importers.k6_summary import Summary
from sectax.audit.importers.load_run import LoadRun, of_runs, quantile
from sectax.audit.importers.parts import Importer, by_first_line
from sectax.audit.importers.said import Said
from sectax.formats import json_text
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import DECIMAL, duration_in, number, number_in
from sectax.model.finding import Severity
from sectax.model.printable import printable

_BEGINS = re.compile(
    r"^[ \t]*+(?:[✓✗][ \t]*+)?(?:http_req_duration|http_reqs|iterations|iteration_duration|vus_max)\.{2,}:"
    # Checks of which the metrics below them were not copied.
    r"|^[ \t]*+↳[ \t]++\d{1,3}% — ✓ \d++ / ✗ \d",
    re.MULTILINE,
)
_JSON = re.compile(r'\s*+\{.{0,4000}?"(?:metrics|root_group|state|options)"\s*+:', re.DOTALL)
# Timestamps and levels of its log; the name of a metric, with the tags of a part of it in braces.
_LINE = re.compile(
    r"\s*+(?:[✓✗] ?)?\s*+(\{ [^{}]{1,200}\}|[A-Za-z_][\w ]{0,127}(?:\{[^{}]{1,200}\})?)\.{2,}+:\s++(\S.*)"
)
_STATISTIC = re.compile(r"(avg|min|med|max|count|p\((\d{1,2}(?:\.\d{1,9})?|100)\))=(\S++)")
_NEGATIVE = re.compile(r"(\w{1,10})=(-\S{1,40})")
# Until 0.25 what comes a second stood in brackets.
_COUNTER = re.compile(r"(\d++(?:\.\d++)?)\s++\(?(\d++(?:\.\d++)?)/s")
_DATA = re.compile(r"(\d++(?:\.\d++)?) ([kKMGT]?B)\s++\(?(\d++(?:\.\d++)?) ([kKMGT]?B)/s")
# Of failures some versions exchange the marks; the first number is of what the metric counts.
_SHARE = re.compile(r"[\d.]++%\s++(?:[✓✗] (\d++)\s++[✓✗] (\d++)|(\d++) out of (\d++))")
_PER_CENT = re.compile(r"([\d.]++)%")
_GAUGE = re.compile(r"(\d++)(?:\s++min=(\d++)\s++max=(\d++))?\s*+$")
_THRESHOLD = re.compile(r"\s*+([✓✗]) '[\w()]{1,12} ?(<=?|>=?) ?([\d.]{1,20})' [\w()]{1,12}=(\S{1,40})")
# Of a limit: printed digits.
_AT_A_LIMIT = 0.01
_FAILED_CHECK = re.compile(r"\s*+✗ (\S.{0,200})")
_OF_CHECK = re.compile(r"\s*+↳\s++\d{1,3}% — ✓ (\d++) / ✗ (\d++)")
_SECTION = re.compile(r"\s*+█ ((?:GROUP|SCENARIO): \S.*|TOTAL RESULTS)")
_SCRIPT = re.compile(r"\s*+script: (\S.*)")
_RATE_ASKED = re.compile(r"\s*+(?:\*|[a-z]).{0,120}?: (\d++(?:\.\d++)?) iterations/s for ([0-9hms.]{1,20})")
_LASTS = re.compile(r"\s*+\* .{0,120}?: \d++ looping VUs for ([0-9hms.]{1,20})")
_STAGES = re.compile(
    r"\s*+[*•] .{0,120}?: (?:Up to \d++ looping VUs|Up to [\d.]++ iterations/s) for \S++ over (\d++) stages"
)
_SCENARIOS = re.compile(r"\s*+scenarios: \([\d.]++%\) (\d++) scenarios,")
_INTERRUPTED = re.compile(r".{0,200}?, (\d++) complete and (\d++) interrupted iterations")
# Of the clock of a test, and of that of a scenario in it, which begins with the test or later.
_CLOCK = re.compile(r"\s*+running \(([0-9hms.]{1,20})\), ")
_PROGRESS = re.compile(
    r"\s*+\S.{0,100}?([✓✗])? *\[ *[-=>]{0,60} *\d{1,3}% *[-=>]{0,60} *\] .{0,60}?VUs {1,9}"
    r"([0-9hms.]{1,20})/([0-9hms.]{1,20})"
)
# Between two clocks of one process: both are printed to a tenth of a second.
_CLOCKS_APART_S = 1.0
# Of the time that a scenario was given: one that ends before is cut off.
_CUT_OFF = 0.95
_RAN = re.compile(r"\s*+running \(([0-9hms.]{1,20})\), 0++/\d++ VUs, (\d++) complete")
# Of all iterations: a few are under way when the time is over.
MOST_INTERRUPTED = 0.01
_LOG = re.compile(r"(?:time=\S{1,60} level=(error|warning|fatal) msg=|(ERRO|WARN|FATA|PANI)\[\d++\] ?)(.*)")
_STATISTICS = {"avg": "mean", "min": "min", "med": "median", "max": "max"}
_MS = 1e-3
# It prints nanoseconds where there are any.
_STEP_S = 1e-9


@dataclass
class _Asked:
    """What the lines above a summary tell of the test."""

    script: str = ""
    target: float | None = None
    lasts: float | None = None
    scenarios: int = 0
    ran_s: float | None = None
    complete: float | None = None
    clock_s: float | None = None
    clocks: list[Twice] = field(default_factory=list)


def _read(lines: Iterable[str]) -> Evidence:
    return by_first_line(lines, "{", _of_json, _of_text)


def _of_text(lines: Iterable[str]) -> Evidence:
    runs: list[Summary] = []
    said, asked = Said(), _Asked()
    section, check, last = "", "", ""
    for place, line in enumerate(lines, 1):
        if found := _SECTION.match(line):
            section = "" if found[1].startswith("TOTAL") else found[1].strip()
            runs.append(_run(runs, asked, place, section))
        elif found := _LINE.match(line):
            name = found[1] if not found[1].startswith("{") else f"{last}{found[1].replace(' ', '')}"
            last = name.partition("{")[0]
            if not runs or name in runs[-1].trends or name in runs[-1].counters:
                runs.append(_run(runs, asked, place, section))
            with said.unread(place, line):
                _metric(runs[-1], name, found, place)
                runs[-1].names[name] = place
            if below := _NEGATIVE.search(found[2]):
                _backwards(said, name, below, place)
        elif found := _THRESHOLD.match(line):
            with said.unread(place, line):
                _threshold(found, place, said)
        elif found := _FAILED_CHECK.match(line):
            check = found[1].strip()
        elif check and (found := _OF_CHECK.match(line)):
            if not runs or runs[-1].trends:
                # Checks stand above their metrics.
                runs.append(_run(runs, asked, place, section))
            with said.unread(place, line):
                runs[-1].checks[check] = (number_in(found, 1, place), number_in(found, 2, place))
        elif found := _LOG.search(line):
            error = (found[1] or found[2])[0] in "efEFP"
            said.add(
                Severity.WARNING,
                place,
                found[3],
                "k6 itself says that something failed" if error else "k6 itself warns of its test",
            )
        else:
            with said.unread(place, line):
                asked = _asked(asked, line, place, said)
    measured = [run for run in runs if run.trends or run.counters]
    if not measured and (checks := [each for run in runs for each in run.checks.items()]):
        _checks_alone(checks, runs[0].load.line)
    return _evidence(measured, said.incidents(), asked.clocks)


def _evidence(
    summaries: Sequence[Summary], incidents: Iterable[Incident] = (), twice: Iterable[Twice] = ()
) -> Evidence:
    for each in summaries:
        each.finish()
    return of_runs(
        [each.load for each in summaries],
        "k6",
        chain(incidents, *(each.incidents() for each in summaries)),
        chain(twice, *(each.twice() for each in summaries)),
    )


def _threshold(found: re.Match[str], place: int, said: Said) -> None:
    """Whether the mark before a threshold is that of its value: limits of times are in milliseconds."""
    limit, text = number_in(found, 3, place), found[4]
    if text.endswith("%"):
        value = number(text[:-1], scale=0.01, line=place)
    else:
        value = number(text, line=place) if text[-1].isdigit() else duration_in(found, 4, place) / _MS
    kept = (value < limit) == found[2].startswith("<")
    if abs(value - limit) > _AT_A_LIMIT * limit and kept != (found[1] == "✓"):
        what, meaning = found[0].strip(), "the mark is not that of the value: one of the two is wrong"
        said.add(Severity.FATAL, place, what, meaning, "contradiction")


def _checks_alone(checks: Sequence[tuple[str, tuple[float, float]]], line: int | None) -> NoReturn:
    """Raises `BadInput`, with the worst check: nothing says how long anything took."""
    name, (passed, failed) = max(checks, key=lambda each: each[1][1])
    raise BadInput(
        f"this summary of k6 was cut short: it has checks and no metric; '{printable(name, 60)}' failed {failed:.0f} "
        f"times of {passed + failed:.0f}",
        "give the lines below the checks too",
        line=line,
    )


def _asked(asked: _Asked, line: str, place: int, said: Said) -> _Asked:
    if script := _SCRIPT.match(line):
        return _Asked(script[1].strip(), clocks=asked.clocks)
    if clock := _CLOCK.match(line):
        asked.clock_s = duration_in(clock, 1, place)
    elif progress := _PROGRESS.match(line):
        _progress(asked, progress, place, said)
    if rate := _RATE_ASKED.match(line):
        asked.target, asked.scenarios = number_in(rate, 1, place), asked.scenarios + 1
        asked.lasts = duration_in(rate, 2, place)
    elif lasts := _LASTS.match(line):
        asked.lasts, asked.scenarios = duration_in(lasts, 1, place), asked.scenarios + 1
    elif stages := _STAGES.match(line):
        asked.scenarios += 1
        said.add(
            Severity.WARNING,
            place,
            f"one summary of {stages[1]} stages of unlike load",
            "the times of all stages, ramps too, are mixed: no quantile is that of a load",
        )
    elif scenarios := _SCENARIOS.match(line):
        said.add(
            Severity.WARNING,
            place,
            f"one summary of {scenarios[1]} scenarios",
            "unlike work at unlike loads is mixed in its times, unless a figure names its scenario",
        )
    elif ran := _RAN.match(line):
        asked.ran_s, asked.complete = duration_in(ran, 1, place), number_in(ran, 2, place)
        interrupted = _INTERRUPTED.match(line)
        complete, cut = (float(each) for each in interrupted.groups()) if interrupted is not None else (1.0, 0.0)
        if cut > MOST_INTERRUPTED * (complete + cut):
            said.add(
                Severity.WARNING,
                place,
                f"{complete:.0f} complete and {cut:.0f} interrupted iterations",
                "what was interrupted is in some of the metrics, and not in others",
            )
    elif (interrupted := _INTERRUPTED.match(line)) and "running" in line:
        complete, cut = number_in(interrupted, 1, place), number_in(interrupted, 2, place)
        if not complete and cut:
            said.add(
                Severity.WARNING,
                place,
                f"0 complete and {cut:.0f} interrupted iterations",
                "no iteration of the script came to its end: the figures are of its beginnings",
            )
    return asked


def _progress(asked: _Asked, found: re.Match[str], place: int, said: Said) -> None:
    """How far a scenario is, beside the clock of the test, in the line above it."""
    ran, whole = duration_in(found, 2, place), duration_in(found, 3, place)
    if asked.clock_s is not None and ran > asked.clock_s + _CLOCKS_APART_S and not asked.clocks:
        what, words = f"the time of a scenario, in line {place}, in seconds,", "in the same second the whole test says"
        asked.clocks.append(Twice(what, ran, asked.clock_s, words, _CLOCKS_APART_S, tolerance=0.0))
    if found[1] == "✗" and ran < _CUT_OFF * whole:
        said.add(
            Severity.FATAL,
            place,
            f"it was cut off after {ran:g} s of {whole:g} s",
            "it was stopped or gave up: what was under way then is not in the figures",
        )
    asked.clock_s = None


def _run(runs: list[Summary], asked: _Asked, place: int, section: str) -> Summary:
    name = section or asked.script or "summary"
    load = LoadRun("k6", name, place, factor="group" if section else "script", failed=None, printed_s=_STEP_S)
    if asked.scenarios == 1 and not section:
        load.target, load.configured_s = asked.target, asked.lasts
        load.ends_by = None if asked.lasts is None else EndsBy.TIME
    return Summary(load, ran_s=None if section else asked.ran_s, complete=asked.complete)


def _metric(run: Summary, name: str, found: re.Match[str], place: int) -> None:
    text = found[2]
    if name in ("vus", "vus_max") and (users := _GAUGE.match(text)):
        most = number_in(users, 3 if users[3] else 1, place)
        if name == "vus_max":
            run.most_users = most
        elif users[3]:
            run.users = number_in(users, 2, place), most
    elif statistics := list(_STATISTIC.finditer(text)):
        times: dict[str, float] = {}
        for each in statistics:
            if each[1] == "count":
                run.load.counts[name] = number_in(each, 3, place)
            elif each[3].startswith("-"):
                continue
            # Of a metric of the script's own that is no time.
            elif not re.search(r"[a-zµ]$", each[3]) and each[3] != "0":
                return
            else:
                unit = each if each[3] != "0" else None
                times[_called(each)] = 0.0 if unit is None else duration_in(each, 3, place)
        run.trends.setdefault(name, times)
    elif (per_cent := _PER_CENT.match(text)) and (share := _SHARE.match(text)):
        yes = number_in(share, 1 if share[1] else 3, place)
        no = number_in(share, 2, place) if share[2] else max(number_in(share, 4, place) - yes, 0.0)
        if name == "checks" and share[1]:
            run.all_checks = yes, no
        elif name == "checks_failed":
            run.all_checks = no, yes
        if yes + no > 0:
            run.shares[name] = number_in(per_cent, 1, place, 0.01), yes / (yes + no)
        if name == "http_req_failed":
            run.failed = yes, no
    elif name.startswith("data_") and (data := _DATA.match(text)):
        units = DECIMAL | {"kB": 1e3}
        run.counters[name] = (
            number_in(data, 1, place, units.get(data[2], 1.0)),
            number_in(data, 3, place, units.get(data[4], 1.0)),
        )
    elif counter := _COUNTER.match(text):
        run.counters.setdefault(name, (number_in(counter, 1, place), number_in(counter, 2, place)))


def _backwards(said: Said, name: str, found: re.Match[str], place: int) -> None:
    said.add(
        Severity.FATAL,
        place,
        f"the {found[1]} of {name} is {found[2]}",
        "no time is less than nothing: the clock was set back while it ran, so no time of this run can be used",
    )


def _called(found: re.Match[str]) -> str:
    return _STATISTICS.get(found[1]) or quantile(float(found[2]))


class _Metric(msgspec.Struct):
    type: str | None = None
    contains: str | None = None
    values: dict[str, float | None] | None = None


class _Check(msgspec.Struct):
    name: str = ""
    passes: int = 0
    fails: int = 0


class _Group(msgspec.Struct):
    checks: list[_Check] | dict[str, _Check] = []
    groups: list[_Group] | dict[str, _Group] = []


class _State(msgspec.Struct):
    testRunDurationMs: float | None = None


class _Summary(msgspec.Struct):
    metrics: dict[str, dict[str, object]]
    root_group: _Group | None = None
    state: _State | None = None


def _of_json(lines: Iterable[str]) -> Evidence:
    summary = json_text.read(lines, _Summary, "k6")
    run = Summary(LoadRun("k6", "summary", None, factor="script", failed=None, printed_s=_STEP_S))
    for name, told in summary.metrics.items():
        _json_metric(run, name, told)
    if not run.trends and not run.counters:
        raise BadInput("there is no metric of k6 in it", "give what --summary-export or handleSummary() writes")
    if summary.state is not None and summary.state.testRunDurationMs:
        (run.load.wall_s,) = json_text.checked((summary.state.testRunDurationMs * _MS,), "state.testRunDurationMs")
    for check in _checks(summary.root_group):
        if check.fails > 0:
            run.checks[check.name] = (float(check.passes), float(check.fails))
    return _evidence([run])


def _json_metric(run: Summary, name: str, told: Mapping[str, object]) -> None:
    inner = told.get("values")
    given = inner if isinstance(inner, dict) else told
    values: dict[str, float] = {}
    for key, value in given.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            if value < 0:
                run.below_zero.append(f"{printable(name, 60)}: {key} {value:g}")
                continue
            (values[key],) = json_text.checked((float(value),), f"metrics.{printable(name, 60)}.{key}")
    times = {
        _called(found): value * _MS
        for key, value in values.items()
        if (found := _STATISTIC.fullmatch(f"{key}=x")) and found[1] != "count"
    }
    kind = told.get("contains")
    if times and (kind == "time" or (kind is None and re.match(r"(?:http_req|iteration|grpc_req|ws|browser)_", name))):
        run.trends[name] = times
        if "count" in values:
            run.load.counts[name] = values["count"]
    elif {"passes", "fails"} <= values.keys():
        every, share = values["passes"] + values["fails"], values.get("rate", values.get("value"))
        if every and share is not None:
            run.shares[name] = share, values["passes"] / every
        if name == "http_req_failed":
            run.failed = values["passes"], values["fails"]
        elif name == "checks":
            run.all_checks = values["passes"], values["fails"]
    elif name == "vus_max" and ("max" in values or "value" in values):
        run.most_users = values.get("max", values.get("value"))
    elif name == "vus" and {"min", "max"} <= values.keys():
        run.users = values["min"], values["max"]
    elif "count" in values and "rate" in values:
        run.counters[name] = values["count"], values["rate"]


def _checks(group: _Group | None) -> Iterator[_Check]:
    """Of all groups. Deep nesting was refused when the JSON was read."""
    waiting = [group] if group is not None else []
    while waiting:
        one = waiting.pop()
        yield from one.checks.values() if isinstance(one.checks, dict) else one.checks
        waiting += one.groups.values() if isinstance(one.groups, dict) else one.groups


def _is_json(head: str) -> bool:
    return _JSON.match(head) is not None and any(name in head for name in ('"http_req', '"iterations"', '"iteration_d'))


K6 = Importer("k6", "k6's summary", _read, _BEGINS, known=_is_json)
