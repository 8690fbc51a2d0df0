"""All checks of our own runs, in the order in which they are reported. A new one is a file and a line."""

from __future__ import annotations

from collections.abc import Iterable

from sectax.audit.checks.interface import Check, Outcome
from sectax.audit.own.changed_witness import CHANGED_WITNESS
from sectax.audit.own.client import SATURATED_CLIENT
from sectax.audit.own.clock import TIMER
from sectax.audit.own.contained import CONTAINED_WORK
from sectax.audit.own.controls import NEGATIVE_CONTROL, POSITIVE_CONTROL, UNCONTROLLED
from sectax.audit.own.copies import COPIED_DATA
from sectax.audit.own.drift import DRIFT
from sectax.audit.own.evidence import RunEvidence
from sectax.audit.own.first_batch import FIRST_TRIAL, WARM_UP
from sectax.audit.own.growth import FLAT_WITH_SIZE
from sectax.audit.own.less_work import LESS_WORK
from sectax.audit.own.metadata_cost import METADATA_COST
from sectax.audit.own.modes import MODES
from sectax.audit.own.physics import FASTER_THAN_PHYSICS
from sectax.audit.own.planned import NOT_AS_PLANNED
from sectax.audit.own.replication import FALSE_REPLICATION
from sectax.audit.own.run import evidence_of
from sectax.audit.own.seal import SEAL
from sectax.audit.own.slow_bucket import SLOW_BUCKET
from sectax.audit.own.tails import UNSUPPORTED_QUANTILE
from sectax.audit.own.throttling import THROTTLING
from sectax.audit.own.trials import FIXED_TIME_TOTAL, ZERO_EVENT_RUN
from sectax.audit.own.unequal_batches import UNEQUAL_BATCHES
from sectax.audit.own.wall_against_cpu import WALL_AGAINST_CPU
from sectax.audit.own.weak_claims import BARELY_FOUND, LOST_BLOCKS
from sectax.audit.own.witnesses import MISLABELLED_LEVEL
from sectax.audit.own.work import UNEQUAL_WORK
from sectax.model.finding import AuditWarning, Finding
from sectax.model.measured import Measured

CHECKS: tuple[Check[RunEvidence], ...] = (
    SEAL,
    NOT_AS_PLANNED,
    CHANGED_WITNESS,
    NEGATIVE_CONTROL,
    POSITIVE_CONTROL,
    UNCONTROLLED,
    BARELY_FOUND,
    FLAT_WITH_SIZE,
    CONTAINED_WORK,
    FASTER_THAN_PHYSICS,
    FIXED_TIME_TOTAL,
    ZERO_EVENT_RUN,
    SATURATED_CLIENT,
    SLOW_BUCKET,
    METADATA_COST,
    LESS_WORK,
    MISLABELLED_LEVEL,
    UNEQUAL_WORK,
    UNEQUAL_BATCHES,
    COPIED_DATA,
    FIRST_TRIAL,
    DRIFT,
    MODES,
    UNSUPPORTED_QUANTILE,
    FALSE_REPLICATION,
    TIMER,
    THROTTLING,
    WALL_AGAINST_CPU,
    LOST_BLOCKS,
    WARM_UP,
)


def review(evidence: RunEvidence) -> tuple[Outcome, ...]:
    """What every check did with the evidence, also those that do not apply or are silent."""
    return tuple(check.review(evidence) for check in CHECKS)


def run(measured: Measured, findings: Iterable[Finding]) -> tuple[AuditWarning, ...]:
    """Every check on a run of ours."""
    return tuple(warning for outcome in review(evidence_of(measured, findings)) for warning in outcome.warnings)
