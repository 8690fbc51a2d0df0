"""Requests and replies of a launcher (launcher.c), and its failures."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sectax.hosts.process.errors import describe_exit
from sectax.text.masking import masked
from sectax.text.printable import printable

VERSION = 1
NULL, INHERIT = "null", "inherit"
STDERR_OF_LAUNCHER = "-"
HELLO, QUIT = b"hello\n", b"quit\n"


@dataclass(frozen=True)
class Clock:
    """Resolution and read cost of the launcher's monotonic clock, in seconds."""

    granularity_s: float
    read_s: float


@dataclass(frozen=True)
class Execution:
    """One complete execution.

    Attributes:
        wall_s: from before the process was created until its end was noticed.
        cpu_s: user and system time of the program and the descendants that it waited for.
        peak_memory: bytes of the largest of these processes.
        status: exit status, or the negative signal number.
        left: whether it left processes, which were killed.
        system_s: system time in `cpu_s`.
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
    """Killed at the deadline."""

    slot: int


@dataclass(frozen=True)
class LauncherRefused:
    """A resource was unavailable: `what` is input, output, errors, process or program."""

    slot: int
    what: str
    errno: int


@dataclass(frozen=True)
class HookStatus:
    """The preparation or conclusion ended with a status other than 0."""

    slot: int
    status: int


End = Late | LauncherRefused | HookStatus


@dataclass(frozen=True)
class Done:
    """Complete executions, and why there are no more, or None."""

    executions: tuple[Execution, ...]
    end: End | None


def environment(added: Mapping[str, str]) -> bytes:
    return _line("environment", *(_text(f"{name}={value}") for name, value in added.items()))


def program(slot: int, source: str, output: str, errors: str, path: str, argv: Iterable[str]) -> bytes:
    """Define a slot.

    Args:
        source: file for stdin.
        output, errors: from `truncated` or `appended`; *errors* may be `STDERR_OF_LAUNCHER`.
    """
    return _line("program", str(slot), _text(source), output, errors, _text(path), *map(_text, argv))


def truncated(path: str) -> str:
    return ">" + _text(path)


def appended(path: str) -> str:
    return "+" + _text(path)


def run(
    prepare: int | None,
    slot: int,
    times: int,
    *,
    conclude: int | None = None,
    strict: bool,
    deadline_s: float,
    spin_s: float,
) -> bytes:
    before, after = ("-" if hook is None else str(hook) for hook in (prepare, conclude))
    limits = _nanoseconds(deadline_s), _nanoseconds(spin_s)
    return _line("run", before, str(slot), after, str(times), str(int(strict)), *limits)


def read_hello(line: bytes) -> Clock:
    """Parse the greeting. Raises `ValueError`."""
    word, version, granularity, read = line.decode("ascii").split()
    if word != "launcher" or int(version) != VERSION:
        raise ValueError(f"not a launcher of version {VERSION}")
    return Clock(int(granularity) * 1e-9, int(read) * 1e-9)


def read_done(line: bytes) -> Done:
    """Parse the answer to `run`. Raises `ValueError`."""
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
            return HookStatus(int(slot), os.waitstatus_to_exitcode(int(status)))
    raise ValueError(f"unknown end: {word!r}")


def _line(*words: str) -> bytes:
    return " ".join(words).encode("ascii") + b"\n"


def _text(text: str) -> str:
    plain = os.fsencode(text)
    if b"\0" in plain:
        raise ValueError("a word of a command contains a NUL byte")
    return "x" + plain.hex()


def _nanoseconds(seconds: float) -> str:
    return str(round(seconds * 1e9))


_LAST_LINES = 3
_TAIL = 300  # characters
_MORE_MEMORY = "give it more memory (free some, or raise the limit of its container or cgroup), or omit it"


def is_sigkill(status: int) -> bool:
    """Whether SIGKILL ended it, or its shell reports so (137)."""
    return status in (-signal.SIGKILL, 128 + signal.SIGKILL)


def exit_message(status: int, out_of_memory: bool, hint: str) -> tuple[str, str]:
    return describe_exit(status, out_of_memory), _MORE_MEMORY if out_of_memory else hint


def timeout_message(deadline_s: float) -> tuple[str, str]:
    what = f"was still running after {deadline_s:,.6g} s and was killed"
    return what, "raise --timeout (and --budget), or run it by hand"


def refusal_message(refused: LauncherRefused, path: str, source: str, output: str) -> tuple[str, str]:
    """Message and hint for an execution that could not start."""
    reason = os.strerror(refused.errno)
    match refused.what:
        case "input":
            return f"its input {source} cannot be read: {reason}", "give another file to read"
        case "output" | "errors":
            return f"its output {output} cannot be written: {reason}", "give another file"
        case "process":
            return f"no process could be created: {reason}", "free memory, or raise the limit on processes"
    match refused.errno:
        case errno.ENOENT:  # the program existed before
            return f"{path} or the interpreter in its first line does not exist", "check its first line"
        case errno.ENOEXEC:
            return f"{path} is not executable on this system", "a script needs a first line such as #!/bin/sh"
    return f"{path} could not be started: {reason}", "run it by hand to see why"


def stderr_message(stderr: bytes) -> str:
    """The last lines of stderr, to append to a message."""
    lines = [line.strip() for line in masked(stderr).splitlines() if line.strip()][-_LAST_LINES:]
    return f"; last on its stderr: {printable(b' | '.join(lines), _TAIL)}" if lines else ""
