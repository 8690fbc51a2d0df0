"""An operation that does another one as a part of itself cannot be faster than that."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import Worst, unknown, worst
from sectax.audit.checks.growth import time_of
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import duration, number
from sectax.audit.form import Evidence, Series
from sectax.model.finding import Severity

# Two figures for the same work, of few trials each, differ by less than this factor; a cold one by chance by more.
CLEARLY_FASTER = 0.5


def _seen(evidence: Evidence) -> list[Series]:
    return [one for one in evidence.series if one.work.contains and one.seconds_per_operation() is not None]


@check("F: an operation takes less than half the time of another that it must do as a part of itself", sees=_seen)
def contained_work(evidence: Evidence) -> Iterator[Remark]:
    seen = _seen(evidence)
    part_of: dict[Series, Series] = {}
    for one in seen:
        parts = [
            other
            for other in evidence.series
            if other.work.operation in (one.work.contains or ()) and _is_comparable(one, other)
        ]
        # Of several figures for the part the fastest is the one that the whole must still exceed.
        if parts:
            part_of[one] = min(parts, key=time_of)
    alone = [one for one in seen if one not in part_of]
    yield from unknown(alone, "the operation that it contains was not measured beside it")

    faults: Worst = {}
    for one, part in part_of.items():
        if 0 < time_of(one) < CLEARLY_FASTER * time_of(part):
            times = f"{one.id}: {duration(time_of(one))}; {part.id}: {duration(time_of(part))}"
            faster = time_of(part) / time_of(one)
            what = f"{one.work.operation or 'the operation'} contains {part.work.operation}"
            faults[one] = faster, f"{what}, and is {number(faster)} times as fast ({times})"
    meaning = "the work was not done: no request was sent, or its answer was not awaited"
    yield from worst(Severity.FATAL, faults, meaning, "await the answer, read it to its end and check it")


def _is_comparable(one: Series, other: Series) -> bool:
    """Whether both are of the same quantity, and all levels that both have are equal but for the operation's name."""
    statistics = [tuple(claim.statistic for claim in series.claims) for series in (one, other)]
    return (
        (other.metric, other.quantity, statistics[1]) == (one.metric, one.quantity, statistics[0])
        and other.seconds_per_operation() is not None
        and all(
            one.levels[factor] == other.levels[factor]
            for factor in one.levels.keys() & other.levels.keys()
            if other.levels[factor] != other.work.operation
        )
    )
