"""What a control costs is the difference to the same thing without it."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Check, cannot_be_checked
from sectax.audit.evidence import Evidence
from sectax.audit.grouping import EVERYTHING
from sectax.model.finding import Severity, Warning


def _examine(evidence: Evidence) -> Iterator[Warning]:
    contrast = evidence.contrast
    if contrast is None:
        return
    if not contrast.told:
        yield cannot_be_checked(NO_BASELINE.id, EVERYTHING, f"which {contrast.factor} is the baseline is not told")
        return
    measured = {figure.levels.get(contrast.factor) for figure in evidence.figures}
    if contrast.baseline is None or contrast.baseline not in measured:
        yield Warning(
            NO_BASELINE.id,
            Severity.FATAL,
            EVERYTHING,
            f"nothing without {contrast.factor} was measured"
            if contrast.baseline is None
            else f"no figure has the baseline, {contrast.factor} {contrast.baseline}",
            "its cost cannot be told from that of everything else in the figures, which stand for the whole alone",
            "measure the same without it, in turns with it",
        )


NO_BASELINE = Check(
    id="no-baseline",
    rule="F: the figures are to show the cost of something, and nothing was measured without it",
    applies=lambda evidence: evidence.contrast is not None and bool(evidence.figures),
    examine=_examine,
)
