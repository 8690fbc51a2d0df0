"""What the user adds to what a file says: which level is the baseline, and what contains what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sectax.audit.form import Contrast, Evidence
from sectax.formats.bad_input import BadInput
from sectax.text.printable import printable

_MOST_SHOWN = 12


def with_contained(evidence: Evidence, said: Sequence[str]) -> Evidence:
    """Evidence in which one level does all that another of the same factor does (*said*: 'WHOLE>PART').

    Raises:
        BadInput: not of that form, or no factor has both levels.
    """
    contains: dict[tuple[str, str], list[str]] = {}
    for pair in said:
        whole, separator, part = (side.strip() for side in pair.partition(">"))
        if not (whole and separator and part) or whole == part:
            raise BadInput(f"{printable(pair, 60)!r} is not understood", "the form is WHOLE>PART, two levels")
        factors = [
            factor
            for factor in dict.fromkeys(name for one in evidence.series for name in one.levels)
            if {whole, part} <= {one.levels.get(factor) for one in evidence.series}
        ]
        if not factors:
            names = f"{printable(whole, 40)!r} and {printable(part, 40)!r}"
            raise BadInput(f"no factor has the levels {names}", _shown(level for _, level in _levels(evidence)))
        contains.setdefault((factors[0], whole), []).append(part)
        contains.setdefault((factors[0], part), [])
    series = []
    for one in evidence.series:
        work = one.work
        for (factor, level), parts in contains.items():
            if one.levels.get(factor) == level:
                work = replace(work, operation=level, contains=tuple(parts) or work.contains)
        series.append(replace(one, work=work))
    return replace(evidence, series=tuple(series))


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
