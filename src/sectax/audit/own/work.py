"""Two arms that did not do the same work cannot be compared by the time it took."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, cannot_be_checked, fatal
from sectax.audit.own.evidence import Arm, RunEvidence
from sectax.audit.own.witnesses import same
from sectax.model.subject import Witness
from sectax.stats.binomial import clopper_pearson

# Of all counted operations.
MOST_ERRORS = 0.001


FAST_FAILURES = "a failed operation is often a fast one: the figure is not that of the work"


FIX = "fix what fails, then measure"


NOT_THE_SAME = "the two did not do the same work"


def _unwitnessed(evidence: RunEvidence) -> Iterator[Remark]:
    """One note for the run where a whole cell does not tell a witness, one for an arm that alone does not tell it."""
    silent = []
    for name in evidence.equal_witnesses:
        telling = {arm.cell for arm in evidence.arms.values() if _seen(name, arm)}
        if any(arm.cell not in telling for arm in evidence.arms.values()):
            silent.append(name)
        for arm in evidence.arms.values():
            if arm.cell in telling and not _seen(name, arm):
                yield cannot_be_checked(arm.id, f"{name} shows whether the work is equal, and nothing witnessed it")
    if silent:
        missing = f"whether the work was equal: not all subjects report {', '.join(silent)}"
        yield cannot_be_checked("run", missing)


def _errors(arm: Arm) -> Iterator[Remark]:
    # An operation that fails takes its whole trial with it, so what was counted without a word of errors has none.
    if arm.errors is None or arm.batches is None or arm.batches.operations < 1:
        return
    share = arm.errors / arm.batches.operations
    if share > MOST_ERRORS:
        yield fatal(
            arm.id,
            f"{arm.errors:.0f} of {arm.batches.operations} operations failed ({100 * share:.2f} %)",
            FAST_FAILURES,
            FIX,
        )


def _differing_errors(treatment: Arm, baseline: Arm) -> Iterator[Remark]:
    """F where the shares of failed operations differ by more than chance, however small they are."""
    shares = []
    for arm in (treatment, baseline):
        if arm.errors is None or arm.batches is None or arm.batches.operations < arm.errors:
            return
        shares.append(clopper_pearson(round(arm.errors), arm.batches.operations, 0.99))
    (low, high), (other_low, other_high) = shares
    if low > other_high or high < other_low:
        yield fatal(
            treatment.id,
            f"{treatment.errors:.0f} operations failed, and {baseline.errors:.0f} of its baseline",
            NOT_THE_SAME,
            FIX,
        )


def _seen(name: str, arm: Arm) -> tuple[Witness, ...]:
    return () if arm.witnesses is None else arm.witnesses.get(name, ())


def _witness(name: str, treatment: Arm, baseline: Arm) -> Iterator[Remark]:
    values = [_seen(name, arm) for arm in (treatment, baseline)]
    if not all(values):
        return
    every = [value for seen in values for value in seen]
    if any(not same(every[0], value) for value in every[1:]):
        of_treatment, of_baseline = (", ".join(map(str, seen)) for seen in values)
        yield fatal(
            treatment.id,
            f"{name} is {of_treatment}, and {of_baseline} in its baseline",
            NOT_THE_SAME,
            "make both do the same work, or compare them as two levels of a factor",
        )


def _examine(evidence: RunEvidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        yield from _errors(arm)
    yield from _unwitnessed(evidence)
    seen: set[tuple[str, str]] = set()
    for finding in evidence.measured_findings():
        pair = (finding.comparison.treatment, finding.comparison.baseline)
        if pair in seen or pair[0] not in evidence.arms or pair[1] not in evidence.arms:
            continue
        seen.add(pair)
        treatment, baseline = evidence.arms[pair[0]], evidence.arms[pair[1]]
        yield from _differing_errors(treatment, baseline)
        for name in evidence.equal_witnesses:
            yield from _witness(name, treatment, baseline)


UNEQUAL_WORK: Check[RunEvidence] = Check(
    id="unequal-work",
    rule="F: more than 0.1 % errors, or different shares; bytes, counts or outputs differ where declared equal",
    examine=_examine,
    applies=lambda evidence: bool(evidence.arms),
)
