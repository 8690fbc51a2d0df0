"""Outputs of which the beginning or the end was not copied: their tools always print more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sectax.audit.evidence import Incident
from sectax.model.finding import Severity


@dataclass(frozen=True)
class _Frame:
    """What stands around the figures of every output of a tool.

    Attributes:
        opens: its first line, or the first that people copy.
        tells: a line that only an output with figures has.
        closes: what each such output has, by its name; the last of these stand at its end.
        once: whether they stand once in a file, however many outputs it has, and only where its first lines do.
        severity: of an end that is missing. People leave out what tells nothing.
    """

    opens: re.Pattern[str]
    tells: re.Pattern[str]
    closes: dict[str, re.Pattern[str]]
    once: bool = False
    severity: Severity = Severity.WARNING


def _frame(
    opens: str, tells: str, closes: dict[str, str], *, once: bool = False, severity: Severity = Severity.WARNING
) -> _Frame:
    return _Frame(
        re.compile(opens),
        re.compile(tells),
        {name: re.compile(pattern) for name, pattern in closes.items()},
        once,
        severity,
    )


_FRAMES = {
    "wrk": _frame(
        r"Running \S+ test @ |Making \d+ requests to ",
        r"Thread Stats\s|Latency\s+\d|\d+ requests in |(?:Requests|Transfer)/sec:",
        {"requests": r"\d+ requests in ", "Requests/sec": r"Requests/sec:", "Transfer/sec": r"Transfer/sec:"},
    ),
    "ab": _frame(
        r"[>#]*+This is ApacheBench",
        r"(?:Concurrency Level|Time taken for tests|Complete requests|Requests per second|Time per request):",
        {
            "Time taken for tests": r"Time taken for tests:",
            "Requests per second": r"Requests per second:",
            "Transfer rate": r"Transfer rate:",
            "times of connections": r"Total:\s+\d",
        },
    ),
    "sysbench": _frame(
        r"sysbench v?\d",
        r"(?:total time|time elapsed|total number of events|events per second|events/s \(eps\)):\s+\d|(?:min|avg"
        r"|max):\s{5,60}\d|(?:reads|writes)/s:\s|(?:read|transactions|queries):\s+\d|General statistics:"
        r"|[\d.]+ Mi?B transferred",
        {
            "total time": r"(?:total time|time elapsed):",
            "latencies": r"max:\s",
            # 1.0 and later; 0.4 has the other.
            "sum of latencies": r"sum:\s|execution time \(avg/stddev\):",
        },
    ),
    "hey": _frame(
        r"[Ss]ummary:$",
        r"(?:Slowest|Fastest|Average):\s+\d|Requests/sec:\s+\d|\d[\d.]*%{1,2} in \d",
        {"Requests/sec": r"Requests/sec:", "distribution of answers": r"(?:Status code|Error) distribution"},
    ),
    "jmh": _frame(
        r"# JMH (?:version|\d)",
        r"Iteration\s+\d+: ",
        {"end (Run complete)": r"# Run complete|Benchmark\s(?:.*\s)?Mode\s"},
        once=True,
    ),
    "warp": _frame(
        r"(?:Report|Operation): [A-Z]{3,}",
        r"\* (?:Average|Throughput|Reqs: Avg|Requests|TTFB|First Byte|Fastest|50% Median|Slowest): "
        r"|Throughput, split into",
        {},
    ),
    "go-bench": _frame(
        r"goos: ",
        r"Benchmark\S*\s+\d+\s+\S+ \S+/op\b",
        {"end (PASS, ok or FAIL)": r"PASS$|FAIL\b|ok\s|exit status |panic: |signal: "},
        once=True,
        severity=Severity.NOTE,
    ),
}
_STARTED = re.compile(r"\bSTART RequestId: (\S+)")
_REPORTED = re.compile(r"\bREPORT RequestId: (\S+)")
_SPLIT = re.compile(r"Throughput, split into \d+ x ")
_SLOWEST = re.compile(r"\* Slowest: ")


def cut(tool: str, lines: Sequence[str]) -> Iterator[Incident]:
    """What of the outputs of a tool is missing: a W where their end is, a note where only their beginning is.

    Args:
        lines: as the tool printed them, without margins.
    """
    if tool == "lambda":
        yield from _without_report(lines)
    frame = _FRAMES.get(tool)
    if frame is None:
        return
    starts = [at for at, line in enumerate(lines) if frame.opens.match(line)][: 1 if frame.once else None]
    for begin, end in zip([0, *starts], [*starts, len(lines)], strict=True):
        part = lines[begin:end]
        first = next((at for at, line in enumerate(part) if frame.tells.match(line)), None)
        if first is None:
            continue
        opened = begin in starts
        place = begin + 1 if opened else begin + first + 1
        if not opened and frame.once:
            continue
        if not opened:
            yield Incident(
                Severity.NOTE,
                f"line {place}: an output begins here without its first lines",
                "they tell what was asked for: what is not known of it was not copied",
            )
        missing = [name for name, pattern in frame.closes.items() if not any(map(pattern.match, part))]
        if tool == "warp" and any(map(_SPLIT.match, part)) and not any(map(_SLOWEST.match, part)):
            missing.append("slowest second")
        if missing:
            yield Incident(
                frame.severity,
                f"the output at line {place} has no {' and no '.join(missing)}",
                "it was cut short, or lines were taken out: what is missing is not known",
            )


def _without_report(lines: Sequence[str]) -> Iterator[Incident]:
    """Invocations of Lambda that began, and did not end in the log."""
    begun = {found[1]: at for at, line in enumerate(lines, 1) if (found := _STARTED.search(line))}
    ended = {found[1] for line in lines if (found := _REPORTED.search(line))}
    open_ = [at for request, at in begun.items() if request not in ended]
    if open_ and ended:
        yield Incident(
            Severity.WARNING,
            f"{len(open_)} invocations began and have no REPORT (the first in line {open_[0]})",
            "the log was cut short, or lines were taken out: how long they took is not known",
        )
