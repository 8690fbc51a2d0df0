"""A level says one thing and the real thing says another."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.check import Check, cannot_be_checked
from sectax.audit.evidence import Evidence
from sectax.model.finding import Severity, Warning
from sectax.model.subject import Witness


def _examine(evidence: Evidence) -> Iterator[Warning]:
    for arm in evidence.arms.values():
        for name, declared in arm.declares.items():
            seen = None if arm.witnesses is None else arm.witnesses.get(name)
            if not seen:
                yield cannot_be_checked(
                    MISLABELLED_LEVEL.id, arm.id, f"{name} should be {declared}, and nothing witnessed what it is"
                )
                continue
            wrong = [value for value in seen if not same(declared, value)]
            if wrong:
                yield Warning(
                    MISLABELLED_LEVEL.id,
                    Severity.FATAL,
                    arm.id,
                    f"{name} was declared as {declared} and witnessed as {', '.join(map(str, wrong))}",
                    "something else was measured than the label says",
                    "find out why the subject does not do what it is told, or correct the label",
                )


def same(declared: Witness, witnessed: Witness) -> bool:
    """Whether two values mean the same: 2048 is "2048" and 1769.0, but true is not 1."""
    if isinstance(declared, bool) or isinstance(witnessed, bool):
        return declared is witnessed
    if isinstance(declared, int | float) and isinstance(witnessed, int | float):
        return math.isclose(declared, witnessed, rel_tol=1e-9)
    return str(declared) == str(witnessed)


MISLABELLED_LEVEL = Check(
    id="mislabelled-level",
    rule="F: what was declared of a level differs from what was witnessed of the real thing",
    applies=lambda evidence: any(arm.declares for arm in evidence.arms.values()),
    examine=_examine,
)
