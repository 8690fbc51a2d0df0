"""The checks of the conformance suite: protocol, clocks, work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sectax.experiments.on_probe.conversation import ProbeProgram


class CheckFailed(Exception):
    """The probe fails a check: the message, and a hint for its author."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NotApplicable(Exception):
    """The check cannot judge this probe here: the reason, and a hint."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Check:
    """One check of a program, which it may start several times.

    Attributes:
        id: stable identifier.
        run: returns an observation; raises `CheckFailed`, `NotApplicable`, or a `ProbeTrouble`.
        hint: hint for the author of a failing probe, if the failure has none.
    """

    id: str
    run: Callable[[ProbeProgram], str]
    hint: str
