"""The REPORT lines of AWS Lambda, alone or within any log: the console's, CloudWatch's, a shell's.

A line with an Init Duration is of a cold start; it is kept apart from the others, as the source does.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from sectax.audit.evidence import Evidence, Incident
from sectax.audit.figure import Circumstances, Cold, Figure, Quantity
from sectax.audit.importers.lambda_log import Log
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.audit.importers.said import Said
from sectax.formats.bad_input import BadInput
from sectax.formats.lambda_report import BEGINS, BEGINS_ANY, report_fields
from sectax.model.finding import Severity

_FAILED = re.compile(r"Status: (?:error|timeout)")
# Tools that follow several functions put the log group, and so the name, before each line.
_FUNCTION = re.compile(r"/aws/lambda/([A-Za-z0-9_-]{1,140})")
# A field of a REPORT by itself, and the last that each has.
_FIELD = re.compile(
    r"\s*(?:(?:Billed |Init |Restore |Billed Restore )?Duration|Memory Size|Max Memory Used|XRAY TraceId): "
)
_LAST, _MOST_FIELDS = "Max Memory Used:", 12
# Whole seconds, more than once, and no longer time: what a function that is cut off by its timeout takes.
_FEWEST_CUT_OFF = 2
# Of its memory, what is used where it does not suffice.
_FULL = 1.0
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
    log, said = Log(), Said()
    reports, first = 0, None
    for place, line in _on_one_line(map(_as_text, lines)):
        begins = BEGINS_ANY.search(line) if "Duration:" in line or BEGINS in line else None
        if begins is None:
            log.take(line, place)
            continue
        at = begins.start()
        try:
            told = report_fields(line, at, place)
            if "duration" not in told:
                raise BadInput("this REPORT has no duration", "give it whole", line=place, column=at + 1)
        except BadInput as error:
            first = first or error
            said.add(Severity.WARNING, place, line, "this REPORT cannot be read: it is in none of the figures")
            continue
        reports += 1
        log.report(line, at, told, place)
        function = _FUNCTION.search(line, 0, at)
        name_of = function[1] if function is not None else ""
        size = f"{told['memory'] / 2**20:g} MB" if "memory" in told else "memory not told"
        group = groups.setdefault((name_of, size, "init" in told), _Starts())
        for name in _METRICS.keys() & told.keys():
            group.values[name].append(told[name])
        # The local emulator of AWS SAM, which puts the initialisation first, says of all that they used all.
        emulated = 0 <= line.find("Init Duration", at) < line.find("Billed", at)
        group.full += not emulated and told.get("used", 0.0) >= _FULL * told.get("memory", math.inf)
        group.errors += _FAILED.search(line, at) is not None
        group.traced += "Sampled: true" in line[at:].partition("XRAY TraceId:")[2]
        stream = _STREAM.search(line)
        if stream is not None:
            group.streams.add(stream[0])
    if not groups and first is not None:
        raise first
    figures = (
        figure
        for (name_of, size, cold), group in groups.items()
        for figure in _figures(name_of, size, cold, group, marked=(name_of, size, True) in groups)
    )
    incidents = [*said.incidents(), *log.incidents(reports), *_limits(groups), *_cold_among_warm(groups)]
    return evidence(figures, "AWS Lambda", incidents=incidents, twice=log.twice)


def _on_one_line(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Lines with their places; the fields of a REPORT that stand below each other are put on its first line."""
    open_: list[str] = []
    began = 0
    for place, line in enumerate(lines, 1):
        if open_ and len(open_) < _MOST_FIELDS and (not line.strip() or _FIELD.match(line)):
            open_.append(line.strip())
            continue
        if open_:
            yield began, "\t".join(open_)
            open_ = []
        if _LAST not in line and (BEGINS in line or line.lstrip().startswith("Duration: ")):
            open_, began = [line], place
        else:
            yield place, line
    if open_:
        yield began, "\t".join(open_)


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
            "apples-and-oranges",
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
    "lambda",
    "REPORT lines of AWS Lambda",
    _read,
    re.compile(rf'{re.escape(BEGINS)}|{BEGINS_ANY.pattern}|"type": ?"platform\.report"'),
)
