"""Counts what an execution does, where there is nothing to be timed: instructions, system calls, allocations.

A count has no noise of the machine, so one that is the same in every execution needs one run. Each is taken by another
program, outside of everything that is timed.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sectax.model.errors import WrongUse
from sectax.model.subject import Witnesses
from sectax.text.near import did_you_mean

# A count that is not the same this many times is no exact one: its least and most are given then.
_TIMES = 3


def _sum(pattern: str) -> Callable[[str], int | None]:
    """The sum of a number that stands in the output once for every process."""

    def read(text: str) -> int | None:
        numbers = re.findall(pattern, text, re.MULTILINE)
        return sum(int(number.replace(",", "")) for number in numbers) if numbers else None

    return read


@dataclass(frozen=True)
class Counter:
    """A program that counts.

    Attributes:
        figure: what the count is called.
        words: the program and its arguments, before those of the command; {out} is where it writes.
        read: the count in what it wrote; None where it is not there.
    """

    figure: str
    words: tuple[str, ...]
    read: Callable[[str], int | None]


_VALGRIND = ("valgrind", "--trace-children=yes", "--log-file={out}.%p")
COUNTERS = {
    "instructions": Counter(
        "instructions", ("perf", "stat", "-x", ",", "-e", "instructions:u", "-o", "{out}", "--"), _sum(r"^(\d+),")
    ),
    "instructions=cachegrind": Counter(
        "instructions",
        (*_VALGRIND, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"),
        _sum(r"I\s+refs:\s+([\d,]+)"),
    ),
    "system_calls": Counter(
        "system_calls",
        ("strace", "-f", "-c", "-o", "{out}"),
        _sum(r"^\s*100\.00\s+\S+\s+\S+\s+(\d+)\s.*total$"),
    ),
    "allocations": Counter("allocations", (*_VALGRIND, "--leak-check=no"), _sum(r"total heap usage: ([\d,]+) allocs")),
}


def counters(names: tuple[str, ...]) -> tuple[Counter, ...]:
    """Those of --count. Raises `WrongUse`."""
    for name in names:
        if name not in COUNTERS:
            raise WrongUse(f"--count {name!r}: nothing counts that", did_you_mean(name, COUNTERS))
    chosen = tuple(COUNTERS[name] for name in names)
    if len({counter.figure for counter in chosen}) < len(chosen):
        raise WrongUse("--count names one figure twice", "leave one of them out")
    return chosen


def counted(
    counter: Counter,
    argv: tuple[str, ...],
    *,
    cwd: str,
    input: str,
    deadline_s: float,
    prepare: tuple[str, ...] | None,
) -> Witnesses:
    """Execute a command under a counter.

    Returns:
        The count by its name, the largest one too where several differ; or the reason why there is none.
    """
    from sectax.experiments.command.hook import HookFailed, run_hook  # with what starts processes

    figure, counts = counter.figure, []
    if shutil.which(counter.words[0]) is None:
        return {f"{figure}_missing": f"{counter.words[0]} is not installed"}
    for _ in range(_TIMES):
        with tempfile.TemporaryDirectory(prefix="sectax-") as folder:
            words = [word.replace("{out}", f"{folder}/out") for word in counter.words]
            failure = ""
            try:
                if prepare is not None:
                    run_hook(prepare, deadline_s, cwd=cwd)
                run_hook((*words, *argv), deadline_s, cwd=cwd, input=input)
            except HookFailed as error:
                failure = error.message  # a command may end with a status that is accepted, and be counted
            text = "\n".join(path.read_text(errors="replace") for path in sorted(Path(folder).iterdir()))
        count = counter.read(text)
        if count is None:
            unknown = "this machine or its kernel does not count them"
            why = unknown if "<not " in text else failure or "it wrote no count"
            return {f"{figure}_missing": f"{os.path.basename(counter.words[0])}: {why}"}
        counts.append(count)
    witnesses: Witnesses = {figure: min(counts)}
    return witnesses if len(set(counts)) == 1 else witnesses | {f"{figure}_most": max(counts)}
