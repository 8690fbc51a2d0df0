"""A run of ours that was not made as it was planned: blocks or values that are gone, another order, other batches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from sectax.audit.check import Check, Remark, fatal
from sectax.audit.evidence import Evidence, RunRecord
from sectax.audit.words import blocks_named
from sectax.model.finding import Severity
from sectax.model.measured import Visited

RUN = "run"
ASK = "ask for the file as it was measured, or measure again"


def _has_record(evidence: Evidence) -> bool:
    return evidence.record is not None


def _missing_blocks(evidence: Evidence) -> Iterator[Remark]:
    """Every number is used. An interrupted session leaves one block that does not count, and no session leaves two."""
    record = evidence.record
    if record is None:
        return
    missing = [number for number in range(1, max(record.blocks) + 1) if number not in record.blocks]
    if len(missing) > record.sessions - 1:
        left = (
            "a single session leaves none out"
            if record.sessions == 1
            else f"{record.sessions} sessions leave out {record.sessions - 1} at most"
        )
        yield fatal(
            RUN,
            f"{len(missing)} of {max(record.blocks)} blocks are missing ({blocks_named(missing)}), and {left}",
            "blocks were taken out after they were measured, so the others were chosen",
            ASK,
        )


def _other_order(evidence: Evidence) -> Iterator[Remark]:
    record = evidence.record
    if record is None:
        return
    if record.misdrawn:
        yield fatal(
            RUN,
            f"{len(record.misdrawn)} of {len(record.blocks)} blocks have another order than the "
            f"run's seed draws for their number: {blocks_named(record.misdrawn)}",
            "blocks were renumbered, exchanged or made up",
            ASK,
        )
        return
    moved = [
        number
        for number, _, each in record.visits()
        if _is_whole(each) and each.batch_order is not None and each.batch_order != each.order
    ]
    if moved:
        yield fatal(
            RUN,
            f"batches stand at other places of their rounds than their treatments were visited at, in "
            f"{blocks_named(dict.fromkeys(moved))}",
            "the batches of one treatment were given to another",
            ASK,
        )


def _missing_observations(evidence: Evidence) -> Iterator[Remark]:
    """Every visit leaves its observations, and a treatment that failed has a reason."""
    record = evidence.record
    if record is None or evidence.batch is None:
        return
    every = list(record.visits())
    short = [(number, treatment) for number, treatment, each in every if not _is_whole(each)]
    if not every or len(short) == len(every):
        saw = "no treatment has a complete block" if every else "no treatment was visited in any block"
        yield fatal(
            RUN,
            f"{saw}, though {len(record.blocks)} blocks are marked as finished",
            "nothing was measured, or the observations were taken out",
            ASK,
        )
        return
    for treatment in dict.fromkeys(treatment for _, treatment in short):
        blocks = [number for number, each in short if each == treatment]
        number, visited = blocks[0], record.blocks[blocks[0]].visited[treatment]
        yield fatal(
            treatment,
            f"of {visited.planned} planned visits in block {number} {visited.made} are there, with {visited.batches} "
            f"batches; visits or batches are missing in {blocks_named(blocks)}, and nothing failed there",
            "observations were taken out after they were measured, so the others were chosen",
            ASK,
        )


def _is_whole(visited: Visited) -> bool:
    """A visit gives one batch, or each of its operations by itself."""
    made, size = visited.made, visited.size or 0
    return made == visited.planned and visited.batches in (made, made * size)


def _changed_counts(evidence: Evidence) -> Iterator[Remark]:
    """Batches have the size that the pilot found, which is never changed but where the run notes it."""
    record = evidence.record
    if record is None or evidence.batch is None:
        return
    for treatment, visits in record.by_treatment().items():
        sizes = {number: each.size for number, each in visits.items()}
        wrong = [
            number
            for number, each in visits.items()
            if _is_whole(each) and each.operations != each.made * (each.size or 0)
        ]
        if wrong:
            seen = record.blocks[wrong[0]].visited[treatment]
            yield _unfrozen(
                treatment,
                f"{seen.operations:,} operations are counted in block {wrong[0]}, and {seen.made} batches of "
                f"{seen.size:,} make {seen.made * (seen.size or 0):,}; so in {blocks_named(wrong)}",
            )
        elif changed := _changed_sizes(record, treatment, sizes):
            yield _unfrozen(treatment, changed)


def _unfrozen(treatment: str, saw: str) -> Remark:
    return Remark(
        Severity.FATAL,
        treatment,
        saw,
        "the number of operations is fixed before the first block, and a time or rate of one operation hangs on it",
        ASK,
    )


def _changed_sizes(record: RunRecord, treatment: str, sizes: dict[int, int | None]) -> str:
    """Where the size of its batches changes without a note; empty where it does not."""
    for (one, size), (other, later) in pairwise(sizes.items()):
        if size != later and not any(one <= after < other for after in record.sized_again):
            return f"batches have {size:,} operations up to block {one}, and {later:,} in block {other}"
    last = max(sizes)
    frozen = record.sizes.get(treatment)
    if frozen is not None and sizes[last] != frozen and not any(last <= after for after in record.sized_again):
        return f"batches have {sizes[last]:,} operations in block {last}, and the pilot fixed {frozen:,}"
    return ""


MISSING_BLOCKS = Check(
    id="missing-blocks",
    rule="F: numbers of blocks are missing, more than interrupted sessions leave",
    examine=_missing_blocks,
    applies=_has_record,
)

OTHER_ORDER = Check(
    id="other-order",
    rule="F: a block was measured in another order than the run's seed draws for its number, or its batches stand at "
    "other places than its visits",
    examine=_other_order,
    applies=_has_record,
)

MISSING_OBSERVATIONS = Check(
    id="missing-observations",
    rule="F: a planned visit, or its batches, are missing where nothing failed",
    examine=_missing_observations,
    applies=lambda evidence: _has_record(evidence) and evidence.batch is not None,
)

CHANGED_COUNTS = Check(
    id="changed-counts",
    rule="F: batches have other numbers of operations than the pilot fixed, and the run does not note why",
    examine=_changed_counts,
    applies=lambda evidence: _has_record(evidence) and evidence.batch is not None,
)
