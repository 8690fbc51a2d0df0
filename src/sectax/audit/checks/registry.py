"""All checks of other people's numbers, in the order in which they are reported. A new one is a file and a line."""

from __future__ import annotations

from sectax.audit.checks.consistency import CONTRADICTION
from sectax.audit.checks.failures import UNEQUAL_WORK
from sectax.audit.checks.interface import Check, Outcome
from sectax.audit.checks.quantiles import UNSUPPORTED_QUANTILE
from sectax.audit.checks.said_by_the_tool import SAID_BY_THE_TOOL
from sectax.audit.checks.timer import TIMER
from sectax.audit.form import Evidence

CHECKS: tuple[Check[Evidence], ...] = (
    CONTRADICTION,
    SAID_BY_THE_TOOL,
    UNEQUAL_WORK,
    UNSUPPORTED_QUANTILE,
    TIMER,
)


def review(evidence: Evidence) -> tuple[Outcome, ...]:
    """What every check did with the evidence, also those that do not apply or are silent."""
    return tuple(check.review(evidence) for check in CHECKS)
