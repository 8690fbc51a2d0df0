"""The first operations of a process are different from the later ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from sectax.audit.checks.groups import about, by_table, each_table, ids, slowness, things, unknown, worst_of_tables
from sectax.audit.checks.interface import Check, Remark
from sectax.audit.checks.steps import MOST_LOOKED_AT
from sectax.audit.checks.words import named, number, percent
from sectax.audit.form import Cold, Evidence, Series
from sectax.model.finding import Severity
from sectax.stats.far_values import Beginning, apart_at_the_beginning, beyond_chance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The chance that any of the healthy series of a source is called different.
CHANCE = 0.01
FEWEST_VALUES = 5
# A smaller difference is no reason for doubt, however sure it is.
LEAST_DIFFERENCE = 0.05
# As standard deviation of logs: values that repeat on a coarse clock show no spread of their own.
LEAST_SPREAD = 0.01
# Of few values: so many times the slowest of the others, which are within this factor of each other.
SLOW_START, ALIKE = 1.5, 1.25
# Series of a table whose first values are looked at together.
FEWEST_SERIES = 6

PART_OF = "it belongs to the warm-up, and is part of the figure"
DISCARD = "discard the first trial, or report it by itself"


def _examine(evidence: Evidence) -> Iterator[Remark]:
    speeds = evidence.speeds
    yield from each_table(
        Severity.FATAL,
        [one for one in speeds if one.work.cold is Cold.MIXED],
        lambda table: f"cold and warm trials are in one summary, in {named(ids(table))}",
        "two quantities were mixed, and the figure is of neither",
        "report the first trial by itself, and the later ones by themselves",
    )
    told = [group[0] for group in things(speeds) if group[0].work.cold is not Cold.MIXED]
    positive = [one for one in told if len(one.values) >= 2 and min(one.values) > 0]
    enough = [one for one in positive if len(one.values) >= FEWEST_VALUES]
    begun = [_beginning(slowness(one)[:MOST_LOOKED_AT]) for one in enough]
    different = {enough[at]: begun[at] for at in beyond_chance([beginning.chance for beginning in begun], CHANCE)}
    yield from worst_of_tables(
        Severity.WARNING,
        different,
        lambda one: abs(different[one].excess),
        lambda one: _said_of(different[one], len(one.values)),
        PART_OF,
        DISCARD,
    )
    few = {one: ratio for one in positive if one not in different and (ratio := _slow_start(one)) is not None}
    yield from worst_of_tables(
        Severity.WARNING,
        few,
        lambda one: few[one],
        lambda one: f"the first of {len(one.values)} values is {number(few[one])} times the others, which are close",
        PART_OF,
        DISCARD,
    )
    yield from _together([one for one in positive if one not in different and one not in few])
    yield from _of_processes(positive)
    silent = [one for one in speeds if one.work.cold is None and not len(one.values) >= FEWEST_VALUES]
    yield from unknown(
        silent, "whether the first, cold trials are in the figure is not reported, nor enough single values"
    )


def _said_of(beginning: Beginning, of: int) -> str:
    ratio = math.exp(min(beginning.excess, 100))
    first = "the first" if beginning.number == 1 else f"the first {beginning.number}"
    verb = "is" if beginning.number == 1 else "are"
    return f"{first} of {of} values {verb} {ratio:.3g} times the median of the rest"


def _beginning(times: NDArray[np.float64]) -> Beginning:
    """The first values outside of what the rest predicts, and the chance of that: 1 where that is too little to matter.

    Of the first alone Student's prediction interval on logs, where it lies beyond all of the rest; and, as of the first
    few, how wide the gap to the rest is beside others at that end.
    """
    import numpy as np
    from scipy.special import stdtr

    logs = np.log(times)
    first, rest = float(logs[0]), logs[1:]
    found = []
    if not rest.min() <= first <= rest.max():
        spread = max(float(rest.std(ddof=1)), LEAST_SPREAD)
        t = abs(first - float(rest.mean())) / (spread * math.sqrt(1 + 1 / rest.size))
        # Noise with heavy tails is called different several times as often as Student says.
        chance = min(1.0, max(8 * float(stdtr(rest.size - 1, -t)), 2e-3))
        found.append(Beginning(1, first - float(np.median(rest)), chance))
    several = apart_at_the_beginning(logs, LEAST_SPREAD / logs.size)
    if several is not None:
        found.append(several)
    found = [beginning for beginning in found if abs(beginning.excess) >= math.log1p(LEAST_DIFFERENCE)]
    return min(found, key=lambda beginning: beginning.chance, default=Beginning(1, 0.0, 1.0))


def _slow_start(one: Series) -> float | None:
    """How many times the slowest of the others the first is, of 3 to 9 values of which the others are close."""
    if not 3 <= len(one.values) < 10:
        return None
    first, *others = slowness(one).tolist()
    ratio = first / max(others)
    return ratio if ratio >= SLOW_START and max(others) <= ALIKE * min(others) else None


def _together(every: list[Series]) -> Iterator[Remark]:
    """The first values of many series of a table, each of which by itself may be chance."""
    tables = [table for table in by_table(every) if len(table) >= FEWEST_SERIES]
    for table in tables:
        excess, chance = _first_of_each([slowness(one) for one in table])
        if abs(excess) >= math.log1p(LEAST_DIFFERENCE) and chance < CHANCE / len(tables):
            saw = f"the first value of {len(table)} series is typically {percent(excess)} from the others of its series"
            yield about(Severity.WARNING, table, saw, "it belongs to the warm-up, and is part of the figures", DISCARD)


def _of_processes(every: list[Series]) -> Iterator[Remark]:
    """The first values of the processes that a series' single values come from."""
    excesses: dict[Series, float] = {}
    told = [one for one in every if sum(one.work.per_replicate or ()) == len(one.values)]
    for one in told:
        values = slowness(one)
        ends = list(accumulate(one.work.per_replicate or ()))
        parts = [values[begin:end] for begin, end in zip([0, *ends], ends, strict=False) if end - begin >= 2]
        excess, chance = _first_of_each(parts) if len(parts) >= 2 else (0.0, 1.0)
        if abs(excess) >= math.log1p(LEAST_DIFFERENCE) and chance < CHANCE / len(told):
            excesses[one] = excess
    yield from worst_of_tables(
        Severity.WARNING,
        excesses,
        lambda one: abs(excesses[one]),
        lambda one: f"the first value of a process is typically {percent(excesses[one])} from its others",
        "a warm-up that was too short, or work that comes at the beginning: it is part of the figure",
        "a longer warm-up, or more values of each process",
    )


def _first_of_each(series: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
    """By how much the first of each series differs from the rest, in logs, the median; and the chance of its ranks.

    Ranks are the same for noise of any kind; ties are broken without regard to the order.
    """
    import numpy as np
    from scipy.special import ndtr

    from sectax.stats.single_values import fair_ranks

    sizes = [values.size for values in series]
    ranks = sum(int(fair_ranks(values)[0]) for values in series)
    excess = float(np.median([math.log(values[0]) - math.log(np.median(values[1:])) for values in series]))
    away = abs(ranks - sum(size - 1 for size in sizes) / 2) - 0.5
    likely = math.sqrt(math.fsum((size * size - 1) / 12 for size in sizes))
    return excess, 2 * float(ndtr(-max(away, 0.0) / likely))


FIRST_TRIAL = Check(
    id="first-trial",
    rule="F: cold and warm trials are in one summary; W: the first value differs from the rest",
    examine=_examine,
    sees=lambda evidence: ids(evidence.speeds),
)
