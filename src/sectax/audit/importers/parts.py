"""What importers share: the form of an importer, and figures joined into evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Contrast, Figure
from sectax.audit.importers.bad_input import BadInput

# Checks look at pairs of figures, and nobody reads a table of more.
MOST_FIGURES = 5000


@dataclass(frozen=True)
class Importer:
    """How one kind of file is known and read.

    Attributes:
        name: as --format takes it.
        title: for people.
        recognises: whether the beginning of a file (whole lines) is of this kind.
        read: the lines of a whole file, without their ends, as evidence. Raises `BadInput`.
        begins: matches what only this tool prints, so that a second kind in one file is found; None where any text
            may be of this kind.
        streams: whether it reads line by line, so that a file may be larger than memory.
    """

    name: str
    title: str
    recognises: Callable[[str], bool]
    read: Callable[[Iterable[str]], Evidence]
    begins: re.Pattern[str] | None = None
    streams: bool = False


def evidence(figures: Sequence[Figure], what: str, contrast: Contrast | None = None) -> Evidence:
    """Figures under unique ids, as evidence that is not our own.

    Raises:
        BadInput: there are none (*what* says of what), or far too many.
    """
    if not figures:
        raise BadInput(f"there is no result of {what} in it", "give the whole output of one or more finished runs")
    if len(figures) > MOST_FIGURES:
        raise BadInput(
            f"it holds {len(figures)} figures, and at most {MOST_FIGURES} can be audited together", "split the file"
        )
    seen: dict[str, int] = {}
    unique = []
    for figure in figures:
        seen[figure.id] = times = seen.get(figure.id, 0) + 1
        unique.append(figure if times == 1 else replace(figure, id=f"{figure.id} ({times})"))
    return Evidence(tuple(unique), contrast)
