"""What became of every check of the audit."""

from __future__ import annotations

from sectax.audit.check import Outcome
from sectax.model.audited import Checked, Status
from sectax.model.finding import Severity


def checked(outcome: Outcome) -> Checked:
    """A check and what it said."""
    return Checked(outcome.check, outcome.rule, status(outcome), outcome.warnings)


def status(outcome: Outcome) -> Status:
    """What became of a check."""
    if not outcome.applies:
        return Status.NOT_APPLICABLE
    if any(warning.severity is not Severity.NOTE for warning in outcome.warnings):
        return Status.FIRED
    return Status.UNCHECKED if any(warning.missing for warning in outcome.warnings) else Status.SILENT
