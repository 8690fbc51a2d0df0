"""The REPORT lines of AWS Lambda, alone or within any log: the console's, CloudWatch's, a shell's.

A line with an Init Duration is of a cold start; it is kept apart from the others, as the source does.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sectax.audit.evidence import Evidence, Incident
from sectax.audit.figure import Circumstances, Cold, Figure, Quantity
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.audit.unequal_work import MOST_ERRORS
from sectax.formats.bad_input import BadInput
from sectax.formats.lambda_report import BEGINS, report_fields
from sectax.model.finding import Severity

_FAILED = re.compile(r"Status: (?:error|timeout)")
# What the runtime writes of an invocation that did not do its work. A logger writes '[ERROR]' and a tab.
_TROUBLE = re.compile(
    r"Task timed out|INIT_REPORT .{0,80}Status: (?:timeout|error)"
    r"|Runtime exited with error|Runtime\.\w*Error|\[ERROR\] \w*(?:Error|Exception)(?=:)"
)
# The tool that listed the log failed on the way, so the log is not whole.
_CUT = re.compile(r"aws: \[ERROR\]|An error occurred \(\w++\) when calling|Unable to locate credentials")
# Tools that follow several functions put the log group, and so the name, before each line.
_FUNCTION = re.compile(r"/aws/lambda/([A-Za-z0-9_-]{1,140})")
_STREAM = re.compile(r"\[\$?\w+\][0-9a-f]{32}")
# What a REPORT tells and a figure is made of.
_METRICS = {
    "duration": ("duration", Quantity.TIME),
    "init": ("init duration", Quantity.TIME),
    "used": ("max memory used", Quantity.MEMORY),
}


@dataclass
class _Starts:
    """The invocations of one memory size that began alike."""

    values: dict[str, array[float]] = field(default_factory=lambda: {name: array("d") for name in _METRICS})
    errors: int = 0
    traced: int = 0
    streams: set[str] = field(default_factory=set)


def _read(lines: Iterable[str]) -> Evidence:
    groups: dict[tuple[str, str, bool], _Starts] = {}
    reports, said = 0, Counter[str]()
    cuts: list[str] = []
    for place, line in enumerate(lines, 1):
        at = line.find(BEGINS)
        if at < 0:
            if cut := _CUT.search(line):
                cuts.append(f"line {place} says '{cut[0]}'")
            trouble = _TROUBLE.search(line)
            if trouble is not None:
                said[trouble[0]] += 1
            continue
        reports += 1
        told = report_fields(line, at, place)
        for name, what in (("duration", "duration"), ("memory", "memory size")):
            if name not in told:
                raise BadInput(f"this REPORT has no {what}", "one REPORT stands on one line", line=place, column=at + 1)
        function = _FUNCTION.search(line, 0, at)
        name_of = function[1] if function is not None else ""
        group = groups.setdefault((name_of, f"{told['memory'] / 2**20:g} MB", "init" in told), _Starts())
        for name in _METRICS.keys() & told.keys():
            group.values[name].append(told[name])
        group.errors += _FAILED.search(line, at) is not None
        group.traced += "Sampled: true" in line[at:].partition("XRAY TraceId:")[2]
        stream = _STREAM.search(line)
        if stream is not None:
            group.streams.add(stream[0])
    figures = (figure for key, group in groups.items() for figure in _figures(*key, group))
    incidents = [_incident(*each, reports) for each in said.items()]
    incidents += [
        Incident(Severity.WARNING, each, "the tool that listed the log failed: the log may be cut short")
        for each in cuts
    ]
    return evidence(figures, "AWS Lambda", incidents=incidents)


def _incident(trouble: str, times: int, reports: int) -> Incident:
    fatal = times > MOST_ERRORS * reports
    return Incident(
        Severity.FATAL if fatal else Severity.WARNING,
        f"'{trouble}' stands in {times} lines, beside {reports} REPORT lines",
        "an invocation that fails or is cut off takes another time than one that does its work",
    )


def _figures(function: str, size: str, cold: bool, group: _Starts) -> Iterator[Figure]:
    start = "cold" if cold else "warm"
    told = Circumstances(
        operation="invoke",
        cold=Cold.ONLY if cold else Cold.APART,
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


LAMBDA_REPORT = Importer("lambda", "REPORT lines of AWS Lambda", _read, re.compile(re.escape(BEGINS)))
