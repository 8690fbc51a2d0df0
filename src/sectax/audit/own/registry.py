"""All checks of our own runs.

A new check is a function, and a word in the order of the report.
"""

from __future__ import annotations

from collections.abc import Iterable

from sectax.audit import own
from sectax.audit.checks.interface import Check, CheckOutcome, load_checks
from sectax.audit.own.evidence import RunEvidence
from sectax.model.finding import AuditWarning, Finding
from sectax.model.measured import Measured

CHECKS: tuple[Check[RunEvidence], ...] = load_checks(
    own,
    "negative-control positive-control uncontrolled barely-found flat-with-size contained-work "
    "faster-than-physics fixed-time-total zero-event-run saturated-client slow-bucket metadata-cost less-work "
    "mislabelled-level unequal-work unequal-batches first-trial drift modes unsupported-quantile timer throttling "
    "memory-floor wall-against-cpu lost-blocks warm-up",
)


def review(evidence: RunEvidence) -> tuple[CheckOutcome, ...]:
    """Run every check on the evidence."""
    return tuple(check.review(evidence) for check in CHECKS)


def run(measured: Measured, findings: Iterable[Finding]) -> tuple[AuditWarning, ...]:
    """Run every check, and return its warnings."""
    return tuple(warning for outcome in review(RunEvidence(measured, tuple(findings))) for warning in outcome.warnings)
