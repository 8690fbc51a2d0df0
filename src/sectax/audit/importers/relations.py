"""Columns that follow from each other in nearly all rows: a sum, a quotient, a mean of others. A row that breaks it is
wrong somewhere.

Nothing is known of the columns but their numbers. So a relation counts only where chance cannot make it: each row in
which it holds to its printed digits, where the columns themselves go over far more than these, makes chance smaller.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TYPE_CHECKING

from sectax.audit.evidence import Incident
from sectax.audit.importers.rows import MOST_TOGETHER, Rows
from sectax.audit.words import number
from sectax.model.finding import Severity
from sectax.model.printable import printable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

# More columns show no more, and take long.
_MOST_COLUMNS, _LONGEST_RUN = 16, 12
_FEWEST_ROWS, _FEWEST_ALIKE = 5, 4
# Of all relations that are tried in a table, that chance makes one; and the rows that may break one.
_CHANCE, _MOST_BREAKS = 1e-6, 0.15
# Coarser digits show no relation: of how far a column goes, they leave so much open.
_MOST_SHARE = 0.1
# Rounding and one more digit are no break; so far off, in few rows of many, is fatal.
_LEAST_OFF, _FATAL_OFF = 0.02, 0.1
_FEWEST_FOR_FATAL, _FATAL_BREAKS = 6, 0.17


@dataclass(frozen=True)
class _Relation:
    """What a column should be, how far digits explain, and in which rows it is not that."""

    words: str
    columns: frozenset[int]
    off: Array
    breaks: NDArray[np.bool_]
    log_chance: float


def relations(rows: Rows) -> Iterator[Incident]:
    """Rows in which a column is not what it is of the others in all other rows."""
    found: list[_Relation] = []
    for each in sorted(_all(rows), key=lambda one: (len(one.columns), one.log_chance)):
        # What follows from two columns follows from these and a third too.
        if not any(other.columns <= each.columns for other in found):
            found.append(each)
    for each in found:
        broken = [int(at) for at in each.breaks.nonzero()[0]]
        if not broken:
            continue
        worst = max(broken, key=lambda at: abs(float(each.off[at])))
        off, count = abs(float(each.off[worst])), each.breaks.size
        fatal = off >= _FATAL_OFF and count >= _FEWEST_FOR_FATAL and len(broken) <= _FATAL_BREAKS * count
        yield Incident(
            Severity.FATAL if fatal else Severity.WARNING,
            f"in {count - len(broken)} of {count} rows {each.words}; in {rows.of(worst)} it is "
            f"{number(math.exp(min(off, 100)))} times as {'much' if each.off[worst] > 0 else 'little'}",
            "one of the numbers of this row is wrong, or it is of something else",
            "contradiction",
        )


def _all(rows: Rows) -> Iterator[_Relation]:
    import numpy as np

    kept = rows.numeric
    logs, slack = {}, {}
    for at, values in kept.items():
        positive = np.where(values > 0, values, np.nan)
        # What never changes says nothing; nor does what is not there.
        if np.isfinite(positive).sum() >= _FEWEST_ROWS and np.unique(positive[np.isfinite(positive)]).size > 2:
            logs[at] = np.log(positive)
            slack[at] = 0.5 * rows.steps(at) / positive
        if len(logs) == _MOST_COLUMNS:
            break
    name = {at: printable(rows.names[at].strip(), 30) for at in logs}
    tried = max(1, len(logs) ** 3)
    groups = list(_groups(rows))
    for one, other in combinations(logs, 2):
        for sign, words in ((1, "{} is {} times a constant"), (-1, "{} is a constant over {}")):
            for of_each, group in groups:
                log = logs[one] - sign * logs[other]
                said = f"{words.format(name[one], name[other])}{of_each}"
                yield from _holds(said, {one, other}, log, [logs[one]], slack[one] + slack[other], tried, group)
    for whole, one, other in permutations(logs, 3):
        together = slack[whole] + slack[one] + slack[other]
        spans = [logs[whole], logs[one], logs[other]]
        for of_each, group in groups:
            log = logs[whole] - logs[one] + logs[other]
            words = f"{name[whole]} is {name[one]} over {name[other]}, but for a constant{of_each}"
            yield from _holds(words, {whole, one, other}, log, spans, together, tried, group)
            if whole < one < other:
                log = logs[whole] + logs[one] + logs[other]
                words = f"{name[whole]} times {name[one]} times {name[other]} is a constant{of_each}"
                yield from _holds(words, {whole, one, other}, log, spans, together, tried, group)
    for whole, parts, total, what in _sums(kept, list(logs)):
        with np.errstate(divide="ignore", invalid="ignore"):
            log = logs[whole] - np.log(np.where(total > 0, total, np.nan))
        steps = sum(0.5 * rows.steps(at) for at in (whole, *parts))
        words = f"{name[whole]} is the {what} of {name[parts[0]]} to {name[parts[-1]]}"
        yield from _holds(words, {whole, *parts}, log, [logs[whole]], steps / np.exp(logs[whole]), tried)


def _groups(rows: Rows) -> Iterator[tuple[str, Array]]:
    """All rows together, and those of each level of a column, in words and as numbers."""
    import numpy as np

    count = min(len(rows.rows), MOST_TOGETHER)
    yield "", np.zeros(count, dtype=np.float64)
    for at, name in enumerate(rows.names):
        if at in rows.numeric and name not in rows.columns.by:
            continue
        codes = np.unique(rows.texts(at)[:count], return_inverse=True)[1].reshape(-1)
        if 1 < codes.max(initial=0) + 1 <= count / _FEWEST_ALIKE:
            yield f" for each {printable(name.strip(), 30)}", codes.astype(np.float64)


def _sums(kept: dict[int, Array], known: list[int]) -> Iterator[tuple[int, tuple[int, ...], Array, str]]:
    """Columns that stand beside each other, their sums and means, and a column that may be one of these."""
    import numpy as np

    for begin in range(len(known)):
        for end in range(begin + 2, min(len(known), begin + _LONGEST_RUN) + 1):
            parts = tuple(known[begin:end])
            table = np.array([kept[at] for at in parts])
            made = {"sum": table.sum(axis=0), "mean": table.mean(axis=0)}
            for whole in known:
                if whole not in parts:
                    yield from ((whole, parts, total, what) for what, total in made.items())


def _holds(
    words: str,
    columns: set[int],
    log: Array,
    spans: list[Array],
    slack: Array,
    tried: int,
    group: Array | None = None,
) -> Iterator[_Relation]:
    """The relation that a log is constant in each group (or 0) within its digits, where that is no chance."""
    import numpy as np

    there = np.isfinite(log)
    if there.sum() < _FEWEST_ROWS:
        return
    middle = np.zeros(log.size)
    constants = np.unique(group) if group is not None else ()
    for each in constants:
        own = there & (group == each)
        middle[own] = np.median(log[own]) if own.any() else 0.0
    off = np.where(there, log - middle, 0.0)
    usual = float(np.median(slack[there]))
    near = np.abs(off) <= 2 * slack + 2 * usual + 1e-9
    breaks = there & (np.abs(off) > _LEAST_OFF + 8 * (slack + usual))
    alike = int((there & near).sum())
    if alike < max(_FEWEST_ALIKE, int(there.sum()) - max(1, int(_MOST_BREAKS * there.sum()))):
        return
    if int(breaks.sum()) + alike < int(there.sum()):
        return
    # The chance that a row is as near: its digits beside how far each column goes, of the rows that differ.
    reach = min(float(np.ptp(np.quantile(each[there & near], (0.1, 0.9)))) for each in spans)
    share = 4 * (usual + 1e-9) / reach if reach > 0 else 1.0
    different = np.unique(np.round(spans[0][there & near], 6)).size
    log_chance = (different - 1 - len(constants)) * math.log(max(share, 1e-12)) + math.log(tried)
    if share <= _MOST_SHARE and log_chance < math.log(_CHANCE):
        yield _Relation(words, frozenset(columns), off, breaks, log_chance)
