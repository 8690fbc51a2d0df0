"""Errors with a message, a hint and the exit status of the program."""

from __future__ import annotations

from enum import IntEnum

from sectax.model.why_not import WhyNot


class ExitStatus(IntEnum):
    """The documented exit statuses of the program."""

    DONE = 0
    GATE_MISSED = 1
    WRONG_USE = 2
    NOTHING_MEASURED = 3
    INCONCLUSIVE = 4  # a condition of --fail-if neither holds nor is ruled out
    FAULT = 70  # a bug in sectax (EX_SOFTWARE of sysexits.h)
    INTERRUPTED = 130


class SectaxError(Exception):
    """An error for the user: message, and a hint what to try next (both in `why_not`)."""

    exit_status = ExitStatus.WRONG_USE

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.why_not = WhyNot(message, hint)

    @property
    def message(self) -> str:
        return self.why_not.reason

    @property
    def hint(self) -> str:
        return self.why_not.hint


class WrongUse(SectaxError):
    """The command line is invalid or contradicts itself."""


class BadRecord(SectaxError):
    """A file is not a run file, is damaged, or comes from a newer version."""


class NothingMeasured(SectaxError):
    """No comparison could be measured."""

    exit_status = ExitStatus.NOTHING_MEASURED


class BudgetTooSmall(NothingMeasured):
    """The budget cannot hold a first verdict; the message gives one that can."""


class RecordNotWritable(SectaxError):
    """The run file can no longer be written (full disk, no permission, deleted)."""

    exit_status = ExitStatus.NOTHING_MEASURED


class SessionOver(SectaxError):
    """A service that all subjects need failed; the run can be resumed."""

    exit_status = ExitStatus.INTERRUPTED


class SubjectFailed(SectaxError):
    """A subject failed in one trial (`stage`: open, visit or close)."""

    exit_status = ExitStatus.NOTHING_MEASURED

    def __init__(self, message: str, hint: str = "", stage: str = "visit") -> None:
        super().__init__(message, hint)
        self.stage = stage


class SubjectSkipped(SectaxError):
    """A treatment is not available here; the message is the reason."""

    exit_status = ExitStatus.NOTHING_MEASURED
