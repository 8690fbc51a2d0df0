"""An operation that does another one as a part of itself cannot be faster than that."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.check import Check
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import by_table, ids, named, seconds_per_operation, untold
from sectax.audit.own_figures import OwnFigure, interval, parts_of, typical_speeds
from sectax.model.finding import Severity, Warning

# Two figures for the same work, of few trials each, differ by less than this factor; a cold one by chance by more.
CLEARLY_FASTER = 0.5
# Shared by all pairs of a run of ours: that a whole which takes as long as its part is called faster by the margin.
CHANCE = 0.005


def _sees(evidence: Evidence) -> list[Figure]:
    return [
        figure
        for figure in evidence.figures
        if figure.circumstances.contains and seconds_per_operation(figure) is not None
    ]


def _examine(evidence: Evidence) -> Iterator[Warning]:
    alone, faster = [], []
    by_operation: dict[str | None, list[Figure]] = {}
    for figure in evidence.figures:
        by_operation.setdefault(figure.circumstances.operation, []).append(figure)
    for figure in _sees(evidence):
        parts = [
            other
            for operation in figure.circumstances.contains or ()
            for other in by_operation.get(operation, ())
            if _comparable(figure, other)
        ]
        if not parts:
            alone.append(figure)
            continue
        # Of several figures for the part the fastest is the one that the whole must still exceed.
        part = min(parts, key=_time)
        if _time(figure) < CLEARLY_FASTER * _time(part):
            faster.append((figure, part))
    yield from untold(CONTAINED_WORK.id, alone, "the operation that it contains was not measured beside it")
    for table in by_table(figure for figure, _ in faster):
        worst, part = max(
            (pair for pair in faster if pair[0].table == table[0].table),
            key=lambda pair: _time(pair[1]) / _time(pair[0]),
        )
        yield Warning(
            CONTAINED_WORK.id,
            Severity.FATAL,
            table[0].table,
            f"{worst.circumstances.operation or 'the operation'} contains {part.circumstances.operation}, and is "
            f"{_time(part) / _time(worst):.3g} times as fast ({worst.id}: {_time(worst):.3g} s; {part.id}: "
            f"{_time(part):.3g} s). So in {named(table)}",
            "the work was not done: no request was sent, or its answer was not awaited",
            "await the answer, read it to its end and check it",
            ids(table),
        )
    yield from _in_runs(evidence)


def _pairs(evidence: Evidence) -> list[tuple[OwnFigure, OwnFigure]]:
    """Of a run of ours: what was measured beside something that it contains."""
    typical = typical_speeds(evidence.own_figures)
    return [(whole, part) for whole in typical for part in parts_of(whole, typical)]


def _in_runs(evidence: Evidence) -> Iterator[Warning]:
    pairs = _pairs(evidence)
    matters = math.log1p(evidence.margin)
    for whole, part in pairs:
        of_whole, of_part = whole.seconds(), part.seconds()
        logs = [math.log(of_whole[block] / of_part[block]) for block in of_whole if block in of_part]
        low, high = interval(logs, CHANCE / len(pairs))
        if high < -matters:
            yield Warning(
                CONTAINED_WORK.id,
                Severity.FATAL,
                # A baseline is the yardstick of others, which may be sound.
                part.treatment if whole.is_baseline and not part.is_baseline else whole.treatment,
                f"{whole.circumstances.operation} does all that {part.circumstances.operation} does, and takes "
                f"{-100 * math.expm1(high):.2g} to {-100 * math.expm1(low):.2g} % less time ({whole.id}; {part.id})",
                "the work was not done, or not the same: the difference is not what the treatment costs",
                "find out what the one leaves out, or the other does besides",
            )


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
    rule="F: an operation takes less than half the time of another that it must do as a part of itself; in a run of "
    "ours, where the interval leaves no doubt that it is faster by the margin",
    applies=lambda evidence: bool(_sees(evidence)) or bool(_pairs(evidence)),
    examine=_examine,
    sees=_sees,
)
