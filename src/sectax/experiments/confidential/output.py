"""Reads what sysbench prints. Strict: a figure that contradicts another one, or stands twice, is no figure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sectax.text.printable import printable

# Their output is the same: between these releases nothing changed in the sources that print it.
VERSIONS = ("1.0.17", "1.0.18", "1.0.19", "1.0.20")
# Of the total time that sysbench prints, seconds.
GRANULARITY_S = 1e-4
MOST_BYTES = 64 * 1024

_VERSION = re.compile(r"sysbench (\d{1,4}(?:\.\d{1,4})+(?:-[\w.]+)?) \(using .*\)")
_THREADS = re.compile(r"Number of threads: (\d{1,6})")
_TOTAL = re.compile(r"    total time: {1,40}(\d{1,9}\.\d{4})s")
_EVENTS = re.compile(r"    total number of events: {1,40}(\d{1,15})")
_SUM = re.compile(r" {1,20}sum: {1,40}(\d{1,15}\.\d{2})")
_FATAL = re.compile(r"FATAL: (.*)")
# The sum of latencies is over threads, each of which worked no longer than all together; both are rounded.
_SLACK = 1.01
_SLACK_S = 0.01


class UnknownOutput(Exception):
    """It is not what sysbench of a known version prints; the message says what is wrong with it."""


@dataclass(frozen=True)
class SysbenchResult:
    """What is known of one execution of a test.

    Attributes:
        total_s: seconds that its operations took, by the test's own clock.
        cpu_s: seconds of CPU time that they used; None where nothing could read that.
        steal_s: seconds in which the hypervisor ran somebody else; None where nobody said.
        events: that it counted, where that need not be the number of operations.
    """

    total_s: float
    cpu_s: float | None = None
    steal_s: float | None = None
    events: int | None = None


@dataclass(frozen=True)
class Result:
    """One run of sysbench.

    Attributes:
        total_s: seconds from the start of its threads to their end, by its own clock.
        latency_sum_s: seconds that events took, summed over threads.
    """

    version: str
    threads: int
    total_s: float
    events: int
    latency_sum_s: float


def read_result(text: str) -> Result:
    """Understand the output of one run.

    Raises:
        UnknownOutput: sysbench failed, is another version, or printed what cannot be.
    """
    if len(text) > MOST_BYTES:
        raise UnknownOutput(f"it printed {len(text)} characters, far more than a result")
    lines = text.splitlines()
    fatal = [match[1] for line in lines if (match := _FATAL.fullmatch(line))]
    if fatal:
        raise UnknownOutput(f"sysbench failed: {printable(fatal[0], 200)}")
    version = _single_match("version", _VERSION, lines)
    if version not in VERSIONS:
        raise UnknownOutput(f"this is sysbench {version}; {VERSIONS[0]} to {VERSIONS[-1]} can be read")
    threads, events = (
        int(_single_match("number of threads", _THREADS, lines)),
        int(_single_match("number of events", _EVENTS, lines)),
    )
    total_s, sum_s = (
        float(_single_match("total time", _TOTAL, lines)),
        float(_single_match("sum of latencies", _SUM, lines)) / 1000,
    )
    # A total of 0.0000 s is possible: one event can be shorter than the clock's step.
    if threads < 1 or events < 1:
        raise UnknownOutput(f"{events} events by {threads} threads are not a measurement")
    if sum_s > threads * total_s * _SLACK + _SLACK_S:
        raise UnknownOutput(f"its events took {sum_s:.2f} s together, more than {threads} threads have in {total_s} s")
    return Result(version, threads, total_s, events, sum_s)


def _single_match(what: str, pattern: re.Pattern[str], lines: list[str]) -> str:
    figures = [match[1] for line in lines if (match := pattern.fullmatch(line))]
    if len(figures) != 1:
        raise UnknownOutput(f"its {what} stands there {len(figures)} times, not once")
    return figures[0]
