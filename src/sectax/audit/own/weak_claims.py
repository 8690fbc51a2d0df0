"""Claims of a run of ours that rest on little: on an interval that only just excludes zero, on the blocks left over."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, warning
from sectax.audit.own.evidence import RunEvidence
from sectax.model.finding import FASTER, SLOWER, Finding
from sectax.model.treatment import CONTROLS

# The near end of the interval as a share of the point. Of claims about a true 0.5 %, more than nine in ten lie under it
# and show twice the truth; of those about a true 3 %, one in a hundred (`benchmarks.simulations.exaggeration`).
NEAR = 0.25
MOST_LOST = 0.1


def _barely_found(evidence: RunEvidence) -> Iterator[Remark]:
    for finding in evidence.findings:
        if finding.comparison.standing not in CONTROLS and _near_end(finding) < NEAR:
            yield warning(
                finding.comparison.id,
                "the interval only just excludes zero",
                "the direction stands, but the effect is likely smaller than its point: "
                "small effects are found where they happen to look large",
                "take the near end of the interval for what is sure, or run it again with --precise",
            )


def _near_end(finding: Finding) -> float:
    """The end of the interval that is nearer to nothing, as a share of the point; 1 where no direction is claimed."""
    effect = finding.effect
    if finding.verdict not in SLOWER | FASTER or effect is None or effect.log_ratio == 0:
        return 1.0
    return min(abs(effect.low), abs(effect.high)) / abs(effect.log_ratio)


def _lost_blocks(evidence: RunEvidence) -> Iterator[Remark]:
    for finding in evidence.measured_findings():
        effect = finding.effect
        if effect is not None and effect.blocks_lost > MOST_LOST * (effect.blocks + effect.blocks_lost):
            yield warning(
                finding.comparison.id,
                f"{effect.blocks_lost} of {effect.blocks + effect.blocks_lost} blocks have no pair",
                "what failed may be what would have been slow, or fast",
                "see why it failed: the reasons are in the record",
            )


BARELY_FOUND: Check[RunEvidence] = Check(
    id="barely-found",
    rule="W: the near end of a claim's interval is less than a quarter of its point",
    examine=_barely_found,
    applies=lambda _: True,
)

LOST_BLOCKS: Check[RunEvidence] = Check(
    id="lost-blocks",
    rule="W: more than a tenth of a comparison's blocks have no pair",
    examine=_lost_blocks,
    applies=lambda _: True,
)
