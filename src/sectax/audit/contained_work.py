"""An operation that does another one as a part of itself cannot be faster than that."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.check import Check, Remark, fatal
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import each_table, seconds_per_operation, unknown
from sectax.audit.growth import overlap
from sectax.audit.named_parts import named_parts
from sectax.audit.over_blocks import interval, parts_of, typical_speeds
from sectax.audit.words import duration, ids, named, number
from sectax.model.finding import Severity
from sectax.model.treatment import Role

# Two figures for the same work, of few trials each, differ by less than this factor; a cold one by chance by more.
CLEARLY_FASTER = 0.5
# Of the time of the whole, where only names tell that it is one.
LONGER_BY_NAME = 1.25
# Shared by all pairs of a run of ours: that a whole which takes as long as its part is called faster by the margin.
CHANCE = 0.005


def _sees(evidence: Evidence) -> list[Figure]:
    return [
        each for each in evidence.printed if each.circumstances.contains and seconds_per_operation(each) is not None
    ]


def _examine(evidence: Evidence) -> Iterator[Remark]:
    seen = _sees(evidence)
    by_operation: dict[str | None, list[Figure]] = {}
    for figure in evidence.printed:
        by_operation.setdefault(figure.circumstances.operation, []).append(figure)
    part_of = {}
    for figure in seen:
        beside = [each for name in figure.circumstances.contains or () for each in by_operation.get(name, ())]
        # Of several figures for the part the fastest is the one that the whole must still exceed.
        part = min((other for other in beside if _comparable(figure, other)), key=_time, default=None)
        if part is not None:
            part_of[figure.id] = part
    alone = [figure for figure in seen if figure.id not in part_of]
    yield from unknown(alone, "the operation that it contains was not measured beside it")

    def saw(table: list[Figure]) -> str:
        worst = max(table, key=lambda figure: _time(part_of[figure.id]) / _time(figure))
        part = part_of[worst.id]
        return (
            f"{worst.circumstances.operation or 'the operation'} contains {part.circumstances.operation}, and is "
            f"{number(_time(part) / _time(worst))} times as fast ({worst.id}: {duration(_time(worst))}; {part.id}: "
            f"{duration(_time(part))}). Seen in {named(table)}"
        )

    yield from each_table(
        Severity.FATAL,
        [
            each
            for each in seen
            # What takes no time at all is another check's word.
            if each.id in part_of and 0 < _time(each) < CLEARLY_FASTER * _time(part_of[each.id])
        ],
        saw,
        "the work was not done: no request was sent, or its answer was not awaited",
        "await the answer, read it to its end and check it",
    )
    yield from _by_names(evidence)
    yield from _in_runs(evidence)


def _by_names(evidence: Evidence) -> Iterator[Remark]:
    """W where 'push' takes longer than 'push and pop': nobody says that the one is a part of the other but its name."""
    found = [
        (whole, part)
        for whole, part in named_parts(evidence)
        if _time(part) > LONGER_BY_NAME * _time(whole) and not overlap(part, whole)
    ]
    for name in dict.fromkeys(whole.table for whole, _ in found):
        pairs = [pair for pair in found if pair[0].table == name]
        whole, part = max(pairs, key=lambda pair: _time(pair[1]) / _time(pair[0]))
        figures = [each for pair in pairs for each in pair]
        yield Remark(
            Severity.WARNING,
            name,
            f"{whole.id} by its name does more than {part.id}, and is {number(_time(part) / _time(whole))} times as "
            f"fast ({duration(_time(whole))} and {duration(_time(part))}). Seen in {named(figures)}",
            "if it does, a part was not done, or the two do not do the same (an empty queue, a full one)",
            "see what each of them does; --contains 'WHOLE>PART' says that one holds the other",
            ids(figures),
        )


def _pairs(evidence: Evidence) -> list[tuple[Figure, Figure]]:
    """Of a run of ours: what was measured beside something that it contains."""
    return [(whole, part) for whole in typical_speeds(evidence) for part in parts_of(whole, evidence) if part.seconds()]


def _in_runs(evidence: Evidence) -> Iterator[Remark]:
    pairs = _pairs(evidence)
    matters = math.log1p(evidence.margin)
    for whole, part in pairs:
        of_whole, of_part = whole.seconds(), part.seconds()
        logs = [math.log(of_whole[block] / of_part[block]) for block in of_whole if block in of_part]
        low, high = interval(logs, CHANCE / len(pairs))
        if high < -matters:
            # A baseline is the yardstick of others, which may be sound.
            blamed = part if _is_baseline(evidence, whole) and not _is_baseline(evidence, part) else whole
            yield fatal(
                blamed.treatment,
                f"{whole.circumstances.operation} does all that {part.circumstances.operation} does, and takes "
                f"{-100 * math.expm1(high):.2g} to {-100 * math.expm1(low):.2g} % less time ({whole.id}; {part.id})",
                "the work was not done, or not the same: the difference is not what the treatment costs",
                "find out what the one leaves out, or the other does besides",
            )


def _is_baseline(evidence: Evidence, figure: Figure) -> bool:
    return evidence.arms[figure.treatment].role is Role.BASELINE


def _comparable(figure: Figure, other: Figure) -> bool:
    """Whether both are the same quantity, and all levels that both have are equal but for the operation's name."""
    return (
        (other.metric, other.quantity, other.statistic) == (figure.metric, figure.quantity, figure.statistic)
        and seconds_per_operation(other) is not None
        and all(
            figure.levels[factor] == other.levels[factor]
            for factor in figure.levels.keys() & other.levels.keys()
            if other.levels[factor] != other.circumstances.operation
        )
    )


def _time(figure: Figure) -> float:
    return seconds_per_operation(figure) or 0.0


CONTAINED_WORK = Check(
    id="contained-work",
    rule="F: an operation takes less than half the time of another that it must do as a part of itself; W: one whose "
    "name holds another's ('push and pop', 'push') takes less than four fifths of its time; in a run of ours, where "
    "the interval leaves no doubt that it is faster by the margin",
    examine=_examine,
    sees=_sees,
    applies=lambda evidence: bool(_pairs(evidence)) or any(named_parts(evidence)),
)
