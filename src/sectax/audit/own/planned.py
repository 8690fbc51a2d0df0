"""A run that was not made as it was planned: blocks that are gone, or another order. The seal says more."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, fatal
from sectax.audit.checks.words import blocks_named
from sectax.audit.own.evidence import RunEvidence, RunRecord

RUN = "run"
ASK = "ask for the file as it was measured, or measure again"


def _examine(evidence: RunEvidence) -> Iterator[Remark]:
    if evidence.record is None:
        return
    yield from _missing_blocks(evidence.record)
    if evidence.record.misdrawn:
        misdrawn = evidence.record.misdrawn
        yield fatal(
            RUN,
            f"{len(misdrawn)} of {len(evidence.record.blocks)} blocks have another order than the run's seed gives for "
            f"their number: {blocks_named(misdrawn)}",
            "blocks were renumbered, exchanged or made up",
            ASK,
        )


def _missing_blocks(record: RunRecord) -> Iterator[Remark]:
    """Every number is used. An interrupted session leaves one block that does not count, and no session leaves two."""
    missing = [number for number in range(1, max(record.blocks) + 1) if number not in record.blocks]
    if len(missing) > record.sessions - 1:
        yield fatal(
            RUN,
            f"{len(missing)} of {max(record.blocks)} blocks are missing ({blocks_named(missing)}); interruptions explain "
            f"{record.sessions - 1}",
            "blocks were removed after they were measured, so the others were chosen",
            ASK,
        )


NOT_AS_PLANNED: Check[RunEvidence] = Check(
    id="not-as-planned",
    rule="F: blocks are missing, more than interruptions explain, or were measured in another order than the run's seed "
    "gives for their number",
    examine=_examine,
    applies=lambda evidence: evidence.record is not None,
)
