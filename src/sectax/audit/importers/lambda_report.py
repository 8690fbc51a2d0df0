"""The REPORT lines of AWS Lambda, alone or within any log: the console's, CloudWatch's, a shell's.

A line with an Init Duration is of a cold start; it is kept apart from the others, as the source does.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, Cold, Figure, Quantity
from sectax.audit.importers.parts import Importer, Measurement, evidence
from sectax.formats.bad_input import BadInput
from sectax.formats.lambda_report import BEGINS, report_fields

_FAILED = re.compile(r"Status: (?:error|timeout)")
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
    groups: dict[tuple[str, bool], _Starts] = {}
    for place, line in enumerate(lines, 1):
        at = line.find(BEGINS)
        if at < 0:
            continue
        told = report_fields(line, at, place)
        for name, what in (("duration", "duration"), ("memory", "memory size")):
            if name not in told:
                raise BadInput(f"this REPORT has no {what}", "one REPORT stands on one line", line=place, column=at + 1)
        group = groups.setdefault((f"{told['memory'] / 2**20:g} MB", "init" in told), _Starts())
        for name in _METRICS.keys() & told.keys():
            group.values[name].append(told[name])
        group.errors += _FAILED.search(line, at) is not None
        group.traced += "Sampled: true" in line[at:].partition("XRAY TraceId:")[2]
        stream = _STREAM.search(line)
        if stream is not None:
            group.streams.add(stream[0])
    return evidence((figure for key, group in groups.items() for figure in _figures(*key, group)), "AWS Lambda")


def _figures(size: str, cold: bool, group: _Starts) -> Iterator[Figure]:
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
            of = Measurement("", {"memory": size, "start": start}, told, len(values))
            yield of.figure(metric, quantity, id=f"{metric}: {size}, {start}", values=values)


LAMBDA_REPORT = Importer("lambda", "REPORT lines of AWS Lambda", _read, re.compile(re.escape(BEGINS)))
