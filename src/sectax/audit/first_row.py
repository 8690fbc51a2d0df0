"""A first row of a table that pays for the start of what was measured: many times its repetition, and another row."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.check import Remark
from sectax.audit.evidence import Evidence
from sectax.audit.grouping import FEWEST, by_table, slowness, speeds
from sectax.audit.words import ids, number
from sectax.model.finding import Severity

# Times each of its repetitions; of more of them other rules tell.
MANY_TIMES = 20.0


def first_row(evidence: Evidence) -> Iterator[Remark]:
    """F where the first value of all is many times every other one of its figure, and those of other figures."""
    for table in by_table(speeds(evidence)):
        told = [figure for figure in table if len(figure.values)]
        if len(told) < 2 or not 2 <= len(told[0].values) < FEWEST or min(map(min, (each.values for each in told))) <= 0:
            continue
        first, *own = slowness(told[0]).tolist()
        others = [float(slowness(each).max()) for each in told[1:]]
        if first >= MANY_TIMES * max(own) and first >= MANY_TIMES * min(others):
            yield Remark(
                Severity.FATAL,
                told[0].table,
                f"the first value of all is {number(first / max(own))} times the others of its figure, and "
                f"{number(first / min(others))} times one of another ({told[0].id})",
                "the start of what was measured is in it: it is another quantity, and most of the figure",
                "throw the first trial away, or report it by itself",
                ids(told[:1]),
            )
