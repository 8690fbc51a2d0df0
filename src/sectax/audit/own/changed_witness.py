"""What a subject says that it is changes within a run of ours: another version, key or mode from some block on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise

from sectax.audit.checks.interface import Check, Remark
from sectax.audit.own.evidence import RunEvidence, RunRecord
from sectax.audit.own.planned import ASK
from sectax.model.finding import Severity
from sectax.model.subject import Witness
from sectax.text.printable import printable

# The chance that numbers which change from process to process happen to change once and for all, in any treatment.
CHANCE = 1e-4

Shown = dict[int, frozenset[Witness]]  # by block: the different values of its opening and its closing


def _examine(evidence: RunEvidence) -> Iterator[Remark]:
    record = evidence.record
    if record is None:
        return
    work = {(number, treatment): (each.planned, each.size) for number, treatment, each in record.visits()}
    switched: dict[tuple[str, int, int], list[tuple[str, str, float]]] = {}
    for (treatment, name), shown in _columns(record).items():
        is_text = any(isinstance(value, str | bool) for values in shown.values() for value in values)
        switch = _switch(shown)
        if switch is not None:
            before, after = switch
            if not is_text and work[before, treatment] != work[after, treatment]:
                continue  # a count of what was done: batches were sized again between these blocks
            count = sum(number <= before for number in shown)
            chance = -math.inf if is_text else math.log(2) - _log_choose(len(shown), count)
            words = f"{_word(shown[before])} up to block {before}, and {_word(shown[after])} from block {after} on"
            switched.setdefault((name, before, after), []).append((treatment, words, min(chance, 0.0)))
        elif is_text and _repeats(shown):
            values = sorted({str(value) for values in shown.values() for value in values})
            yield Remark(
                Severity.WARNING,
                treatment,
                f"{printable(name)} has {len(values)} values, now one and now another: "
                f"{', '.join(map(printable, values[:3]))}{' and others' if len(values) > 3 else ''}",
                "the blocks are not all of the same thing",
                "find out what differs, and measure each by itself",
            )
    for (name, _, _), hits in switched.items():
        if math.fsum(chance for _, _, chance in hits) < math.log(CHANCE):
            for treatment, words, _ in hits:
                yield Remark(
                    # A session that goes on with a run may have other keys, and notes it.
                    Severity.FATAL if record.sessions == 1 else Severity.WARNING,
                    treatment,
                    f"{printable(name)} is {words}",
                    "two things were measured under one name, and their blocks are averaged",
                    f"measure each of them by itself; if nothing was changed during the run, {ASK}",
                )


def _columns(record: RunRecord) -> Mapping[tuple[str, str], Shown]:
    """By treatment and witness, what every block shows."""
    columns: dict[tuple[str, str], Shown] = {}
    for number, treatment, visited in record.visits():
        for said in visited.shown:
            for name, value in said.items():
                of = columns.setdefault((treatment, name), {})
                of[number] = of.get(number, frozenset()) | {value}
    return columns


def _switch(shown: Shown) -> tuple[int, int] | None:
    """The last block of one value and the first one of another, where there are two and no way back."""
    numbers = sorted(shown)
    changes = [(one, other) for one, other in pairwise(numbers) if shown[one] != shown[other]]
    if len(changes) != 1:
        return None
    one, other = changes[0]
    return changes[0] if len(shown[one]) == len(shown[other]) == 1 else None


def _repeats(shown: Shown) -> bool:
    """Whether there are different values, and few of them: where every process has its own, it is a name of it."""
    different = {value for values in shown.values() for value in values}
    return 1 < len(different) <= len(shown) / 2


def _word(values: frozenset[Witness]) -> str:
    return printable(str(next(iter(values))))


def _log_choose(whole: int, part: int) -> float:
    return math.log(math.comb(whole, part))


CHANGED_WITNESS: Check[RunEvidence] = Check(
    id="changed-witness",
    rule="F: what a subject says that it is (its version, library, mode) changes once and for all within a session; "
    "W: between sessions, or to and fro",
    examine=_examine,
    applies=lambda evidence: (
        evidence.record is not None and any(visited.shown for _, _, visited in evidence.record.visits())
    ),
)
