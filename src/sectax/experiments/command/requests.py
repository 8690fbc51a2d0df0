"""What is said to a launcher, and what it answers, in words for a person too where it went wrong: pure functions.

The language is described in launcher.c.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sectax.hosts.process.errors import describe_exit
from sectax.text.printable import printable

VERSION = 1
# Where the output of a command goes.
NULL, INHERIT = "null", "inherit"
STDERR_OF_LAUNCHER = "-"
HELLO, QUIT = b"hello\n", b"quit\n"


@dataclass(frozen=True)
class Clock:
    """The launcher's monotonic clock: its smallest step and what reading it costs, in seconds."""

    granularity_s: float
    read_s: float


@dataclass(frozen=True)
class Execution:
    """One execution that came to its end.

    Attributes:
        wall_s: from just before the process was made until its end was seen.
        cpu_s: user and system time of the program and of those of its descendants that it waited for; `system_s` is
            what of it was spent in the kernel.
        peak_memory: bytes; the largest of these processes, not their sum.
        status: the exit status; negative is the signal that killed it.
        left: it left processes of its group behind, which were killed.
    """

    wall_s: float
    cpu_s: float
    peak_memory: int
    voluntary_switches: int
    involuntary_switches: int
    status: int
    left: bool
    system_s: float


@dataclass(frozen=True)
class Late:
    """The deadline passed; the whole group was killed."""

    slot: int


@dataclass(frozen=True)
class LauncherRefused:
    """The system did not give what an execution needs: `what` is input, output, errors, process or program."""

    slot: int
    what: str
    errno: int


@dataclass(frozen=True)
class NotPrepared:
    """The preparation ended with a status other than 0."""

    slot: int
    status: int


End = Late | LauncherRefused | NotPrepared


@dataclass(frozen=True)
class Done:
    """The executions that came to their end, and why there are no more of them than that; None where all were made."""

    executions: tuple[Execution, ...]
    end: End | None


def environment(added: Mapping[str, str]) -> bytes:
    return _line("environment", *(_text(f"{name}={value}") for name, value in added.items()))


def program(slot: int, source: str, output: str, errors: str, path: str, argv: Iterable[str]) -> bytes:
    """Define a slot.

    Args:
        source: the file for stdin.
        output, errors: as `truncated` and `appended` make them; *errors* may be `STDERR_OF_LAUNCHER`.
        path: the program itself; *argv* is its arguments, its own name first.
    """
    return _line("program", str(slot), _text(source), output, errors, _text(path), *map(_text, argv))


def truncated(path: str) -> str:
    return ">" + _text(path)


def appended(path: str) -> str:
    return "+" + _text(path)


def run(prepare: int | None, slot: int, times: int, *, strict: bool, deadline_s: float, spin_s: float) -> bytes:
    before = "-" if prepare is None else str(prepare)
    return _line("run", before, str(slot), str(times), str(int(strict)), _nanoseconds(deadline_s), _nanoseconds(spin_s))


def read_hello(line: bytes) -> Clock:
    """Raises `ValueError` for anything but the greeting of a launcher of this version."""
    word, version, granularity, read = line.decode("ascii").split()
    if word != "launcher" or int(version) != VERSION:
        raise ValueError(f"no launcher of version {VERSION}")
    return Clock(int(granularity) * 1e-9, int(read) * 1e-9)


def read_done(line: bytes) -> Done:
    """Raises `ValueError` for anything but the answer to `run`."""
    word, *records = line.decode("ascii").split()
    if word != "done":
        raise ValueError(f"not an answer to a run: {line[:120]!r}")
    end = _end(records.pop()) if records and ":" in records[-1] else None
    return Done(tuple(map(_execution, records)), end)


def _execution(record: str) -> Execution:
    wall, user, system, peak, voluntary, involuntary, status, left = map(int, record.split(","))
    return Execution(
        wall_s=wall * 1e-9,
        cpu_s=(user + system) * 1e-6,
        peak_memory=peak * 1024,
        voluntary_switches=voluntary,
        involuntary_switches=involuntary,
        status=os.waitstatus_to_exitcode(status),
        left=bool(left),
        system_s=system * 1e-6,
    )


def _end(word: str) -> End:
    match word.split(":"):
        case ["late", slot]:
            return Late(int(slot))
        case ["refused", slot, what, errno]:
            return LauncherRefused(int(slot), what, int(errno))
        case ["status", slot, status]:
            return NotPrepared(int(slot), os.waitstatus_to_exitcode(int(status)))
    raise ValueError(f"an end that is not known: {word!r}")


def _line(*words: str) -> bytes:
    return " ".join(words).encode("ascii") + b"\n"


def _text(text: str) -> str:
    plain = os.fsencode(text)
    if b"\0" in plain:
        raise ValueError("a word of a command holds a NUL byte")
    return "x" + plain.hex()


def _nanoseconds(seconds: float) -> str:
    return str(round(seconds * 1e9))


_LAST_LINES = 3
_LAST_WORDS = 300  # characters
_MORE_MEMORY = "give it more memory (free some, or raise the limit of its container or cgroup), or leave it out"


def is_sigkill(status: int) -> bool:
    """Whether SIGKILL ended it. A shell around the program says 137 where the program was killed."""
    return status in (-signal.SIGKILL, 128 + signal.SIGKILL)


def ending(status: int, out_of_memory: bool, hint: str) -> tuple[str, str]:
    return describe_exit(status, out_of_memory), _MORE_MEMORY if out_of_memory else hint


def lateness(deadline_s: float) -> tuple[str, str]:
    return (
        f"was still running after {deadline_s:.3g} s and was killed",
        "raise --timeout, or see by hand what it waits for",
    )


def refusal(refused: LauncherRefused, path: str, source: str, output: str) -> tuple[str, str]:
    """An execution that could not begin: *path* is the program, *source* and *output* its files."""
    reason = os.strerror(refused.errno)
    match refused.what:
        case "input":
            return f"its input {source} cannot be read: {reason}", "give another file to read"
        case "output" | "errors":
            return f"its output {output} cannot be written: {reason}", "give another place for it"
        case "process":
            return f"no process could be made for it: {reason}", "free memory, or raise the limit of processes"
    match refused.errno:
        case errno.ENOENT:  # the program itself was found before
            return f"{path} is gone, or the interpreter that its first line names is not there", "fix its first line"
        case errno.ENOEXEC:
            return f"{path} is no program that this system can run", "a script needs a first line such as #!/bin/sh"
    return f"{path} could not be started: {reason}", "run it by hand to see why"


def last_words(stderr: bytes) -> str:
    """The last lines that say something, as untrusted as they are; empty where there are none."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()][-_LAST_LINES:]
    return f"; last on its stderr: {printable(b' | '.join(lines), _LAST_WORDS)}" if lines else ""
