"""The first operations of a process are another quantity than the later ones, which begin where its warm-up ends."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate
from statistics import median
from typing import TYPE_CHECKING

from sectax.audit.check import Check, Remark, warning
from sectax.audit.evidence import Arm, Evidence
from sectax.audit.few_values import slow_starts
from sectax.audit.figure import Cold, Figure, Quantity
from sectax.audit.first_row import first_row
from sectax.audit.grouping import about, by_table, cell, each_table, gather, slowness, speeds, unknown, worst_of_tables
from sectax.audit.over_blocks import Hit, column, has_batches, unwatched, warn, watched
from sectax.audit.rounding import MOST_LOOKED_AT, printed_step
from sectax.audit.words import named, percent
from sectax.model.finding import Severity
from sectax.model.measured import BatchShape
from sectax.model.treatment import Role
from sectax.stats.far_values import Beginning, apart_at_the_beginning, beyond_chance

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The chance that any of the healthy vectors of a source is called different.
CHANCE = 0.01
FEWEST_VALUES = 5
# Fewer series show nothing that one of them does not show; of the parts of one figure two do.
# In a few of them the first must be the slowest of all, and chance make that so less than once in 500 tables.
FEWEST_SERIES, FEWEST_PARTS = 6, 2
FEWEST_SLOWEST, CHANCE_OF_SLOWEST = 3, 2e-3
# Student's chances hold for normal noise. With the tail of a gamma distribution so many times as many are called
# different; and the smallest of them say nothing, so that they show nothing of one among many series.
TAILS, LEAST_BY_STUDENT = 4.0, 2e-3
# Of more ranks the normal approximation is as good as counting them.
MOST_RANKS = 2000
# A smaller difference is no reason for doubt, however sure it is.
LEAST_DIFFERENCE = 0.05
# As standard deviation of logs: values that repeat on a coarse clock show no spread of their own.
LEAST_SPREAD = 0.01
# The chance that the first batches of any treatment of a healthy run are called different.
CHANCE_OF_BATCHES = 0.005
# They are the baseline again, and have its warm-up.
_COPIES = (Role.NEGATIVE, Role.POSITIVE)


def _examine(evidence: Evidence) -> Iterator[Remark]:
    yield from _figures(evidence)
    yield from first_row(evidence)
    yield from _single(evidence)
    yield from _in_runs(evidence)


def _figures(evidence: Evidence) -> Iterator[Remark]:
    seen = speeds(evidence)
    yield from each_table(
        Severity.FATAL,
        [figure for figure in seen if figure.circumstances.cold is Cold.MIXED],
        lambda table: f"cold and warm trials are in one summary, in {named(table)}",
        "two quantities were mixed, and the figure is of neither",
        "report the first trial by itself, and the later ones by themselves",
    )
    open_ = [figure for figure in seen if figure.circumstances.cold is None]
    told = [figure for figure in seen if figure.circumstances.cold is not Cold.MIXED]
    vectors = [group for group in gather(told, cell) if _long_enough(group[0].values)]
    begun = [_beginning(slowness(group[0])[:MOST_LOOKED_AT]) for group in vectors]
    different = {
        figure.id: begun[at] for at in beyond_chance([each.chance for each in begun], CHANCE) for figure in vectors[at]
    }
    yield from worst_of_tables(
        Severity.WARNING,
        [figure for group in vectors for figure in group if figure.id in different],
        lambda figure: abs(different[figure.id].excess),
        lambda figure: _said_of(different[figure.id], len(figure.values)),
        "it belongs to the warm-up, and is part of the figure",
        "throw the first trial away, or report it by itself; or warm up for longer",
    )
    yield from slow_starts(evidence)
    yield from _together([group[0] for group in gather(told, cell) if _repeated(group[0].values)])
    yield from _of_processes(seen)
    with_values = {figure.id for group in vectors for figure in group}
    yield from unknown(
        [figure for figure in open_ if figure.id not in with_values],
        "whether the first, cold trials are in the figure is not reported, nor are enough single values",
    )


def _single(evidence: Evidence) -> Iterator[Remark]:
    """Figures of one operation alone, where its number was to fit a time."""
    told = [
        figure
        for figure in speeds(evidence)
        if figure.quantity is Quantity.TIME
        and figure.circumstances.calibrated is True
        and figure.circumstances.events == 1
    ]
    yield from each_table(
        Severity.WARNING,
        told,
        lambda table: (
            f"{len(table)} {'figure is' if len(table) == 1 else 'figures are'} of one operation alone, in "
            f"{named(table)}"
        ),
        "the first operation has all that comes once in it, and nothing shows how far the next is from it",
        "measure for longer (-benchtime=100x), or throw the first operation away",
    )


def _together(figures: list[Figure]) -> Iterator[Remark]:
    """The first values of many series of a table, each of which by itself may be chance."""
    tables = [table for table in by_table(figures) if len(table) >= FEWEST_SLOWEST]
    for table in tables:
        series = [slowness(figure) for figure in table]
        excess, chance = _first_of_each(series)
        always = math.prod(1 / values.size for values in series) if all(map(_begins_slowest, series)) else 1.0
        certain = (len(table) >= FEWEST_SERIES and chance < CHANCE / len(tables)) or always <= CHANCE_OF_SLOWEST
        if abs(excess) >= math.log1p(LEAST_DIFFERENCE) and certain:
            yield about(
                Severity.WARNING,
                table,
                f"the first value of {len(table)} series is {percent(excess)} from the others of its series, in the "
                "middle of them",
                "it belongs to the warm-up, and is part of the figures",
                "throw the first value of each away, or report it by itself",
            )


def _of_processes(figures: list[Figure]) -> Iterator[Remark]:
    """The first values of the processes that a figure's single values come from."""
    told = [group[0] for group in gather(figures, cell) if _has_processes(group[0])]
    excesses = {}
    for figure in told:
        values = slowness(figure)
        ends = list(accumulate(figure.circumstances.per_replicate or ()))
        parts = [values[begin:end] for begin, end in zip([0, *ends], ends, strict=False) if end - begin >= 2]
        excess, chance = _first_of_each(parts) if len(parts) >= FEWEST_PARTS else (0.0, 1.0)
        if abs(excess) >= math.log1p(LEAST_DIFFERENCE) and chance < CHANCE / len(told):
            excesses[figure.id] = excess
    yield from worst_of_tables(
        Severity.WARNING,
        [figure for figure in told if figure.id in excesses],
        lambda figure: abs(excesses[figure.id]),
        lambda figure: f"the first value of a process is {percent(excesses[figure.id])} from its others, in the middle",
        "a warm-up that was too short, or work that comes at the beginning: it is part of the figure",
        "a longer warm-up, or more values of each process",
    )


def _has_processes(figure: Figure) -> bool:
    told = figure.circumstances.per_replicate
    return told is not None and sum(told) == len(figure.values) and min(figure.values, default=0) > 0


def _first_of_each(series: Sequence[NDArray]) -> tuple[float, float]:  # type: ignore[type-arg]
    """By how much the first of each series differs from the rest, in logs, the median; and the chance of its ranks.

    Ranks are the same for noise of any kind; ties are broken without regard to the order.
    """
    import numpy as np
    from scipy.special import ndtr

    from sectax.stats.single_values import fair_ranks

    sizes = [values.size for values in series]
    ranks = sum(int(fair_ranks(values)[0]) for values in series)
    excess = float(np.median([math.log(values[0]) - math.log(np.median(values[1:])) for values in series]))
    if sum(sizes) <= MOST_RANKS:
        ways = np.ones(1)
        for size in sizes:
            ways = np.convolve(ways, np.full(size, 1 / size))
        return excess, min(1.0, 2 * float(min(ways[: ranks + 1].sum(), ways[ranks:].sum())))
    away = ranks - sum(size - 1 for size in sizes) / 2
    likely = math.sqrt(math.fsum((size * size - 1) / 12 for size in sizes))
    return excess, 2 * float(ndtr(-abs(away) / likely))


def _said_of(beginning: Beginning, of: int) -> str:
    ratio = math.exp(min(beginning.excess, 100))
    first = "the first" if beginning.number == 1 else f"the first {beginning.number}"
    verb = "is" if beginning.number == 1 else "are"
    return f"{first} of {of} values {verb} {ratio:.3g} times the middle of the rest"


def _beginning(times: NDArray) -> Beginning:  # type: ignore[type-arg]
    """The first of the values, or the first few, outside of what the rest predicts, and the chance of that.

    Of the first alone two things are looked at: Student's prediction interval on logs, where it lies beyond all of the
    rest (noise with heavy tails often fails the one and seldom the other too); and, as of the first few, how far the
    gap to the rest is beyond others at that end. Where nothing is apart, or too little to matter, the chance is 1.
    """
    import numpy as np
    from scipy.special import stdtr

    logs = np.log(times)
    first, rest = float(logs[0]), logs[1:]
    found = []
    if not rest.min() <= first <= rest.max():
        spread = max(float(rest.std(ddof=1)), LEAST_SPREAD)
        t = abs(first - float(rest.mean())) / (spread * math.sqrt(1 + 1 / rest.size))
        chance = TAILS * 2 * float(stdtr(rest.size - 1, -t))
        found.append(Beginning(1, first - float(np.median(rest)), min(1.0, max(chance, LEAST_BY_STUDENT))))
    # What repeats on a coarse clock shows no spread of its own.
    step = max(LEAST_SPREAD / logs.size, printed_step(times.tolist()) / float(np.median(times)))
    several = apart_at_the_beginning(logs, step)
    if several is not None:
        found.append(several)
    found = [each for each in found if abs(each.excess) >= math.log1p(LEAST_DIFFERENCE)]
    return min(found, key=lambda each: each.chance, default=Beginning(1, 0.0, 1.0))


def _long_enough(values: Sequence[float]) -> bool:
    return len(values) >= FEWEST_VALUES and min(values) > 0


def _repeated(values: Sequence[float]) -> bool:
    return len(values) >= 2 and min(values) > 0


def _begins_slowest(times: NDArray) -> bool:  # type: ignore[type-arg]
    return float(times[0]) > float(times[1:].max())


def _in_runs(evidence: Evidence) -> Iterator[Remark]:
    """W where the first counted batch differs from the others in block after block, by the margin or more.

    Less does not matter in a block's value, of which the first batch is a small part.
    """
    yield from unwatched(evidence)
    arms = watched(evidence)
    hits = [
        (arm, excess)
        for arm in arms
        if abs(excess := median(column(arm, lambda shape: shape.first_excess))) >= math.log1p(evidence.margin)
        and _out_of_place(arm) < CHANCE_OF_BATCHES / len(arms)
    ]
    yield from warn(
        arms,
        hits,
        _saw,
        "a warm-up that was too short, or work that comes at the beginning: part of a difference may be that",
        _longer_warm_up(evidence),
    )


def _saw(hit: Hit) -> str:
    return f"the first counted batch of a process differs from its others by {percent(hit[1])}"


def _out_of_place(arm: Arm) -> float:
    """The p-value of 'the first is any of the batches', from its ranks over the blocks.

    Ranks are the same for noise of any kind. Their spread over the blocks counts where it is larger than chance
    makes it: where the speed wanders, first batches are the fastest or the slowest more often.
    """
    from scipy.special import ndtr

    from sectax.stats.diagnostics import away_from_zero

    ranks = column(arm, _centred)
    likely = math.sqrt(math.fsum((1 - shape.batches**-2) / 12 for shape in arm.shapes.values()))
    by_chance = 2 * float(ndtr(-abs(math.fsum(ranks)) / likely))
    return max(by_chance, away_from_zero(ranks))


def _centred(shape: BatchShape) -> float:
    return shape.first_rank - 0.5


def _longer_warm_up(evidence: Evidence) -> str:
    """What shows the pilot the end of the warm-up, in a run of this preset."""
    if evidence.preset == "quick":
        return "run it without --quick: longer batches let the pilot see more of it"
    return "run it again when the machine is quieter; where it stays, the subject warms up for longer than a pilot"


def _pilot(evidence: Evidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        if arm.settled is False and arm.role not in _COPIES:
            yield warning(
                arm.id,
                "its speed was still changing when the pilot ended",
                "its first counted batches may belong to its warm-up: part of a difference may be that of warming up",
                _longer_warm_up(evidence),
            )


FIRST_TRIAL = Check(
    id="first-trial",
    rule="F: cold and warm trials are in one summary; W: a log holds both; the first value, or counted batch, differs "
    "from the rest",
    examine=_examine,
    sees=speeds,
    applies=has_batches,
)

WARM_UP = Check(
    id="warm-up",
    rule="W: the pilot did not see the end of the warm-up",
    examine=_pilot,
    applies=lambda evidence: any(arm.settled is not None for arm in evidence.arms.values()),
)
