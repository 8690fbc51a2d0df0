"""A comparison that lost many of its blocks speaks for those that were left."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check
from sectax.audit.evidence import Evidence
from sectax.model.finding import Severity, Warning

MOST_LOST = 0.1


def _examine(evidence: Evidence) -> Iterator[Warning]:
    for finding in evidence.measured_findings():
        effect = finding.effect
        if effect is None or effect.blocks_lost <= MOST_LOST * (effect.blocks + effect.blocks_lost):
            continue
        yield Warning(
            LOST_BLOCKS.id,
            Severity.WARNING,
            finding.comparison.id,
            f"{effect.blocks_lost} of {effect.blocks + effect.blocks_lost} blocks have no pair",
            "what failed may be what would have been slow, or fast",
            "see why it failed: the reasons are in the record",
        )


LOST_BLOCKS = Check(
    id="lost-blocks",
    rule="W: more than a tenth of a comparison's blocks have no pair",
    applies=lambda evidence: evidence.own,
    examine=_examine,
)
