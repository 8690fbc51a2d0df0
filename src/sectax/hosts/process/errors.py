"""Errors of child processes."""

from __future__ import annotations

import signal

from sectax.text.masking import masked
from sectax.text.printable import printable


class ChildError(Exception):
    """Base class of errors of a child process."""

    def __init__(self, message: str, stderr_tail: bytes = b"") -> None:
        super().__init__(message)
        self.stderr_tail = masked(stderr_tail)

    @property
    def last_line(self) -> str:
        """The last non-empty line of stderr; empty for none."""
        return last_line(self.stderr_tail)


class ChildNotStarted(ChildError):
    """The program could not be started; `reason` is the system's."""

    def __init__(self, program: str, reason: str) -> None:
        super().__init__(f"{program} could not be started: {reason}")
        self.program = program
        self.reason = reason


class ChildDied(ChildError):
    """The child has ended, or closed its stdout.

    Attributes:
        exit_status: negative for a signal, as in `subprocess`; None if it is still running.
        out_of_memory: whether the kernel killed it for lack of memory.
    """

    def __init__(self, exit_status: int | None, *, out_of_memory: bool, stderr_tail: bytes) -> None:
        super().__init__(describe_exit(exit_status, out_of_memory), stderr_tail)
        self.exit_status = exit_status
        self.out_of_memory = out_of_memory


class ChildSilent(ChildError):
    """The child did not answer within `seconds`."""

    def __init__(self, seconds: float, stderr_tail: bytes = b"") -> None:
        super().__init__(f"no answer within {seconds:.1f} s", stderr_tail)
        self.seconds = seconds


class ChildFlooded(ChildError):
    """The child wrote `bytes` bytes without a line break."""

    def __init__(self, size: int, stderr_tail: bytes = b"") -> None:
        super().__init__(f"{size} bytes without a line break", stderr_tail)
        self.bytes = size


def last_line(stderr: bytes) -> str:
    """The last non-empty line, safe to print; empty for none."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return printable(lines[-1], 200) if lines else ""


def describe_exit(exit_status: int | None, out_of_memory: bool = False) -> str:
    """Describe an exit status: `exit status 137, killed for memory`."""
    if exit_status is None:
        return "it closed its pipe but is still running"
    if exit_status >= 0:
        return f"exit status {exit_status}" + (", killed for memory" if out_of_memory else "")
    number = -exit_status
    if out_of_memory:
        return f"exit status {128 + number}, killed for memory"
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return f"exit status {128 + number}, killed by {name}"
