"""All checks, in the order in which they are printed. A new one is a file beside this and a line below."""

from __future__ import annotations

from collections.abc import Iterable

from sectax.audit.as_planned import CHANGED_COUNTS, MISSING_BLOCKS, MISSING_OBSERVATIONS, OTHER_ORDER
from sectax.audit.changed_witness import CHANGED_WITNESS
from sectax.audit.check import Check, Outcome
from sectax.audit.contained_work import CONTAINED_WORK
from sectax.audit.contradictions import CONTRADICTION, SAID_BY_THE_TOOL
from sectax.audit.controls import NEGATIVE_CONTROL, POSITIVE_CONTROL, UNCONTROLLED
from sectax.audit.copied_blocks import COPIED_BLOCKS
from sectax.audit.drift import DRIFT
from sectax.audit.duplicate_data import DUPLICATE_DATA
from sectax.audit.every_nth_block import EVERY_NTH_BLOCK
from sectax.audit.evidence import Evidence
from sectax.audit.false_replication import FALSE_REPLICATION
from sectax.audit.faster_than_physics import FASTER_THAN_PHYSICS
from sectax.audit.first_trial import FIRST_TRIAL, WARM_UP
from sectax.audit.flat_with_size import FLAT_WITH_SIZE
from sectax.audit.impossible_times import IMPOSSIBLE_TIMES
from sectax.audit.less_work import LESS_WORK
from sectax.audit.metadata_cost import METADATA_COST
from sectax.audit.mislabelled_level import MISLABELLED_LEVEL
from sectax.audit.modes import MODES
from sectax.audit.own_run import evidence_of
from sectax.audit.saturated_client import SATURATED_CLIENT
from sectax.audit.seal import SEAL
from sectax.audit.short_run import SHORT_RUN
from sectax.audit.sides import APPLES_AND_ORANGES, NO_BASELINE, UNEQUAL_INSTRUMENTS
from sectax.audit.throttling import THROTTLING
from sectax.audit.timer import TIMER
from sectax.audit.trials import FIXED_TIME_TOTAL, ZERO_EVENT_RUN
from sectax.audit.unequal_batches import UNEQUAL_BATCHES
from sectax.audit.unequal_work import UNEQUAL_WORK
from sectax.audit.unsupported_quantile import UNSUPPORTED_QUANTILE
from sectax.audit.wall_against_cpu import WALL_AGAINST_CPU
from sectax.audit.weak_claims import BARELY_FOUND, LOST_BLOCKS
from sectax.model.finding import AuditWarning, Finding
from sectax.model.measured import Measured

checks: tuple[Check, ...] = (
    SEAL,
    MISSING_OBSERVATIONS,
    MISSING_BLOCKS,
    OTHER_ORDER,
    COPIED_BLOCKS,
    CHANGED_COUNTS,
    IMPOSSIBLE_TIMES,
    CHANGED_WITNESS,
    NEGATIVE_CONTROL,
    POSITIVE_CONTROL,
    UNCONTROLLED,
    BARELY_FOUND,
    FLAT_WITH_SIZE,
    CONTAINED_WORK,
    FASTER_THAN_PHYSICS,
    CONTRADICTION,
    SAID_BY_THE_TOOL,
    FIXED_TIME_TOTAL,
    ZERO_EVENT_RUN,
    SHORT_RUN,
    SATURATED_CLIENT,
    METADATA_COST,
    LESS_WORK,
    MISLABELLED_LEVEL,
    UNEQUAL_WORK,
    UNEQUAL_BATCHES,
    UNEQUAL_INSTRUMENTS,
    NO_BASELINE,
    APPLES_AND_ORANGES,
    DUPLICATE_DATA,
    FIRST_TRIAL,
    DRIFT,
    MODES,
    EVERY_NTH_BLOCK,
    UNSUPPORTED_QUANTILE,
    FALSE_REPLICATION,
    TIMER,
    THROTTLING,
    WALL_AGAINST_CPU,
    LOST_BLOCKS,
    WARM_UP,
)


def run(measured: Measured, findings: Iterable[Finding]) -> tuple[AuditWarning, ...]:
    """Every check on a run of ours."""
    return examine(evidence_of(measured, findings))


def examine(evidence: Evidence) -> tuple[AuditWarning, ...]:
    """Every check that applies, on evidence from wherever it comes."""
    return tuple(warning for outcome in review(evidence) for warning in outcome.warnings)


def review(evidence: Evidence) -> tuple[Outcome, ...]:
    """What every check did with the evidence, also those that do not apply or are silent."""
    return tuple(check.review(evidence) for check in checks)
