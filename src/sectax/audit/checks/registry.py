"""All checks of other people's numbers, in the order in which they are reported. A new one is a file and a line."""

from __future__ import annotations

from sectax.audit.checks.baseline import NO_BASELINE
from sectax.audit.checks.comparability import APPLES_AND_ORANGES
from sectax.audit.checks.consistency import CONTRADICTION
from sectax.audit.checks.contained import CONTAINED_WORK
from sectax.audit.checks.copies import COPIED_DATA
from sectax.audit.checks.drift import DRIFT
from sectax.audit.checks.failures import UNEQUAL_WORK
from sectax.audit.checks.first_trial import FIRST_TRIAL
from sectax.audit.checks.fixed_time import FIXED_TIME_TOTAL
from sectax.audit.checks.growth import FLAT_WITH_SIZE
from sectax.audit.checks.instruments import UNEQUAL_INSTRUMENTS
from sectax.audit.checks.interface import Check, Outcome
from sectax.audit.checks.labels import MISLABELLED_LEVEL
from sectax.audit.checks.modes import MODES
from sectax.audit.checks.nothing_counted import ZERO_EVENT_RUN
from sectax.audit.checks.physics import FASTER_THAN_PHYSICS
from sectax.audit.checks.quantiles import UNSUPPORTED_QUANTILE
from sectax.audit.checks.replication import FALSE_REPLICATION
from sectax.audit.checks.said_by_the_tool import SAID_BY_THE_TOOL
from sectax.audit.checks.saturated_client import SATURATED_CLIENT
from sectax.audit.checks.short_run import SHORT_RUN
from sectax.audit.checks.timer import TIMER
from sectax.audit.form import Evidence

CHECKS: tuple[Check[Evidence], ...] = (
    FLAT_WITH_SIZE,
    CONTAINED_WORK,
    FASTER_THAN_PHYSICS,
    CONTRADICTION,
    SAID_BY_THE_TOOL,
    FIXED_TIME_TOTAL,
    ZERO_EVENT_RUN,
    SHORT_RUN,
    SATURATED_CLIENT,
    MISLABELLED_LEVEL,
    UNEQUAL_WORK,
    UNEQUAL_INSTRUMENTS,
    NO_BASELINE,
    APPLES_AND_ORANGES,
    COPIED_DATA,
    FIRST_TRIAL,
    DRIFT,
    MODES,
    UNSUPPORTED_QUANTILE,
    FALSE_REPLICATION,
    TIMER,
)


def review(evidence: Evidence) -> tuple[Outcome, ...]:
    """What every check did with the evidence, also those that do not apply or are silent."""
    return tuple(check.review(evidence) for check in CHECKS)
