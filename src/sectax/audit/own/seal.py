"""The seal of a run file is broken, does not hold all of it, or is not of a signer whom the reader knows."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, cannot_be_checked, fatal, warning
from sectax.audit.own.evidence import RunEvidence
from sectax.audit.own.planned import ASK, RUN
from sectax.model.seal import SealState


def _examine(evidence: RunEvidence) -> Iterator[Remark]:
    seal = evidence.seal
    if seal is None:
        return
    if seal.state is SealState.BROKEN:
        yield fatal(RUN, f"the seal is broken: {seal.reason}", "the file was changed after it was sealed", ASK)
    elif seal.state is SealState.UNKNOWN:
        yield cannot_be_checked(RUN, f"whether the seal holds: {seal.reason}")
    elif seal.state is SealState.PARTLY:
        yield warning(
            RUN,
            f"the seal does not hold all of it: {seal.reason}",
            "nobody answers for the rest",
            "ask why, or go on with the run with --seal",
        )
    elif seal.state is SealState.NOT_SEALED and seal.known:
        yield fatal(RUN, "it is not sealed, and --signers asks for a seal", "nobody answers for it", ASK)


SEAL: Check[RunEvidence] = Check(
    id="seal",
    rule="F: what was sealed is not what is there, or no known signer sealed it; W: something is not sealed",
    examine=_examine,
    applies=lambda evidence: (
        evidence.seal is not None and (evidence.seal.state is not SealState.NOT_SEALED or evidence.seal.known)
    ),
)
