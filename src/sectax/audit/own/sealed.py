"""What the seal of a run says: the answer to who changes a run file, leaves blocks out or makes one up."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.interface import Remark, cannot_be_checked, check, fatal, warning
from sectax.audit.own.evidence import RunEvidence
from sectax.model.seal import SealState

RUN = "run"
ASK = "ask for the file as it was measured, or measure again"


@check(
    "F: what was sealed is not what is there, or no known signer sealed it; W: something is not sealed",
    applies=lambda evidence: (
        evidence.seal is not None and (evidence.seal.state is not SealState.NOT_SEALED or evidence.seal.known)
    ),
)
def seal(evidence: RunEvidence) -> Iterator[Remark]:
    seal = evidence.seal
    if seal is None:
        return
    if seal.state is SealState.BROKEN:
        yield fatal(RUN, f"the seal is broken: {seal.reason}", "the file was changed after it was sealed", ASK)
    elif seal.state is SealState.STRANGER:
        saw = f"it is sealed by {seal.signer}, which is none of the signers that were given"
        yield fatal(RUN, saw, "nobody whom you named answers for it", "ask whose key that is, or for a file of theirs")
    elif seal.state is SealState.UNKNOWN:
        yield cannot_be_checked(RUN, f"whether the seal holds: {seal.reason}")
    elif seal.state is SealState.PARTLY:
        saw, advice = f"the seal does not hold all of it: {seal.reason}", "ask why, or go on with the run with --seal"
        yield warning(RUN, saw, "nobody answers for the rest", advice)
    elif seal.state is SealState.NOT_SEALED and seal.known:
        yield fatal(RUN, "it is not sealed, and --signers asks for a seal", "nobody answers for it", ASK)
