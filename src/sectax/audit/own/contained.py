"""An operation that does another one as a part of itself cannot be faster than that: over the blocks of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, fatal
from sectax.audit.own.blocks import interval, parts_of, typical_speeds
from sectax.audit.own.evidence import BlockSeries, RunEvidence
from sectax.model.treatment import Role

# Shared by all pairs of a run of ours: that a whole which takes as long as its part is called faster by the margin.
CHANCE = 0.005


def _pairs(evidence: RunEvidence) -> list[tuple[BlockSeries, BlockSeries]]:
    """Of a run of ours: what was measured beside something that it contains."""
    return [(whole, part) for whole in typical_speeds(evidence) for part in parts_of(whole, evidence) if part.seconds()]


def _in_runs(evidence: RunEvidence) -> Iterator[Remark]:
    pairs = _pairs(evidence)
    matters = math.log1p(evidence.margin)
    for whole, part in pairs:
        of_whole, of_part = whole.seconds(), part.seconds()
        logs = [math.log(of_whole[block] / of_part[block]) for block in of_whole if block in of_part]
        low, high = interval(logs, CHANCE / len(pairs))
        if high < -matters:
            # A baseline is the yardstick of others, which may be sound.
            blamed = part if _is_baseline(evidence, whole) and not _is_baseline(evidence, part) else whole
            yield fatal(
                blamed.treatment,
                f"{whole.work.operation} does all that {part.work.operation} does, and takes "
                f"{-100 * math.expm1(high):.2g} to {-100 * math.expm1(low):.2g} % less time ({whole.id}; {part.id})",
                "the work was not done, or not the same: the difference is not what the treatment costs",
                "find out what the one leaves out, or the other does besides",
            )


def _is_baseline(evidence: RunEvidence, figure: BlockSeries) -> bool:
    return evidence.arms[figure.treatment].role is Role.BASELINE


CONTAINED_WORK: Check[RunEvidence] = Check(
    id="contained-work",
    rule="F: an operation is faster by the margin than another that it must do as a part of itself",
    examine=_in_runs,
    applies=lambda evidence: bool(_pairs(evidence)),
)
