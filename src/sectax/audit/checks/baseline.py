"""A cost needs a measurement without what it is the cost of."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.interface import Remark, cannot_be_checked, check, fatal
from sectax.audit.checks.words import EVERYTHING
from sectax.audit.form import Evidence


@check(
    "F: the figures are to show the cost of something, and nothing was measured without it",
    applies=lambda evidence: evidence.contrast is not None and bool(evidence.series),
)
def no_baseline(evidence: Evidence) -> Iterator[Remark]:
    contrast = evidence.contrast
    if contrast is None:
        return
    levels = {one.levels.get(contrast.factor) for one in evidence.series} - {None}
    if not contrast.reported:
        yield cannot_be_checked(EVERYTHING, f"which {contrast.factor} is the baseline is not reported")
    elif contrast.baseline not in levels:
        missing = f"no figure has the baseline, {contrast.factor} {contrast.baseline}"
        yield fatal(
            EVERYTHING,
            f"nothing without {contrast.factor} was measured" if contrast.baseline is None else missing,
            "the cost in question cannot be separated from everything else in the figures",
            "measure the same without it, in turns with it",
        )
