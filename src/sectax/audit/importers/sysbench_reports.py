"""What sysbench prints of single seconds with --report-interval, of its tests and its versions.

Source: src/db_driver.c, src/sysbench.c, src/tests/fileio and memory of akopytov/sysbench; 0.5 has other words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mode

_N = r"([0-9]{1,15}(?:\.[0-9]{1,9})?)"
# '[ 10s ] thds: 8 tps: …', '[  10s] threads: 8, tps: …', '[ 2s ] reads: 1.00 MiB/s writes: …', '[ 1s ] 123.45 MiB/sec'.
BEGINS = r"\[ {0,9}\d{1,9}s ?\] {0,2}(?:(?:thds|threads): \d+,? (?:tps|eps): |reads: [0-9.]+ Mi?B/s |[0-9.]+ Mi?B/sec)"
_REPORT = re.compile(BEGINS)
_AT = re.compile(r"\[ *(\d+)s")
_EVENTS = re.compile(rf"\b(?:tps|eps): {_N}")
_BYTES = re.compile(rf"\b(?:reads|writes): {_N} Mi?B/s|\] +{_N} Mi?B/sec")
_FSYNCS = re.compile(rf"\bfsyncs: {_N}/s")
_LATENCY = re.compile(rf"(?:\blat(?:ency)? \(ms,\d+%\):? {{0,9}}|\bresponse time: {{0,9}}){_N}(?:ms)?")
_ERRORS = re.compile(rf"\berr(?:ors)?(?:/s)?:? {{1,9}}{_N}")
_LONGEST = 400


@dataclass(frozen=True)
class Report:
    """One of them.

    Attributes:
        place: its line.
        at_s: seconds since the run began.
        test: what it is of, where its words tell.
        rate: events, or MiB, a second.
        latency_s: the percentile that was asked for, in seconds.
        errors: that were ignored, a second.
    """

    place: int
    at_s: float
    test: str
    rate: float
    latency_s: float | None
    errors: float

    @property
    def counts(self) -> bool:
        """Whether its rate is of events, not of bytes."""
        return self.test in ("sql", "")


def report(place: int, line: str) -> Report | None:
    """The report of this line, without its margin; None where it is none."""
    at = _AT.match(line) if _REPORT.match(line) else None
    if at is None or len(line) > _LONGEST:
        return None
    events, latency, errors = _EVENTS.search(line), _LATENCY.search(line), _ERRORS.search(line)
    if events is not None:
        test, rate = ("sql" if "tps: " in line else ""), float(events[1])
    else:
        test = "fileio" if "reads: " in line else "memory"
        rate = sum(float(found[1] or found[2]) for found in _BYTES.finditer(line))
        fsyncs = _FSYNCS.search(line)
        rate = rate or (float(fsyncs[1]) if fsyncs is not None else 0.0)
    return Report(
        place,
        float(at[1]),
        test,
        rate,
        float(latency[1]) / 1000 if latency is not None else None,
        float(errors[1]) if errors is not None else 0.0,
    )


def every_s(reports: Sequence[Report]) -> float:
    """The seconds from one report to the next, the most frequent; of a single one, those since the beginning."""
    steps = [two.at_s - one.at_s for one, two in pairwise(reports) if two.at_s > one.at_s]
    return mode(steps) if steps else max((each.at_s for each in reports), default=1.0) or 1.0
