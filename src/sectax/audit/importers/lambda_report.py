"""The REPORT lines of AWS Lambda, alone or within any log: the console's, CloudWatch's, a shell's.

Docs: docs.aws.amazon.com/lambda/latest/dg, 'Viewing logs'. A line with an Init Duration is of a cold start; it is kept
apart from the others, as the source does.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, Cold, Figure, Quantity
from sectax.audit.importers.bad_input import BadInput
from sectax.audit.importers.numbers import number
from sectax.audit.importers.parts import Importer, evidence

_BEGINS = re.compile(r"REPORT RequestId:")
_DURATION = re.compile(r"(?<!Billed )(?<!Init )(?<!Restore )Duration: (\S+) ms")
_INIT = re.compile(r"(?<!Billed )Init Duration: (\S+) ms")
_MEMORY = re.compile(r"Memory Size: (\S+) MB")
_MOST_USED = re.compile(r"Max Memory Used: (\S+) MB")
_FAILED = re.compile(r"Status: (?:error|timeout)")
_TRACED = re.compile(r"XRAY TraceId:.*Sampled: true")
_STREAM = re.compile(r"\[\$?\w+\][0-9a-f]{32}")
_MB = 2.0**20  # memory is given in powers of two: 1024 MB are a GB, the most is 10240


@dataclass
class _Starts:
    """The invocations of one memory size that began alike."""

    durations: array[float] = field(default_factory=lambda: array("d"))
    inits: array[float] = field(default_factory=lambda: array("d"))
    used: array[float] = field(default_factory=lambda: array("d"))
    errors: int = 0
    traced: int = 0
    streams: set[str] = field(default_factory=set)


def _read(lines: Iterable[str]) -> Evidence:
    groups: dict[tuple[str, bool], _Starts] = {}
    for place, line in enumerate(lines, 1):
        at = line.find("REPORT RequestId:")
        if at < 0:
            continue
        duration = _DURATION.search(line, at)
        memory = _MEMORY.search(line, at)
        if duration is None or memory is None:
            missing = "duration" if duration is None else "memory size"
            raise BadInput(f"this REPORT has no {missing}", "one REPORT stands on one line", line=place, column=at + 1)
        size = f"{number(memory[1], line=place, column=memory.start(1) + 1):g} MB"
        init, used = _INIT.search(line, at), _MOST_USED.search(line, at)
        group = groups.setdefault((size, init is not None), _Starts())
        group.durations.append(number(duration[1], scale=1e-3, line=place, column=duration.start(1) + 1))
        if init is not None:
            group.inits.append(number(init[1], scale=1e-3, line=place, column=init.start(1) + 1))
        if used is not None:
            group.used.append(number(used[1], scale=_MB, line=place, column=used.start(1) + 1))
        group.errors += _FAILED.search(line, at) is not None
        group.traced += _TRACED.search(line, at) is not None
        stream = _STREAM.search(line)
        if stream is not None:
            group.streams.add(stream[0])
    return evidence([figure for key, group in groups.items() for figure in _figures(*key, group)], "AWS Lambda")


def _figures(size: str, cold: bool, group: _Starts) -> Iterator[Figure]:
    start = "cold" if cold else "warm"
    told = Circumstances(
        operation="invoke",
        cold=Cold.ONLY if cold else Cold.APART,
        events=float(len(group.durations)),
        errors=float(group.errors) if group.errors else None,
        instrument="X-Ray" if group.traced else None,
        replicates=len(group.streams) or None,
        replicate="instance" if group.streams else None,
        service="AWS Lambda",
    )
    for metric, quantity, unit, values in (
        ("duration", Quantity.TIME, "s", group.durations),
        ("init duration", Quantity.TIME, "s", group.inits),
        ("max memory used", Quantity.MEMORY, "bytes", group.used),
    ):
        if values:
            yield Figure(
                id=f"{metric}: {size}, {start}",
                table=metric,
                levels={"memory": size, "start": start},
                metric=metric,
                quantity=quantity,
                unit=unit,
                trials=len(values),
                values=values,
                circumstances=told,
            )


LAMBDA_REPORT = Importer(
    name="lambda",
    title="REPORT lines of AWS Lambda",
    recognises=lambda head: _BEGINS.search(head) is not None,
    read=_read,
    begins=_BEGINS,
)
