"""What is said to a launcher, and what it answers: pure functions. The language is described in launcher.c."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

VERSION = 1
STDERR_OF_LAUNCHER = "-"


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
class Refused:
    """The system did not give what an execution needs: `what` is input, output, errors, process or program."""

    slot: int
    what: str
    errno: int


@dataclass(frozen=True)
class NotPrepared:
    """The preparation ended with a status other than 0."""

    slot: int
    status: int


End = Late | Refused | NotPrepared


@dataclass(frozen=True)
class Done:
    """The executions that came to their end, and why there are no more of them than that; None where all were made."""

    executions: tuple[Execution, ...]
    end: End | None


def hello() -> bytes:
    return b"hello\n"


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


def hook(slot: int, deadline_s: float) -> bytes:
    return _line("hook", str(slot), _nanoseconds(deadline_s))


def quit_() -> bytes:
    return b"quit\n"


def read_hello(line: bytes) -> Clock:
    """Raises `ValueError` for anything but the greeting of a launcher of this version."""
    word, version, granularity, read = line.decode("ascii").split()
    if word != "launcher" or int(version) != VERSION:
        raise ValueError(f"no launcher of version {VERSION}")
    return Clock(int(granularity) * 1e-9, int(read) * 1e-9)


def read_done(line: bytes) -> Done:
    """Raises `ValueError` for anything but the answer to `run` or `hook`."""
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
            return Refused(int(slot), what, int(errno))
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
