"""Counts instructions, system calls and allocations, outside of timed regions.

Exact counts have no noise, so a few executions are enough.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from sectax.model.errors import WrongUse
from sectax.model.subject import Witnesses
from sectax.text.near import did_you_mean

# If these counts differ, the smallest and the largest are reported.
_TIMES = 3
# Seconds that a counter may take for a program that does nothing.
_TRIAL_S = 30.0


def _sum(pattern: str) -> Callable[[str], int | None]:
    """Parse and add up a number that is printed once per process."""

    def read(text: str) -> int | None:
        numbers = re.findall(pattern, text, re.MULTILINE)
        return sum(int(number.replace(",", "")) for number in numbers) if numbers else None

    return read


@dataclass(frozen=True)
class Counter:
    """A counting program.

    Attributes:
        figure: name of the count.
        words: command line before that of the counted command; {out} is its output file.
        read: parser of its output; gives None without a count.
        otherwise: name of the counter to use where this one does not work.
    """

    figure: str
    words: tuple[str, ...]
    read: Callable[[str], int | None]
    otherwise: str = ""


_VALGRIND = ("valgrind", "--trace-children=yes", "--log-file={out}.%p")
COUNTERS = {
    "instructions": Counter(
        "instructions",
        ("perf", "stat", "-x", ",", "-e", "instructions:u", "-o", "{out}", "--"),
        _sum(r"^(\d+),"),
        otherwise="instructions=cachegrind",
    ),
    "instructions=cachegrind": Counter(
        "instructions",
        (*_VALGRIND, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"),
        _sum(r"I\s+refs:\s+([\d,]+)"),
    ),
    "system_calls": Counter(
        "system_calls", ("strace", "-f", "-c", "-o", "{out}"), _sum(r"^\s*100\.00\s+\S+\s+\S+\s+(\d+)\s.*total$")
    ),
    "allocations": Counter("allocations", (*_VALGRIND, "--leak-check=no"), _sum(r"total heap usage: ([\d,]+) allocs")),
}


def counters(names: tuple[str, ...]) -> tuple[Counter, ...]:
    """Counters of --count. Raises `WrongUse`."""
    for name in names:
        if name not in COUNTERS:
            raise WrongUse(f"there is no --count {name!r}", did_you_mean(name, COUNTERS))
    chosen = tuple(COUNTERS[name] for name in names)
    if len({counter.figure for counter in chosen}) < len(chosen):
        raise WrongUse("--count is given twice for one figure", "remove one of them")
    return chosen


def working_counter(counter: Counter, folder: str) -> tuple[Counter, Witnesses]:
    """The counter, or the one to use instead if it does not work here, and a witness that says so."""
    if not counter.otherwise:
        return counter, {}
    figure = counter.figure

    def tried(counter: Counter) -> Witnesses:
        return count_execution(counter, ("true",), cwd=folder, input=os.devnull, deadline_s=_TRIAL_S, prepare=None)

    failed, instead = tried(counter), COUNTERS[counter.otherwise]
    if figure in failed or figure not in tried(instead):
        return counter, {}
    name = counter.otherwise.partition("=")[2]
    return instead, {f"{figure}_counted_by": f"{name} ({failed[f'{figure}_missing']})"}


def count_execution(
    counter: Counter,
    argv: tuple[str, ...],
    *,
    cwd: str,
    input: str,
    deadline_s: float,
    prepare: tuple[str, ...] | None,
    conclude: tuple[str, ...] | None = None,
    env: Mapping[str, str] = MappingProxyType({}),
) -> Witnesses:
    """Execute a command under a counter; returns the count, or why there is none."""
    from sectax.experiments.command.hook import HookFailed, run_hook  # imported late: starts processes

    figure, counts = counter.figure, []
    if shutil.which(counter.words[0]) is None:
        return {f"{figure}_missing": f"{counter.words[0]} is not installed"}
    for _ in range(_TIMES):
        with tempfile.TemporaryDirectory(prefix="sectax-") as folder:
            words = [word.replace("{out}", f"{folder}/out") for word in counter.words]
            failure = ""
            try:
                if prepare is not None:
                    run_hook(prepare, deadline_s, cwd=cwd, env=env)
                run_hook((*words, *argv), deadline_s, cwd=cwd, env=env, input=input)
            except HookFailed as error:
                failure = error.message  # the status may be accepted, and the count valid
            if conclude is not None:
                run_hook(conclude, deadline_s, cwd=cwd, env=env)
            text = "\n".join(path.read_text(errors="replace") for path in sorted(Path(folder).iterdir()))
        count = counter.read(text)
        if count is None:
            reason = "not supported by this machine or kernel" if "<not " in text else failure or "it printed no count"
            return {f"{figure}_missing": f"{os.path.basename(counter.words[0])}: {reason}"}
        counts.append(count)
    witnesses: Witnesses = {figure: min(counts)}
    return witnesses if len(set(counts)) == 1 else witnesses | {f"{figure}_most": max(counts)}
