"""The first operations of a process are another quantity than the later ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from sectax.audit.check import Check
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Cold, Figure
from sectax.audit.first_batch import first_batches
from sectax.audit.grouping import by_table, cell, gather, ids, named, speeds, untold
from sectax.audit.over_blocks import has_batches
from sectax.model.finding import Severity, Warning

# The chance, for normal noise, that any of the healthy vectors of a source is called different. With the long tail of
# a gamma distribution among it, simulated sources are called different more often: 0.8 % of them (1.2 % with 0.005).
CHANCE = 0.001
FEWEST_VALUES = 6
# A smaller difference is no reason for doubt, however sure it is.
LEAST_DIFFERENCE = 0.05
# As standard deviation of logs: values that repeat on a coarse clock show no spread of their own.
LEAST_SPREAD = 0.01


def _sees(evidence: Evidence) -> list[Figure]:
    return speeds(evidence)


def _examine(evidence: Evidence) -> Iterator[Warning]:
    yield from _figures(evidence)
    yield from first_batches(FIRST_TRIAL.id, evidence)


def _figures(evidence: Evidence) -> Iterator[Warning]:
    seen = _sees(evidence)
    mixed = [figure for figure in seen if figure.circumstances.cold is Cold.MIXED]
    for table in by_table(mixed):
        yield Warning(
            FIRST_TRIAL.id,
            Severity.FATAL,
            table[0].table,
            f"cold and warm trials are in one summary, in {named(table)}",
            "two quantities were mixed, and the figure is of neither",
            "report the first trial by itself, and the later ones by themselves",
            ids(table),
        )
    open_ = [figure for figure in seen if figure.circumstances.cold is None]
    vectors = [group for group in gather(open_, cell) if _long_enough(group[0].values)]
    different = [group for group in vectors if first_differs(group[0].values, CHANCE / len(vectors))]
    for table in by_table(figure for group in different for figure in group):
        worst = max(table, key=lambda figure: abs(math.log(_first_ratio(figure.values))))
        yield Warning(
            FIRST_TRIAL.id,
            Severity.WARNING,
            table[0].table,
            f"the first of {len(worst.values)} values is {_first_ratio(worst.values):.3g} times the mean of the rest "
            f"({worst.id}). So in {named(table)}",
            "it belongs to the warm-up, and is part of the figure",
            "throw the first trial away, or report it by itself",
            ids(table),
        )
    with_values = {figure.id for group in vectors for figure in group}
    yield from untold(
        FIRST_TRIAL.id,
        [figure for figure in open_ if figure.id not in with_values],
        "whether the first, cold trials are in the figure is not told, nor are the single values",
    )


def first_differs(values: Sequence[float], chance: float) -> bool:
    """Whether the first of the values is outside what the rest predicts of one more.

    Student's prediction interval on logs, and beyond all of the rest: noise with heavy tails often fails the one and
    seldom the other too. `chance` is that of a healthy sequence to be called different.
    """
    import numpy as np
    from scipy.special import stdtr

    data = np.asarray(values, dtype=np.float64)
    if not _long_enough(values) or not np.all(data > 0) or not np.all(np.isfinite(data)):
        return False
    first, rest = math.log(data[0]), np.log(data[1:])
    if rest.min() <= first <= rest.max():
        return False
    difference = abs(first - float(rest.mean()))
    spread = max(float(rest.std(ddof=1)), LEAST_SPREAD)
    t = difference / (spread * math.sqrt(1 + 1 / rest.size))
    return difference > math.log1p(LEAST_DIFFERENCE) and 2 * float(stdtr(rest.size - 1, -t)) < chance


def _long_enough(values: Sequence[float]) -> bool:
    return len(values) >= FEWEST_VALUES


def _first_ratio(values: Sequence[float]) -> float:
    return values[0] / (math.fsum(values[1:]) / (len(values) - 1))


FIRST_TRIAL = Check(
    id="first-trial",
    rule="F: cold and warm trials are in one summary; W: the first value, or counted batch, differs from the rest",
    applies=lambda evidence: bool(_sees(evidence)) or has_batches(evidence),
    examine=_examine,
    sees=_sees,
)
