"""The REPORT lines of AWS Lambda, alone or within any log: the console's, CloudWatch's, a shell's.

A line with an Init Duration is of a cold start; it is kept apart from the others, as the source does.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from sectax.audit.evidence import Evidence, Incident, Twice
from sectax.audit.figure import Circumstances, Cold, Figure, Quantity
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.audit.unequal_work import MOST_ERRORS
from sectax.formats.bad_input import BadInput
from sectax.formats.lambda_report import BEGINS, report_fields
from sectax.model.finding import Severity
from sectax.model.printable import printable

_FAILED = re.compile(r"Status: (?:error|timeout)")
# What the runtime writes of an invocation that did not do its work. A logger writes '[ERROR]' and a tab.
_TROUBLE = re.compile(
    r"ERROR\t(?:Uncaught Exception|Unhandled Promise Rejection|Invoke Error)|"
    r"Task timed out|INIT_REPORT .{0,80}Status: (?:timeout|error)"
    r"|Runtime exited with error|Runtime\.\w*Error|\[ERROR\] \w*(?:Error|Exception)(?=:)"
)
# The tool that listed the log failed on the way, so the log is not whole.
_CUT = re.compile(r"aws: \[ERROR\]|An error occurred \(\w++\) when calling|Unable to locate credentials")
# Tools that follow several functions put the log group, and so the name, before each line.
_FUNCTION = re.compile(r"/aws/lambda/([A-Za-z0-9_-]{1,140})")
# A START line is written when an invocation begins, with what runs; an INIT_START with what runs it.
_START = re.compile(r"START RequestId: (\S{1,80})(?: Version: (\S{1,60}))?")
_RUNTIME = re.compile(r"INIT_START Runtime Version: (\S{1,80})")
_REQUEST = re.compile(r"REPORT RequestId: (\S{1,80})")
# Longer than it took, that an invocation is billed: to the next millisecond, until 2020 to the next 100 ms, and with
# its initialisation, which some runtimes and all since August 2025 bill too. One that is cut off is billed for its
# whole timeout, and takes a little longer.
_MOST_ROUNDED_S, _MOST_AFTER_TIMEOUT_S = 0.1, 1.0
# Whole seconds, more than once, and no longer time: what a function that is cut off by its timeout takes.
_FEWEST_CUT_OFF = 2
# Of its memory, what is used where it does not suffice.
_FULL = 1.0
# The service reports a little more than there is where a process was killed for it.
_MOST_USED = 1.05
_MOST_TOLD = 5
_STREAM = re.compile(r"\[\$?\w+\][0-9a-f]{32}")
# What a REPORT tells and a figure is made of.
_METRICS = {
    "duration": ("duration", Quantity.TIME),
    "init": ("init duration", Quantity.TIME),
    "used": ("max memory used", Quantity.MEMORY),
}


# How a log whose format is JSON tells of it.
_PLATFORM_REPORT = "platform.report"
_OF_METRICS = {
    "durationMs": ("Duration:", "ms"),
    "billedDurationMs": ("Billed Duration:", "ms"),
    "memorySizeMB": ("Memory Size:", "MB"),
    "maxMemoryUsedMB": ("Max Memory Used:", "MB"),
    "initDurationMs": ("Init Duration:", "ms"),
    "restoreDurationMs": ("Restore Duration:", "ms"),
}


class _Record(msgspec.Struct):
    requestId: str
    metrics: dict[str, float]
    status: str = ""


class _Event(msgspec.Struct, tag_field="type", tag=_PLATFORM_REPORT):
    record: _Record


@dataclass
class _Starts:
    """The invocations of one memory size that began alike."""

    values: dict[str, array[float]] = field(default_factory=lambda: {name: array("d") for name in _METRICS})
    errors: int = 0
    traced: int = 0
    streams: set[str] = field(default_factory=set)
    full: int = 0


def _read(lines: Iterable[str]) -> Evidence:
    groups: dict[tuple[str, str, bool], _Starts] = {}
    reports, said = 0, Counter[str]()
    cuts: list[str] = []
    log = _Log()
    for place, line in enumerate(map(_as_text, lines), 1):
        at = line.find(BEGINS)
        if at < 0:
            if cut := _CUT.search(line):
                cuts.append(f"line {place} says '{cut[0]}'")
            log.take(line)
            trouble = _TROUBLE.search(line)
            if trouble is not None:
                said[trouble[0]] += 1
            continue
        reports += 1
        told = report_fields(line, at, place)
        for name, what in (("duration", "duration"), ("memory", "memory size")):
            if name not in told:
                raise BadInput(f"this REPORT has no {what}", "one REPORT stands on one line", line=place, column=at + 1)
        log.report(line, at, told, place)
        function = _FUNCTION.search(line, 0, at)
        name_of = function[1] if function is not None else ""
        group = groups.setdefault((name_of, f"{told['memory'] / 2**20:g} MB", "init" in told), _Starts())
        for name in _METRICS.keys() & told.keys():
            group.values[name].append(told[name])
        # The local emulator of AWS SAM, which puts the initialisation first, says of all that they used all.
        emulated = 0 <= line.find("Init Duration", at) < line.find("Billed", at)
        group.full += not emulated and told.get("used", 0.0) >= _FULL * told["memory"]
        group.errors += _FAILED.search(line, at) is not None
        group.traced += "Sampled: true" in line[at:].partition("XRAY TraceId:")[2]
        stream = _STREAM.search(line)
        if stream is not None:
            group.streams.add(stream[0])
    figures = (
        figure
        for (name_of, size, cold), group in groups.items()
        for figure in _figures(name_of, size, cold, group, marked=(name_of, size, True) in groups)
    )
    incidents = [_incident(*each, reports) for each in said.items()]
    incidents += [
        Incident(Severity.WARNING, each, "the tool that listed the log failed: the log may be cut short")
        for each in cuts
    ]
    incidents += [*log.incidents(), *_limits(groups), *_cold_among_warm(groups)]
    if log.cut_off:
        incidents.append(_cut_off(log.cut_off, reports))
    return evidence(figures, "AWS Lambda", incidents=incidents, twice=log.twice)


def _as_text(line: str) -> str:
    """A line of a log in JSON that tells of the end of an invocation, in the words of one that is text."""
    begin = line.find("{")
    if begin < 0 or _PLATFORM_REPORT not in line:
        return line
    try:
        event = msgspec.json.decode(line[begin : line.rfind("}") + 1], type=_Event, strict=False)
    except (msgspec.MsgspecError, RecursionError):
        return line
    record = event.record
    values = {words: record.metrics.get(name) for name, words in _OF_METRICS.items()}
    told = "\t".join(f"{words} {value:.12g} {unit}" for (words, unit), value in values.items() if value is not None)
    status = f"\tStatus: {record.status}" if record.status not in ("", "success") else ""
    return f"{BEGINS} {record.requestId}\t{told}{status}"


@dataclass
class _Log:
    """What the lines of a log tell of each other."""

    begun: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    versions: dict[str, None] = field(default_factory=dict)
    runtimes: dict[str, None] = field(default_factory=dict)
    twice: list[Twice] = field(default_factory=list)
    cut_off: list[tuple[int, float, float]] = field(default_factory=list)

    def take(self, line: str) -> None:
        """A line that is no REPORT."""
        if start := _START.search(line):
            self.begun[start[1]] += 1
            if start[2]:
                self.versions.setdefault(start[2])
        elif runtime := _RUNTIME.search(line):
            self.runtimes.setdefault(runtime[1])

    def report(self, line: str, at: int, told: Mapping[str, float], place: int) -> None:
        """A REPORT: what it bills beside what it took, and what it used beside what it has."""
        if request := _REQUEST.match(line, at):
            self.ended[request[1]] += 1
        billed, took = told.get("billed"), told["duration"]
        beside = told.get("init", 0.0) + told.get("restore", 0.0)
        cut_off = billed is not None and billed == round(billed) and 0 <= took - billed < _MOST_AFTER_TIMEOUT_S
        if billed is not None and cut_off and billed < took - 1e-3:
            self.cut_off.append((place, billed, took))
        if billed is not None and not cut_off and not took - 1e-3 <= billed <= took + beside + _MOST_ROUNDED_S + 1e-3:
            self._add(f"the billed duration in line {place}, in seconds,", billed, took, "and it took")
        if told.get("used", 0.0) > told["memory"] * _MOST_USED:
            self._add(f"the memory used in line {place}, in bytes,", told["used"], told["memory"], "and there is")

    def _add(self, what: str, told: float, follows: float, words: str) -> None:
        # One is enough to say that a log was changed or mixed up.
        if len(self.twice) < _MOST_TOLD:
            self.twice.append(Twice(what, told, follows, words, 0.0, tolerance=0.0))

    def incidents(self) -> Iterator[Incident]:
        """What is wrong with the log as a whole."""
        for names, what in ((self.versions, "versions of the function"), (self.runtimes, "versions of the runtime")):
            if len(names) > 1:
                yield Incident(
                    Severity.WARNING,
                    f"the log is of {len(names)} {what}: {', '.join(printable(each, 60) for each in names)}",
                    "their times stand in one figure, which is of none of them",
                )
        again = sum(count - 1 for count in self.ended.values() if count > 1)
        if again:
            yield Incident(
                Severity.WARNING,
                f"{again} REPORT lines have the RequestId of another",
                "a retry of the same request, or lines that were copied: they are no further invocations",
            )
        missing = sum((self.begun - self.ended).values())
        if missing:
            yield Incident(
                Severity.WARNING,
                f"{missing} invocations have a START and no REPORT",
                "the log is cut, or they were still at work: the longest are missing first",
            )


def _cold_among_warm(groups: Mapping[tuple[str, str, bool], _Starts]) -> Iterator[Incident]:
    cold = sum(len(group.values["duration"]) for (*_, is_cold), group in groups.items() if is_cold)
    warm = sum(len(group.values["duration"]) for (*_, is_cold), group in groups.items() if not is_cold)
    if cold and warm:
        yield Incident(
            Severity.WARNING,
            f"{cold} of {cold + warm} invocations are cold starts; here they are figures of their own",
            "a figure of all lines of the log together is of two quantities, and of neither",
            check="first-trial",
        )


def _limits(groups: Mapping[tuple[str, str, bool], _Starts]) -> Iterator[Incident]:
    """Invocations at a limit of their function: its memory, its timeout."""
    for (function, size, cold), group in groups.items():
        durations = group.values["duration"]
        of = f"of the {'cold' if cold else 'warm'} ones at {function + ', ' if function else ''}{size}"
        if group.full:
            yield Incident(
                Severity.WARNING,
                f"{group.full} of {len(durations)} invocations used all their memory ({of})",
                "what has too little is killed or collects garbage all the time: it is the limit that was measured",
            )
        longest = max(durations)
        at_limit = sum(each == longest for each in durations)
        if longest >= 1 and longest == round(longest) and at_limit >= _FEWEST_CUT_OFF and not group.errors:
            yield Incident(
                Severity.WARNING,
                f"{at_limit} of {len(durations)} invocations took {longest:g} s, and none longer ({of})",
                "whole seconds are a timeout: they were cut off, and did not do their work",
            )
    sizes = dict.fromkeys(size for _, size, _ in groups)
    names = dict.fromkeys(function for function, _, _ in groups)
    if len(sizes) > 1 and len(names) == 1:
        yield Incident(
            Severity.WARNING,
            f"the invocations had {len(sizes)} sizes of memory: {', '.join(sizes)}",
            "processor time grows with the memory: compare within one size, and take their difference for nothing else",
        )


def _incident(trouble: str, times: int, reports: int) -> Incident:
    fatal = times > MOST_ERRORS * reports
    return Incident(
        Severity.FATAL if fatal else Severity.WARNING,
        f"'{trouble}' stands in {times} lines, beside {reports} REPORT lines",
        "an invocation that fails or is cut off takes another time than one that does its work",
    )


def _cut_off(found: Sequence[tuple[int, float, float]], reports: int) -> Incident:
    """Invocations at their timeout, which is what is billed then."""
    place, billed, took = found[0]
    return Incident(
        Severity.FATAL if len(found) > MOST_ERRORS * reports else Severity.WARNING,
        f"line {place}: {billed:g} s are billed of {took:g} s; so it is in {len(found)} of {reports} REPORT lines",
        "it was stopped at its timeout, which is billed: how long the work takes is not known",
    )


def _figures(function: str, size: str, cold: bool, group: _Starts, *, marked: bool) -> Iterator[Figure]:
    """Of one kind of start; *marked* where any cold start is, so that the others are known to be warm."""
    start = "cold" if cold else "warm"
    told = Circumstances(
        operation="invoke",
        cold=Cold.ONLY if cold else Cold.APART if marked else None,
        events=float(len(group.values["duration"])),
        errors=float(group.errors) if group.errors else None,
        instrument="X-Ray" if group.traced else None,
        replicates=len(group.streams) or None,
        replicate="instance" if group.streams else None,
        service="AWS Lambda",
    )
    for name, (metric, quantity) in _METRICS.items():
        values = group.values[name]
        if values:
            levels = {"function": function} if function else {}
            of = Measurement("", levels | {"memory": size, "start": start}, told, len(values))
            place = f"{function}, {size}" if function else size
            yield of.figure(metric, quantity, id=f"{metric}: {place}, {start}", values=values)


LAMBDA_REPORT = Importer(
    "lambda", "REPORT lines of AWS Lambda", _read, re.compile(rf'{re.escape(BEGINS)}|"type": ?"platform\.report"')
)
