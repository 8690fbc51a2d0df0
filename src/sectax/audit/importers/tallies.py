"""Columns that nobody names and that tell of the rows: their unit, how they were run, how many operations failed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sectax.formats.bad_input import BadInput
from sectax.formats.numbers import number

# Failures are counted; the error of a mean is another column.
_FAILED = re.compile(
    r"(?:(?:num|nr|n|no|total|count|of|http|request|socket|connect|read|write|client|server) )*+"
    r"(?:errors|error(?= )|errs|failed|failures?|fails|time ?outs?|non (?:200|2xx)s?)"
    r"(?: (?:count|total|requests|reqs|ops|operations|responses))?"
)
_COUNTED = re.compile(
    r"(?:(?:num|nr|n|no|number|total|count|of|all) )*+"
    r"(?:reqs?|requests?|ops|operations|calls|queries|transactions|messages|attempts|samples|count|total)"
    r"(?: (?:count|total|sent|made))?"
)
_UNIT = re.compile(r"(?:(?:score|time|value|metric) )?units?")
# What JMH writes with `-rf csv`: its mode and threads, and the parameters of a benchmark.
_OF_JMH = frozenset({"Benchmark", "Mode", "Threads", "Samples", "Score", "Unit"})
_PARAMETER = "Param: "
_MOST = 2.0**53


def _words(name: str) -> str:
    """A column's name in small words, without its unit: 'totalReqs', 'Total_Reqs' and 'Total Reqs (n)' are one."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name.partition("(")[0])
    return " ".join(re.findall(r"[a-z]+|\d[\da-z]*", spaced.lower()))


def is_jmh(names: Sequence[str]) -> bool:
    """Whether these are the columns that JMH writes."""
    return set(names) >= _OF_JMH


def unit_column(names: Sequence[str], said: Sequence[str]) -> str | None:
    """The one column that tells a unit of each row."""
    found = [name for name in names if name not in said and _UNIT.fullmatch(_words(name))]
    return found[0] if len(found) == 1 and names.count(found[0]) == 1 else None


def unnamed_levels(names: Sequence[str], said: Sequence[str]) -> list[str]:
    """The columns by which rows are of several figures, whatever the user names: the unit, and JMH's own."""
    unit = unit_column(names, said)
    of_jmh = [name for name in names if name in ("Mode", "Threads") or name.startswith(_PARAMETER)]
    every = ([unit] if unit else []) + (of_jmh if is_jmh(names) else [])
    return [name for name in every if name not in said and names.count(name) == 1]


@dataclass(frozen=True)
class Failures:
    """Where rows tell how many of how many operations failed.

    Attributes:
        failed: the places of the columns that count failures.
        counted: that of the column of all operations.
    """

    failed: tuple[int, ...]
    counted: int

    @classmethod
    def of(cls, names: Sequence[str], said: Sequence[str]) -> Failures | None:
        """The columns of these names; None where they do not tell of how many there were."""
        words = [_words(name) if name not in said else "" for name in names]
        failed = tuple(at for at, each in enumerate(words) if _FAILED.fullmatch(each))
        counted = [at for at, each in enumerate(words) if _COUNTED.fullmatch(each)]
        return cls(failed, counted[0]) if failed and len(counted) == 1 else None

    def in_row(self, row: Sequence[str]) -> tuple[float, float] | None:
        """The failures and the operations of one row; None where they are no such numbers."""
        try:
            failed = [number(row[at].strip() or "0") for at in self.failed]
            counted = number(row[self.counted].strip())
        except BadInput:
            return None
        # One of several columns may be the sum of the others.
        most = max(failed)
        whole = all(each.is_integer() for each in (*failed, counted))
        return (most, counted) if whole and 0 <= most <= counted <= _MOST else None
