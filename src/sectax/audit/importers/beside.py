"""Columns that tell more of a value: its error or standard deviation, and the least and the most of what it is of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sectax.audit.evidence import Incident, Twice
from sectax.audit.importers.cells import Cells
from sectax.audit.importers.microbench import WIDE
from sectax.formats.bad_input import BadInput
from sectax.model.finding import Severity
from sectax.model.printable import printable

_KINDS = {
    "middle": "mean avg average score median",
    "error": "sd std stdev stddev stdv stderr sem error err deviation dev ±",
    "min": "min minimum fastest",
    "max": "max maximum slowest",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
# They tell no more of what was measured.
_EMPTY = frozenset(["99", "9", "95", "standard", "ci", "value", "the", "of"])
_UNITS = frozenset(["ns", "us", "µs", "ms", "s", "sec", "secs", "seconds", "msec", "usec", "op"])
_WORD = re.compile(r"[a-z]+|[0-9]+|±")
_MOST = 20
# Printed digits are no contradiction.
_ROUNDED = 0.005


def _said(name: str) -> tuple[set[str], frozenset[str], frozenset[str]]:
    """The kinds that a column's name tells, its unit, and what is left."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()
    words = _WORD.findall(spaced)
    kinds = {_KIND_OF[word] for word in words if word in _KIND_OF}
    units = frozenset(word for word in words if word in _UNITS)
    return kinds, units, frozenset(words) - _KIND_OF.keys() - _EMPTY - units


@dataclass
class Beside:
    """What stands beside the values, and what was seen in it.

    Attributes:
        places: kind ('error', 'min', 'max') -> the place of its column.
        twice: values outside of their least and most.
        wide: rows whose error is over half of their value, and the first of them.
    """

    name: str
    places: dict[str, int]
    twice: list[Twice] = field(default_factory=list)
    wide: int = 0
    first: str = ""

    @classmethod
    def of(cls, names: Sequence[str], value: int) -> Beside:
        """The columns of these names that are clearly of the column of values."""
        kinds, units, rest = _said(names[value])
        found: dict[str, list[int]] = {}
        for at, name in enumerate(names) if kinds == {"middle"} else ():
            others, its_units, its_rest = _said(name)
            # 'min' alone is a unit too.
            kind = "error" if "error" in others else next(iter(others), "")
            if (
                at != value
                and kind in ("error", "min", "max")
                and its_rest == rest
                and its_units in (units, frozenset())
            ):
                found.setdefault(kind, []).append(at)
        return cls(names[value], {kind: places[0] for kind, places in found.items() if len(places) == 1})

    def take(self, rows: Sequence[Sequence[str]], values: Sequence[float], cells: Cells) -> None:
        """Rows and their values, in the unit of the column."""
        for row, value in zip(rows, values, strict=True):
            told = {}
            for kind, at in self.places.items():
                try:
                    told[kind] = cells.number(row[at])
                except BadInput:
                    continue
            if told.get("error", 0.0) > WIDE * value > 0:
                self.wide += 1
                self.first = self.first or f"{row[self.places['error']].strip()} beside {value:g}"
            low, high = told.get("min"), told.get("max")
            for end, outside in ((low, low is not None and value < low), (high, high is not None and value > high)):
                if outside and end is not None and len(self.twice) < _MOST:
                    what = f"{self.name} of {printable(', '.join(row[:3]), 60)}"
                    from_ = "the least and the most beside it end at"
                    self.twice.append(Twice(what, value, end, from_, 0.0, tolerance=_ROUNDED))

    def incidents(self) -> Iterator[Incident]:
        """One word on all errors that are too wide."""
        if self.wide:
            rows = "one row has" if self.wide == 1 else f"{self.wide} rows have"
            yield Incident(
                Severity.WARNING,
                f"{rows} an error of over half of the value ({self.first})",
                "by the table's own word no difference below that can be seen",
                "modes",
            )
