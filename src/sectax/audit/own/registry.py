"""All checks of our own runs: those of published numbers that judge a run alike, and those of this package."""

from __future__ import annotations

from collections.abc import Iterable

from sectax.audit import own
from sectax.audit.checks import registry
from sectax.audit.checks.interface import Check, CheckOutcome, load_checks
from sectax.audit.own.evidence import RunEvidence
from sectax.model.finding import AuditWarning, Finding
from sectax.model.measured import Measured

CHECKS: tuple[Check[RunEvidence], ...] = load_checks(
    own, registry.ORDER, *(check for check in registry.CHECKS if check.runs)
)


def review(evidence: RunEvidence) -> tuple[CheckOutcome, ...]:
    """Run every check on the evidence."""
    return tuple(check.review(evidence) for check in CHECKS)


def run(measured: Measured, findings: Iterable[Finding]) -> tuple[AuditWarning, ...]:
    """Run every check, and return its warnings."""
    return tuple(warning for outcome in review(RunEvidence(measured, tuple(findings))) for warning in outcome.warnings)
