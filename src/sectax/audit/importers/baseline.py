"""Which level is the baseline, where the user says so."""

from __future__ import annotations

import dataclasses

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Contrast
from sectax.audit.importers.bad_input import BadInput
from sectax.model.printable import printable


def with_baseline(evidence: Evidence, said: str) -> Evidence:
    """Evidence in which the level *said* (`LEVEL` or `FACTOR=LEVEL`) is the baseline of its factor.

    Raises:
        BadInput: no factor has that level, or several have.
    """
    there: dict[tuple[str, str], None] = {}
    for figure in evidence.figures:
        there |= dict.fromkeys(figure.levels.items())
    # A level may hold an equals sign itself, so both readings are looked for.
    found = [(factor, level) for factor, level in there if said in (level, f"{factor}={level}")]
    if len(found) == 1:
        return dataclasses.replace(evidence, contrast=Contrast(*found[0]))
    shown = ", ".join(printable(f"{factor}={level}", 60) for factor, level in list(there)[:12])
    if found:
        raise BadInput(f"{printable(said, 60)!r} is a level of more than one factor", f"say which; there are {shown}")
    raise BadInput(
        f"there is no level {printable(said, 60)!r}", f"there are {shown}" if there else "the figures have no levels"
    )
