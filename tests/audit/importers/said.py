"""What the checks say of a file, as the tests compare it."""

from __future__ import annotations

from sectax.audit.evidence import Evidence
from sectax.audit.registry import review
from sectax.model.finding import Severity


def said(evidence: Evidence) -> dict[str, tuple[str, str]]:
    """Check -> the severity and the words of the gravest thing that it says, of F and W."""
    found: dict[str, tuple[str, str]] = {}
    for outcome in review(evidence):
        for warning in outcome.warnings:
            if warning.severity is not Severity.NOTE and found.get(outcome.check, ("W", ""))[0] != "F":
                found[outcome.check] = (warning.severity.value, warning.saw)
    return found
