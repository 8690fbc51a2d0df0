"""A run that was not made as it was planned: blocks that are gone, or another order. The seal says more."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, fatal
from sectax.audit.checks.words import blocks_named
from sectax.audit.own.evidence import RunEvidence, RunRecord
from sectax.model.measured import Visited

RUN = "run"
ASK = "ask for the file as it was measured, or measure again"


def _examine(evidence: RunEvidence) -> Iterator[Remark]:
    if evidence.record is None:
        return
    yield from _missing_blocks(evidence.record)
    yield from _missing_observations(evidence.record)
    if evidence.record.misdrawn:
        misdrawn = evidence.record.misdrawn
        yield fatal(
            RUN,
            f"{len(misdrawn)} of {len(evidence.record.blocks)} blocks have another order than the run's seed gives for "
            f"their number: {blocks_named(misdrawn)}",
            "blocks were renumbered, exchanged or made up",
            ASK,
        )


def _missing_observations(record: RunRecord) -> Iterator[Remark]:
    """Every visit that was planned leaves its batches, and a treatment that failed has a reason."""
    short = [(number, treatment) for number, treatment, visited in record.visits() if not _is_whole(visited)]
    for treatment in dict.fromkeys(treatment for _, treatment in short):
        blocks = [number for number, other in short if other == treatment]
        visited = record.blocks[blocks[0]].visited[treatment]
        yield fatal(
            treatment,
            f"of {visited.planned} planned visits in block {blocks[0]} {visited.made} are there, with "
            f"{visited.batches} "
            f"batches, and nothing failed there; so in {blocks_named(blocks)}",
            "observations were removed after they were measured, so the others were chosen",
            ASK,
        )


def _is_whole(visited: Visited) -> bool:
    """A visit gives one batch, or each of its operations by itself."""
    made, size = visited.made, visited.size or 0
    return made == visited.planned and visited.batches in (made, made * size)


def _missing_blocks(record: RunRecord) -> Iterator[Remark]:
    """Every number is used. An interrupted session leaves one block that does not count, and no session leaves two."""
    missing = [number for number in range(1, max(record.blocks) + 1) if number not in record.blocks]
    if len(missing) > record.sessions - 1:
        yield fatal(
            RUN,
            f"{len(missing)} of {max(record.blocks)} blocks are missing ({blocks_named(missing)}); "
            f"interruptions explain "
            f"{record.sessions - 1}",
            "blocks were removed after they were measured, so the others were chosen",
            ASK,
        )


NOT_AS_PLANNED: Check[RunEvidence] = Check(
    id="not-as-planned",
    rule="F: blocks are missing, more than interruptions explain; planned batches are missing where nothing "
    "failed; blocks were measured in another order than the run's seed "
    "gives for their number",
    examine=_examine,
    applies=lambda evidence: evidence.record is not None,
)
