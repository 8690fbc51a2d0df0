"""Strict parser of sysbench's output, which rejects contradictions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sectax.text.printable import printable

# Releases with the same output.
VERSIONS = ("1.0.17", "1.0.18", "1.0.19", "1.0.20")
# Of the printed total time, in seconds.
GRANULARITY_S = 1e-4
MOST_BYTES = 64 * 1024

_VERSION = re.compile(r"sysbench (\d{1,4}(?:\.\d{1,4})+(?:-[\w.]+)?) \(using .*\)")
_THREADS = re.compile(r"Number of threads: (\d{1,6})")
_TOTAL = re.compile(r"    total time: {1,40}(\d{1,9}\.\d{4})s")
_EVENTS = re.compile(r"    total number of events: {1,40}(\d{1,15})")
_SUM = re.compile(r" {1,20}sum: {1,40}(\d{1,15}\.\d{2})")
_FATAL = re.compile(r"FATAL: (.*)")
# Each thread works no longer than the total time; both figures are rounded.
_SLACK = 1.01
_SLACK_S = 0.01


class UnknownOutput(Exception):
    """Not the output of a supported version of sysbench."""


@dataclass(frozen=True)
class SysbenchResult:
    """One execution of a test; None means unknown.

    Attributes:
        total_s: time of its operations, by the test's own clock.
        cpu_s: their CPU time.
        steal_s: time that the hypervisor ran other guests.
        events: counted events, if different from the number of operations.
    """

    total_s: float
    cpu_s: float | None = None
    steal_s: float | None = None
    events: int | None = None


@dataclass(frozen=True)
class SysbenchOutput:
    """One run of sysbench.

    Attributes:
        total_s: from the start of its threads to their end, by its own clock.
        latency_sum_s: time of all events, summed over threads.
    """

    version: str
    threads: int
    total_s: float
    events: int
    latency_sum_s: float


def read_result(text: str) -> SysbenchOutput:
    """Parse the output of one run. Raises `UnknownOutput`."""
    if len(text) > MOST_BYTES:
        raise UnknownOutput(f"its output is too long ({len(text)} characters)")
    lines = text.splitlines()
    fatal = [match[1] for line in lines if (match := _FATAL.fullmatch(line))]
    if fatal:
        raise UnknownOutput(f"sysbench failed: {printable(fatal[0], 200)}")
    version = _single_match("version", _VERSION, lines)
    if version not in VERSIONS:
        raise UnknownOutput(f"sysbench {version} is not supported; use {VERSIONS[0]} to {VERSIONS[-1]}")
    threads, events = (
        int(_single_match("number of threads", _THREADS, lines)),
        int(_single_match("number of events", _EVENTS, lines)),
    )
    total_s, sum_s = (
        float(_single_match("total time", _TOTAL, lines)),
        float(_single_match("sum of latencies", _SUM, lines)) / 1000,
    )
    # A total of 0.0000 s is valid: one event can be shorter than the clock's resolution.
    if threads < 1 or events < 1:
        raise UnknownOutput(f"{events} events by {threads} threads are not a measurement")
    if sum_s > threads * total_s * _SLACK + _SLACK_S:
        raise UnknownOutput(f"its events took {sum_s:.2f} s, more than {threads} threads have in {total_s} s")
    return SysbenchOutput(version, threads, total_s, events, sum_s)


def _single_match(what: str, pattern: re.Pattern[str], lines: list[str]) -> str:
    figures = [match[1] for line in lines if (match := pattern.fullmatch(line))]
    if len(figures) != 1:
        raise UnknownOutput(f"its {what} was printed {len(figures)} times, not once")
    return figures[0]
