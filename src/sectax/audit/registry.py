"""All checks, in the order in which they are printed. A new one is a file beside this and a line below."""

from __future__ import annotations

from collections.abc import Iterable

from sectax.audit.check import Check, Outcome
from sectax.audit.controls import NEGATIVE_CONTROL, POSITIVE_CONTROL, UNCONTROLLED
from sectax.audit.evidence import Evidence, evidence_of
from sectax.audit.lost_blocks import LOST_BLOCKS
from sectax.audit.mislabelled_level import MISLABELLED_LEVEL
from sectax.audit.throttling import THROTTLING
from sectax.audit.timer import TIMER
from sectax.audit.unequal_work import UNEQUAL_WORK
from sectax.audit.warm_up import WARM_UP
from sectax.model.finding import Finding, Warning
from sectax.model.measured import Measured

checks: tuple[Check, ...] = (
    NEGATIVE_CONTROL,
    POSITIVE_CONTROL,
    UNCONTROLLED,
    MISLABELLED_LEVEL,
    UNEQUAL_WORK,
    TIMER,
    THROTTLING,
    LOST_BLOCKS,
    WARM_UP,
)


def run(measured: Measured, findings: Iterable[Finding]) -> tuple[Warning, ...]:
    """Every check on a run of ours."""
    return examine(evidence_of(measured, findings))


def examine(evidence: Evidence) -> tuple[Warning, ...]:
    """Every check that applies, on evidence from wherever it comes."""
    return tuple(warning for outcome in review(evidence) for warning in outcome.warnings)


def review(evidence: Evidence) -> tuple[Outcome, ...]:
    """What every check did with the evidence, also those that do not apply or are silent."""
    return tuple(
        Outcome(check.id, check.rule, applies, tuple(check.examine(evidence)) if applies else ())
        for check in checks
        for applies in (check.applies(evidence),)
    )
