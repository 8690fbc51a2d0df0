"""What a treatment declares, and what was witnessed of it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, cannot_be_checked, fatal
from sectax.audit.own.evidence import RunEvidence
from sectax.model.subject import Witness


def _arms(evidence: RunEvidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        for name, declared in arm.declares.items():
            seen = None if arm.witnesses is None else arm.witnesses.get(name)
            if not seen:
                yield cannot_be_checked(arm.id, f"{name} should be {declared}, and nothing witnessed what it is")
                continue
            wrong = [value for value in seen if not same(declared, value)]
            if wrong:
                yield fatal(
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


MISLABELLED_LEVEL: Check[RunEvidence] = Check(
    id="mislabelled-level",
    rule="F: what was declared of a level differs from what was witnessed of the real thing",
    examine=_arms,
    applies=lambda evidence: any(arm.declares for arm in evidence.arms.values()),
)
