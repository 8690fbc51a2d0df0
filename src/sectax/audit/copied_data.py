"""Two measurements never give the same numbers throughout."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence

from sectax.audit.check import Check
from sectax.audit.copied_batches import copied_batches
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import cell, gather, ids, named, speeds, subject, untold
from sectax.model.finding import Severity, Warning

# The chance that any two cells of a source tie throughout by themselves.
CHANCE = 1e-6
FEWEST_VALUES = 3
# Summaries of a cell tie by chance where few digits are printed. So many together, over three or more, do not.
FEWEST_DIGITS = 15


def _sees(evidence: Evidence) -> list[Figure]:
    return speeds(evidence)


def _examine(evidence: Evidence) -> Iterator[Warning]:
    cells = gather(_sees(evidence), cell)
    # Cells that hold the same vector, by the vector. Only those of one metric can tie.
    same: dict[Hashable, list[list[Figure]]] = {}
    bare = []
    for group in cells:
        vector = _vector(group)
        if vector is None:
            bare += group
        else:
            same.setdefault((group[0].metric, group[0].quantity, vector), []).append(group)
    pairs = max(1, math.comb(len(cells), 2))
    for groups in same.values():
        if len(groups) > 1 and _improbable(groups[0], CHANCE / pairs):
            copies = [figure for group in groups for figure in group]
            count = len(groups[0][0].values) or len(groups[0])
            yield Warning(
                COPIED_DATA.id,
                Severity.FATAL,
                subject(copies),
                f"the same {count} numbers stand in {len(groups)} cells: {named(group[0] for group in groups)}",
                "they were not measured in all of them",
                "find out which of them were measured, and measure the others",
                ids(copies),
            )
    yield from copied_batches(COPIED_DATA.id, evidence)
    yield from untold(COPIED_DATA.id, bare, "single values, or three summaries of each cell, are not told")


def _vector(group: list[Figure]) -> tuple[object, ...] | None:
    """The single values of a cell, or else its summaries by name."""
    values = group[0].values
    if len(values) >= FEWEST_VALUES:
        return tuple(map(float, values))
    summaries = {figure.statistic: figure.typical for figure in group}
    if len(summaries) < FEWEST_VALUES or None in summaries or None in summaries.values():
        return None
    return tuple(sorted(summaries.items(), key=str))


def _improbable(group: list[Figure], chance: float) -> bool:
    values = group[0].values
    if len(values) >= FEWEST_VALUES:
        return _log_chance(values) < math.log(chance)
    distinct = {value for figure in group if (value := figure.typical) is not None}
    return len(distinct) >= FEWEST_VALUES and sum(map(_digits, distinct)) >= FEWEST_DIGITS


def _log_chance(values: Sequence[float]) -> float:
    """The log of the chance that a second sample of the same kind has the same values in the same order.

    Two values drawn from a normal distribution of standard deviation s and rounded to steps of q are equal with chance
    q / (2 s √π). The step is not told: the smallest difference is at least as large, so the chance is not understated.
    """
    import numpy as np

    data = np.asarray(values, dtype=np.float64)
    steps = np.diff(np.unique(data))
    if steps.size == 0:
        return 0.0
    one = float(steps.min()) / (2 * float(data.std()) * math.sqrt(math.pi))
    return data.size * math.log(min(one, 1.0))


def _digits(value: float) -> int:
    """Significant digits as printed: zeros at either end say nothing."""
    return len(f"{value:.9e}".split("e")[0].replace(".", "").rstrip("0"))


COPIED_DATA = Check(
    id="copied-data",
    rule="F: equal values, in the same order, in different cells, beyond what chance and rounding make",
    applies=lambda evidence: bool(_sees(evidence)) or bool(evidence.arms),
    examine=_examine,
    sees=_sees,
)
