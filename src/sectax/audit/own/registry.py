"""All checks of our own runs, in the order in which they are reported."""

from __future__ import annotations

from collections.abc import Iterable

from sectax.audit.checks.interface import Check, Outcome
from sectax.audit.own import claims, controls, done, machine, record, shape, work
from sectax.audit.own.evidence import RunEvidence
from sectax.audit.own.run import evidence_of
from sectax.audit.own.slow_bucket import SLOW_BUCKET
from sectax.model.finding import AuditWarning, Finding
from sectax.model.measured import Measured

CHECKS: tuple[Check[RunEvidence], ...] = (
    record.SEAL,
    record.NOT_AS_PLANNED,
    record.CHANGED_WITNESS,
    controls.NEGATIVE_CONTROL,
    controls.POSITIVE_CONTROL,
    controls.UNCONTROLLED,
    claims.BARELY_FOUND,
    done.FLAT_WITH_SIZE,
    done.CONTAINED_WORK,
    done.FASTER_THAN_PHYSICS,
    done.FIXED_TIME_TOTAL,
    done.ZERO_EVENT_RUN,
    done.SATURATED_CLIENT,
    SLOW_BUCKET,
    work.METADATA_COST,
    work.LESS_WORK,
    work.MISLABELLED_LEVEL,
    work.UNEQUAL_WORK,
    machine.UNEQUAL_BATCHES,
    shape.FIRST_TRIAL,
    shape.DRIFT,
    shape.MODES,
    claims.UNSUPPORTED_QUANTILE,
    machine.TIMER,
    machine.THROTTLING,
    machine.WALL_AGAINST_CPU,
    claims.LOST_BLOCKS,
    shape.WARM_UP,
)


def review(evidence: RunEvidence) -> tuple[Outcome, ...]:
    """What every check did with the evidence, also those that do not apply or are silent."""
    return tuple(check.review(evidence) for check in CHECKS)


def run(measured: Measured, findings: Iterable[Finding]) -> tuple[AuditWarning, ...]:
    """Every check on a run of ours."""
    return tuple(warning for outcome in review(evidence_of(measured, findings)) for warning in outcome.warnings)
