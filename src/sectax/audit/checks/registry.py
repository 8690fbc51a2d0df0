"""All checks of published numbers.

A new check is a file, and a word in the order of the report.
"""

from __future__ import annotations

from sectax.audit import checks
from sectax.audit.checks.interface import Check, CheckOutcome, load_checks
from sectax.audit.form import Evidence

# Of both kinds of evidence: those that are not in this package are of sectax runs alone (`audit.own`).
ORDER = (
    "negative-control positive-control uncontrolled barely-found flat-with-size contained-work faster-than-physics "
    "contradiction said-by-the-tool fixed-time-total zero-event-run short-run saturated-client slow-bucket "
    "metadata-cost less-work mislabelled-level unequal-work unequal-instruments no-baseline apples-and-oranges "
    "unequal-batches copied-data first-trial drift modes unsupported-quantile false-replication timer throttling "
    "memory-floor wall-against-cpu lost-blocks warm-up"
)
CHECKS: tuple[Check[Evidence], ...] = load_checks(checks, ORDER)


def review(evidence: Evidence) -> tuple[CheckOutcome, ...]:
    """Run every check on the evidence."""
    return tuple(check.review(evidence) for check in CHECKS)
