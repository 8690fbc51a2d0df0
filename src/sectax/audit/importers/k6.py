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

from sectax.audit.contradictions import ENOUGH_FOR_QUANTILES
from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import EndsBy
from sectax.audit.importers.load_run import LoadRun, of_runs, quantile
from sectax.audit.importers.parts import Importer, by_first_line
from sectax.audit.importers.said import Said
from sectax.formats import json_text
from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import DECIMAL, duration_in, number_in
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
# Of the users: a rate that more of them would be needed for was taken from another clock.
MOST_BEYOND_USERS = 0.05
# After this a request is given up where the script says nothing else.
_TIMEOUT_S = 60.0
# Of the mean of http_req_duration: a connection that is kept waits for none.
MOST_BLOCKED = 0.5
# Of all iterations: a few are under way when the time is over.
MOST_INTERRUPTED = 0.01
_LOG = re.compile(r"(?:time=\S{1,60} level=(error|warning|fatal) msg=|(ERRO|WARN|FATA|PANI)\[\d++\] ?)(.*)")
# What stands in every whole summary of requests: in the old form at its end, in the new one below them.
_WHOLE_SUMMARY = (("http_reqs",), ("data_received",), ("iterations", "vus", "vus_max"))
# How times of connections go; a connection that is kept has none. The rest are parts of http_req_duration.
_PARTS = ("http_req_sending", "http_req_waiting", "http_req_receiving")
_NOT_FIGURES = frozenset({*_PARTS, "http_req_blocked", "http_req_connecting", "http_req_tls_handshaking"})
_WHOLE = "http_req_duration"
# A check by such a name tells of answers; others may ask how long they took.
_OF_STATUS = re.compile(r"\bstatus\b|\b2\d\d\b|\b2xx\b", re.IGNORECASE)
_STATISTICS = {"avg": "mean", "min": "min", "med": "median", "max": "max"}
_MS = 1e-3
# It prints nanoseconds where there are any.
_STEP_S = 1e-9


@dataclass
class _Run:
    """One summary, or one group or scenario of it."""

    load: LoadRun
    trends: dict[str, dict[str, float]] = field(default_factory=dict)
    counters: dict[str, tuple[float, float]] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    failed: tuple[float, float] | None = None
    checks: dict[str, tuple[float, float]] = field(default_factory=dict)
    data: tuple[float, float] | None = None
    shares: dict[str, tuple[float, float]] = field(default_factory=dict)
    all_checks: tuple[float, float] | None = None
    most_users: float | None = None
    ran_s: float | None = None
    complete: float | None = None


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
    runs: list[_Run] = []
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
    incidents = [*said.incidents(), *(each for run in measured for each in _failed_checks(run))]
    for run in measured:
        _finish(run)
    incidents += [each for run in measured for each in (*_cut_short(run), *_doubtful(run))]
    return of_runs([run.load for run in measured], "k6", incidents, chain(asked.clocks, *map(_twice, measured)))


def _checks_alone(checks: Sequence[tuple[str, tuple[float, float]]], line: int | None) -> NoReturn:
    """Raises `BadInput`, with the worst check: nothing says how long anything took."""
    name, (passed, failed) = max(checks, key=lambda each: each[1][1])
    raise BadInput(
        f"this summary of k6 was cut short: it has checks and no metric; '{printable(name, 60)}' failed {failed:.0f} "
        f"times of {passed + failed:.0f}",
        "give the lines below the checks too",
        line=line,
    )


def _cut_short(run: _Run) -> Iterator[Incident]:
    """A text whose last metrics are missing, or whose last line ends before its last number."""
    last, told = max(run.names, key=lambda name: run.names[name], default=""), run.trends
    missing = [names[0] for names in _WHOLE_SUMMARY if not any(each in run.names for each in names)]
    asked = any(name.startswith("http_req") for name in run.names)
    if asked and missing and run.load.factor == "script":
        yield _not_whole(f"the summary at line {run.load.line} has no {' and no '.join(missing)}")
    elif last in told and len(told[last]) < max(map(len, told.values())):
        yield _not_whole(f"line {run.names[last]} has fewer statistics of {printable(last, 60)} than the others")


def _not_whole(saw: str) -> Incident:
    return Incident(Severity.WARNING, saw, "it was cut short, or lines were taken out: what is missing is not known")


def _doubtful(run: _Run) -> Iterator[Incident]:
    """What a summary tells of work that was not done, or of what dominates its times."""
    blocked, whole = (run.trends.get(name, {}).get("mean") for name in ("http_req_blocked", _WHOLE))
    if blocked is not None and whole is not None and blocked > MOST_BLOCKED * whole and run.load.requests:
        yield Incident(
            Severity.WARNING,
            f"requests wait for a connection for {blocked:.3g} s on average, and take {whole:.3g} s",
            "connecting dominates (no keep-alive, or each user makes few requests), and is in no http_req_duration",
        )
    if run.data is not None and run.data[0] == 0 and run.load.requests:
        yield Incident(
            Severity.WARNING,
            f"no data was received in answer to {run.load.requests:.0f} requests",
            "no answer came, or what was measured is no server's work",
        )
    if run.most_users == 0:
        yield Incident(Severity.WARNING, "vus_max is 0", "no virtual user was there to make these requests")


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


def _run(runs: list[_Run], asked: _Asked, place: int, section: str) -> _Run:
    name = section or asked.script or f"summary {len(runs) + 1}"
    load = LoadRun("k6", name, place, factor="group" if section else "script", failed=None, printed_s=_STEP_S)
    if asked.scenarios == 1 and not section:
        load.target, load.configured_s = asked.target, asked.lasts
        load.ends_by = None if asked.lasts is None else EndsBy.TIME
    return _Run(load, ran_s=None if section else asked.ran_s, complete=asked.complete)


def _metric(run: _Run, name: str, found: re.Match[str], place: int) -> None:
    text = found[2]
    if name == "vus_max" and (users := _GAUGE.match(text)):
        run.most_users = number_in(users, 3 if users[3] else 1, place)
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
        if yes + no > 0:
            run.shares[name] = number_in(per_cent, 1, place, 0.01), yes / (yes + no)
        if name == "http_req_failed":
            run.failed = yes, no
    elif name == "data_received" and (data := _DATA.match(text)):
        units = DECIMAL | {"kB": 1e3}
        run.data = (
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
    run = _Run(LoadRun("k6", "summary", None, factor="script", failed=None, printed_s=_STEP_S))
    for name, told in summary.metrics.items():
        _json_metric(run, name, told)
    if not run.trends and not run.counters:
        raise BadInput("there is no metric of k6 in it", "give what --summary-export or handleSummary() writes")
    if summary.state is not None and summary.state.testRunDurationMs:
        (run.load.wall_s,) = json_text.checked((summary.state.testRunDurationMs * _MS,), "state.testRunDurationMs")
    for check in _checks(summary.root_group):
        if check.fails > 0:
            run.checks[check.name] = (float(check.passes), float(check.fails))
    _finish(run)
    return of_runs([run.load], "k6", chain(_failed_checks(run), _doubtful(run)), _twice(run))


def _json_metric(run: _Run, name: str, told: Mapping[str, object]) -> None:
    inner = told.get("values")
    given = inner if isinstance(inner, dict) else told
    values = {
        key: json_text.checked((float(value),), f"metrics.{printable(name, 60)}.{key}")[0]
        for key, value in given.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
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
    elif name == "vus_max" and ("max" in values or "value" in values):
        run.most_users = values.get("max", values.get("value"))
    elif "count" in values and "rate" in values:
        if name == "data_received":
            run.data = values["count"], values["rate"]
        run.counters[name] = values["count"], values["rate"]


def _checks(group: _Group | None) -> Iterator[_Check]:
    """Of all groups. Deep nesting was refused when the JSON was read."""
    waiting = [group] if group is not None else []
    while waiting:
        one = waiting.pop()
        yield from one.checks.values() if isinstance(one.checks, dict) else one.checks
        waiting += one.groups.values() if isinstance(one.groups, dict) else one.groups


def _failed_checks(run: _Run) -> Iterator[Incident]:
    for name, (passed, failed) in run.checks.items():
        yield Incident(
            Severity.WARNING,
            f"the check '{printable(name, 60)}' failed {failed:.0f} times of {passed + failed:.0f}",
            "the script itself says that answers were not what it expected: their times are of other work",
        )


def _finish(run: _Run) -> None:
    """What the metrics tell of the run."""
    load = run.load
    load.gives_up_s = _TIMEOUT_S
    iterations = run.counters.get("iterations")
    requests = run.counters.get("http_reqs")
    if requests is not None:
        load.requests, load.rate = requests
    elif iterations is not None:
        load.requests = iterations[0]
    if load.wall_s is None and load.requests and load.rate:
        load.wall_s = load.requests / load.rate
    if load.target is not None and iterations is not None and iterations != requests:
        # The schedule is of iterations, which may make several requests.
        load.target = load.target * requests[0] / iterations[0] if requests and iterations[0] else None
    dropped = run.counters.get("dropped_iterations")
    load.dropped = dropped[0] if dropped is not None else None
    if run.data is not None:
        # A script may ask for unlike things, so that bytes by request are of none of them.
        load.transfer = run.data[1]
    if run.failed is not None:
        load.failed = {"http_req_failed": run.failed[0]}
    elif worst := [failed for name, (_, failed) in run.checks.items() if _OF_STATUS.search(name)]:
        load.failed = {"checks of the status": max(worst)}
    for name, times in run.trends.items():
        base, _, tag = name.partition("{")
        if base in _NOT_FIGURES:
            continue
        load.times[name] = times
        if name not in load.counts and base != _WHOLE:
            load.counts[name] = iterations[0] if base == "iteration_duration" and iterations and not tag else None
        elif tag and name not in load.counts:
            right = run.failed[1] if run.failed is not None and "expected_response:true" in tag else None
            load.counts[name] = right


def _twice(run: _Run) -> Iterator[Twice]:
    where = run.load.where
    yield from _of_iterations(run, where)
    whole = run.trends.get(_WHOLE, {}).get("mean")
    parts = [run.trends.get(name, {}).get("mean") for name in _PARTS]
    if whole is not None and None not in parts:
        yield Twice(
            f"the mean of http_req_duration {where}, in seconds,",
            whole,
            sum(each or 0.0 for each in parts),
            "its parts (sending, waiting, receiving) are together",
            # Text cuts off what is behind two digits of its unit.
            1e-5 if run.load.line is not None else 1e-9,
        )
    lasted = {
        name: count / rate
        for name in ("http_reqs", "iterations")
        if (count := run.counters.get(name, (0.0, 0.0))[0]) and (rate := run.counters[name][1])
    }
    if len(lasted) == 2:
        yield Twice(
            f"the time of the test {where}, in seconds,",
            lasted["http_reqs"],
            lasted["iterations"],
            "by the number of iterations and their rate it is",
            1e-3,
        )


def _of_iterations(run: _Run, where: str) -> Iterator[Twice]:
    """Iterations beside the time of the test and its users, and failures beside their share."""
    count, rate = run.counters.get("iterations", (0.0, 0.0))
    # A line of progress from before the end counts fewer.
    if run.ran_s is not None and count and rate and run.complete == count:
        # The time is printed to a tenth of a second, and from an hour on to a second.
        yield Twice(
            f"the time of the test {where}, in seconds,", run.ran_s, count / rate, "by iterations and rate it is", 1.0
        )
    lasted = run.trends.get("iteration_duration", {}).get("mean")
    if lasted is not None and run.most_users and rate * lasted > run.most_users and count >= ENOUGH_FOR_QUANTILES:
        # Little's law: a user makes one iteration after the other. setup() and teardown() are among their times, and
        # none is longer than the longest.
        longest = run.trends["iteration_duration"].get("max")
        beside = 1.0 if longest is None else rate * (2 * longest / count + 0.006 * lasted)
        yield Twice(
            f"the number of iterations under way {where}",
            rate * lasted,
            run.most_users,
            "by their rate and duration, and there were virtual users, at the most,",
            beside,
            tolerance=0.3 if longest is None else MOST_BEYOND_USERS,
        )
    if run.all_checks is not None and run.checks:
        # Only checks that failed print their counts.
        passed, failed = (sum(counts) for counts in zip(*run.checks.values(), strict=True))
        if failed > run.all_checks[1]:
            words = "and the checks that failed have together"
            yield Twice(
                f"the number of failures of all checks {where}", run.all_checks[1], failed, words, 0, tolerance=0
            )
        elif passed > run.all_checks[0]:
            words = "and those that failed too have passed together"
            yield Twice(f"the number of checks passed {where}", run.all_checks[0], passed, words, 0, tolerance=0)
    for name, (told, follows) in run.shares.items():
        yield Twice(
            f"the share of {printable(name, 60)} {where}",
            told,
            follows,
            "and by its counts it is",
            1.1e-4,
            tolerance=0.0,
        )


def _is_json(head: str) -> bool:
    return _JSON.match(head) is not None and any(name in head for name in ('"http_req', '"iterations"', '"iteration_d'))


K6 = Importer("k6", "k6's summary", _read, _BEGINS, known=_is_json)
