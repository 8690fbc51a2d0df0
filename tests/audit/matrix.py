"""What every check says of every figure, as a matrix."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from sectax.audit.checks.interface import Outcome
from sectax.model.finding import AuditWarning, Severity


class State(StrEnum):
    FATAL = "F"
    WARNING = "W"
    CANNOT = "cannot"
    SILENT = "silent"
    DOES_NOT_APPLY = "does-not-apply"


_STATES = {Severity.FATAL: State.FATAL, Severity.WARNING: State.WARNING, Severity.NOTE: State.CANNOT}
_GRAVEST_FIRST = tuple(_STATES)

# The key of a check that judges comparisons, or the source as a whole, and has nothing to say.
WHOLE = "(whole)"


def states(outcome: Outcome, figures: Iterable[str]) -> dict[str, State]:
    """The state of each of the figures under one check, by id.

    What is said of no single figure stands under its subject in brackets, as '(get against head)' or '(all figures)'.
    """
    said: dict[str, list[AuditWarning]] = {}
    for warning in outcome.warnings:
        for key in warning.figures or (f"({warning.subject})",):
            said.setdefault(key, []).append(warning)
    every = dict.fromkeys(figures, State.DOES_NOT_APPLY)
    if outcome.applies:
        every |= dict.fromkeys(outcome.seen, State.SILENT)
        if not outcome.seen and not said:
            every[WHOLE] = State.SILENT
    return every | {key: _gravest(warnings) for key, warnings in said.items()}


def _gravest(warnings: list[AuditWarning]) -> State:
    return _STATES[min((warning.severity for warning in warnings), key=_GRAVEST_FIRST.index)]
