"""The checks of the conformance suite, by what they look at: the protocol, clocks, work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sectax.experiments.on_probe.conversation import ProbeProgram


class CheckFailed(Exception):
    """The probe does not meet what is checked: what was seen, and what its author may do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NotApplicable(Exception):
    """The check says nothing about this probe here: why, and what would change that."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Check:
    """One check of a program that starts it as often as it needs.

    Attributes:
        id: stable; people and scripts refer to it.
        run: says what it saw; raises `CheckFailed`, `NotApplicable`, or whatever went wrong while talking to the probe.
        hint: what the author of a probe that fails may do, where the failure itself does not say better.
    """

    id: str
    run: Callable[[ProbeProgram], str]
    hint: str
