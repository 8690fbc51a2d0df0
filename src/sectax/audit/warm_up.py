"""A pilot that ended before the subject had warmed up."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check
from sectax.audit.evidence import Evidence
from sectax.model.finding import Severity, Warning
from sectax.model.treatment import Role

# They are the baseline again, and have its warm-up.
_COPIES = (Role.NEGATIVE, Role.POSITIVE)


def longer_warm_up(evidence: Evidence) -> str:
    """What shows the pilot the end of the warm-up, in a run of this preset."""
    if evidence.preset == "quick":
        return "run it without --quick: longer batches let the pilot see more of it"
    return "run it again when the machine is quieter; where it stays, the subject warms up for longer than a pilot"


def _examine(evidence: Evidence) -> Iterator[Warning]:
    for arm in evidence.arms.values():
        if arm.settled is False and arm.role not in _COPIES:
            yield Warning(
                WARM_UP.id,
                Severity.WARNING,
                arm.id,
                "its speed was still changing when the pilot ended",
                "its first counted batches may belong to its warm-up: part of a difference may be that of warming up",
                longer_warm_up(evidence),
            )


WARM_UP = Check(
    id="warm-up",
    rule="W: the pilot did not see the end of the warm-up",
    applies=lambda evidence: any(arm.settled is not None for arm in evidence.arms.values()),
    examine=_examine,
)
