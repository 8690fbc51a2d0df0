"""Claims whose interval barely excludes nothing: such an effect is likely smaller than it looks."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check
from sectax.audit.evidence import Evidence
from sectax.model.finding import FASTER, SLOWER, Finding, Severity, Warning
from sectax.model.treatment import CONTROLS

# The near end of the interval as a share of the point. Of claims about a true 0.5 %, more than nine in ten lie under it
# and show twice the truth; of those about a true 3 %, one in a hundred (`benchmarks.simulations.exaggeration`).
NEAR = 0.25


def _examine(evidence: Evidence) -> Iterator[Warning]:
    for finding in evidence.findings:
        if finding.comparison.standing not in CONTROLS and _near_end(finding) < NEAR:
            yield Warning(
                BARELY_FOUND.id,
                Severity.WARNING,
                finding.comparison.id,
                "the interval barely excludes no effect at all",
                "the direction stands, but the effect is likely smaller than its point: "
                "small effects are found where they happen to look large",
                "take the near end of the interval for what is sure, or plan more blocks",
            )


def _near_end(finding: Finding) -> float:
    """The end of the interval that is nearer to nothing, as a share of the point; 1 where no direction is claimed."""
    effect = finding.effect
    if finding.verdict not in SLOWER | FASTER or effect is None or effect.log_ratio == 0:
        return 1.0
    return min(abs(effect.low), abs(effect.high)) / abs(effect.log_ratio)


BARELY_FOUND = Check(
    id="barely-found",
    rule="W: the near end of a claim's interval is less than a quarter of its point",
    applies=lambda evidence: evidence.own,
    examine=_examine,
)
