"""Amounts of work that levels name, and series that differ in nothing but these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sectax.audit.form import Evidence, Moves, Quantity, Series

_NUMBER = re.compile(r"(?<![\d.])(\d{1,12}(?:[_,]\d{3})*)([kKmMgG]?)(i?[bB])?(?![A-Za-z\d.])")
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
# Words that say that a number is of how much is worked on.
_AMOUNT = re.compile(
    r"(?i)\b(?:n|sizes?|len|length|rows?|count|bytes?|elements?|elems?|items?|entries|records?|lines?|digits|points"
    r"|list|array|input|msg|messages?|payload|numbers?|chars?|words?|files?|objects?|documents?|tokens?)\b"
)
# Numbers of something else, or that are to make it faster.
_NO_AMOUNT = re.compile(
    r"(?i)thread|worker|client|core|conn|proc|cpu|parallel|concurr|routine|batch|buf|cache|block|chunk|pool|shard|part"
    r"|page|window|depth|limit|timeout|interval|rate|seed|bit|sha|aes|rsa|curve|version|order|min|max"
)
# Operations that take no longer in a larger structure.
_READS_ALL = re.compile(
    r"(?i)pars|marshal|decod|encod|serial|sort|hash|sum|compress|scan|copy|encrypt|decrypt|sign|mac"
)
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.:/]")


@dataclass(frozen=True)
class Amount:
    """A series, and how much work a level of it names; `reads_all` where its name says that all of it is read."""

    series: Series
    amount: float
    reads_all: bool

    @property
    def seconds(self) -> float:
        return self.series.seconds_per_operation() or 0.0


def rising(evidence: Evidence) -> Iterator[list[Amount]]:
    """Series that differ in one amount of work alone, two or more of it, rising."""
    groups: dict[object, dict[float, Amount]] = {}
    for one in evidence.series:
        if one.quantity not in (Quantity.TIME, Quantity.RATE, Quantity.BANDWIDTH) or one.work.moves is Moves.METADATA:
            continue
        if not (one.seconds_per_operation() or 0.0) > 0:
            continue
        for factor, level in one.levels.items():
            found = _amount(factor, level)
            if found is not None:
                amount, stem = found
                others = frozenset(item for item in one.levels.items() if item[0] != factor)
                group = groups.setdefault((one.table, others, factor, stem), {})
                group.setdefault(amount, Amount(one, amount, bool(_READS_ALL.search(one.id))))
    for by_amount in groups.values():
        if len(by_amount) > 1:
            yield [by_amount[amount] for amount in sorted(by_amount)]


def _amount(factor: str, level: str) -> tuple[float, str] | None:
    """How much a level names, and the level without it; None where its number is of something else."""
    numbers = list(_NUMBER.finditer(level[:200]))
    if len(numbers) != 1:
        return None
    found = numbers[0]
    stem = f"{level[: found.start()]}#{level[found.end() :]}"
    words = _WORDS.sub(" ", f"{factor} {stem}")
    is_size = found[3] is not None or _AMOUNT.search(words) is not None
    if not is_size or _NO_AMOUNT.search(words):
        return None
    amount = float(re.sub(r"[_,]", "", found[1])) * _SCALES[found[2].lower()]
    return (amount, stem) if amount > 0 else None
