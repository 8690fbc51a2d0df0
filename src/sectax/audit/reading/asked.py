"""What the user adds to what a file says: which level is the baseline."""

from __future__ import annotations

from dataclasses import replace

from sectax.audit.form import Contrast, Evidence
from sectax.formats.bad_input import BadInput
from sectax.text.printable import printable

_MOST_SHOWN = 12


def with_baseline(evidence: Evidence, said: str) -> Evidence:
    """Evidence in which the level *said* (`LEVEL` or `FACTOR=LEVEL`) is the baseline of its factor.

    Raises:
        BadInput: no factor has that level, or several have.
    """
    there = _levels(evidence)
    # A level may hold an equals sign itself, so both readings are looked for.
    found = [(factor, level) for factor, level in there if said in (level, f"{factor}={level}")]
    if len(found) == 1:
        return replace(evidence, contrast=Contrast(*found[0]))
    shown = _shown(f"{factor}={level}" for factor, level in there)
    if found:
        raise BadInput(f"{printable(said, 60)!r} is a level of more than one factor", f"say which; {shown}")
    raise BadInput(f"there is no level {printable(said, 60)!r}", shown if there else "the figures have no levels")


def _levels(evidence: Evidence) -> dict[tuple[str, str], None]:
    there: dict[tuple[str, str], None] = {}
    for one in evidence.series:
        there |= dict.fromkeys(one.levels.items())
    return there


def _shown(levels: object) -> str:
    every = list(dict.fromkeys(levels))  # type: ignore[call-overload]
    return f"the levels are {', '.join(printable(level, 60) for level in every[:_MOST_SHOWN])}"
