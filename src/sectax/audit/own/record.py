"""What the record of a run shows: its seal, blocks and observations that are missing, and subjects that changed.

The answer to a forger is the seal; these see what is lost or changed without one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from sectax.audit.checks.interface import Remark, cannot_be_checked, check, fatal, remark, warning
from sectax.audit.checks.words import blocks_named
from sectax.audit.own.evidence import RunEvidence, RunRecord
from sectax.model.finding import Severity
from sectax.model.measured import Visited
from sectax.model.seal import SealState
from sectax.model.subject import Witness
from sectax.text.printable import printable

RUN = "run"
ASK = "ask for the file as it was measured, or measure again"
Shown = dict[int, frozenset[Witness]]  # by block: the different values of its opening and its closing


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
    elif seal.state is SealState.UNKNOWN:
        yield cannot_be_checked(RUN, f"whether the seal holds: {seal.reason}")
    elif seal.state is SealState.PARTLY:
        saw, advice = f"the seal does not hold all of it: {seal.reason}", "ask why, or go on with the run with --seal"
        yield warning(RUN, saw, "nobody answers for the rest", advice)
    elif seal.state is SealState.NOT_SEALED and seal.known:
        yield fatal(RUN, "it is not sealed, and --signers asks for a seal", "nobody answers for it", ASK)


@check(
    "F: blocks are missing, more than interruptions explain; planned batches are missing where nothing failed",
    applies=lambda evidence: evidence.record is not None,
)
def not_as_planned(evidence: RunEvidence) -> Iterator[Remark]:
    if evidence.record is not None:
        yield from _missing_blocks(evidence.record)
        yield from _missing_observations(evidence.record)


def _missing_blocks(record: RunRecord) -> Iterator[Remark]:
    """Every number is used. An interrupted session leaves one block that does not count, and no session leaves two."""
    last, explained = max(record.blocks), record.sessions - 1
    missing = [number for number in range(1, last + 1) if number not in record.blocks]
    if len(missing) > explained:
        saw = (
            f"{len(missing)} of {last} blocks are missing ({blocks_named(missing)}); interruptions explain {explained}"
        )
        yield fatal(RUN, saw, "blocks were removed after they were measured, so the others were chosen", ASK)


def _missing_observations(record: RunRecord) -> Iterator[Remark]:
    """Every visit that was planned leaves its batches, and a treatment that failed has a reason."""
    short = [(number, treatment) for number, treatment, visited in record.visits() if not _is_whole(visited)]
    for treatment in dict.fromkeys(treatment for _, treatment in short):
        blocks = [number for number, other in short if other == treatment]
        visited = record.blocks[blocks[0]].visited[treatment]
        saw = (
            f"of {visited.planned} planned visits in block {blocks[0]} {visited.made} are there, with "
            f"{visited.batches} batches, and nothing failed there; so in {blocks_named(blocks)}"
        )
        yield fatal(
            treatment, saw, "observations were removed after they were measured, so the others were chosen", ASK
        )


def _is_whole(visited: Visited) -> bool:
    """A visit gives one batch, or each of its operations by itself."""
    made, size = visited.made, visited.size or 0
    return made == visited.planned and visited.batches in (made, made * size)


@check(
    "F: what a subject says that it is (its version, library, mode) changes once and for all within a session; "
    "W: between sessions, or to and fro",
    applies=lambda evidence: (
        evidence.record is not None and any(visited.shown for _, _, visited in evidence.record.visits())
    ),
)
def changed_witness(evidence: RunEvidence) -> Iterator[Remark]:
    record = evidence.record
    for (treatment, name), shown in _texts(record).items() if record is not None else ():
        values = sorted({str(value) for values in shown.values() for value in values})
        switch = _switch(shown)
        if switch is not None:
            before, after = (printable(str(next(iter(shown[block])))) for block in switch)
            yield remark(
                # A session that goes on with a run may have other keys, and notes it.
                Severity.FATAL if record is not None and record.sessions == 1 else Severity.WARNING,
                treatment,
                f"{printable(name)} is {before} up to block {switch[0]}, and {after} from block {switch[1]} on",
                "two things were measured under one name, and their blocks are averaged",
                f"measure each of them by itself; if nothing was changed during the run, {ASK}",
            )
        # Where every process has its own value, it is a name of it.
        elif 1 < len(values) <= len(shown) / 2:
            few = f"{', '.join(map(printable, values[:3]))}{' and others' if len(values) > 3 else ''}"
            saw = f"{printable(name)} has {len(values)} values, now one and now another: {few}"
            advice = "find out what differs, and measure each by itself"
            yield warning(treatment, saw, "the blocks are not all of the same thing", advice)


def _texts(record: RunRecord) -> Mapping[tuple[str, str], Shown]:
    """By treatment and witness, what every block says in words; numbers may be counts of what was done."""
    columns: dict[tuple[str, str], Shown] = {}
    for number, treatment, visited in record.visits():
        for said in visited.shown:
            for name, value in said.items():
                if isinstance(value, str | bool):
                    of = columns.setdefault((treatment, name), {})
                    of[number] = of.get(number, frozenset()) | {value}
    return columns


def _switch(shown: Shown) -> tuple[int, int] | None:
    """The last block of one value and the first one of another, where there are two and no way back."""
    changes = [(one, other) for one, other in pairwise(sorted(shown)) if shown[one] != shown[other]]
    return changes[0] if len(changes) == 1 and all(len(shown[block]) == 1 for block in changes[0]) else None
