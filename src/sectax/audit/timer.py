"""Batches so short that the clock's own step shows in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sectax.audit.check import Check, Remark, cannot_be_checked, fatal
from sectax.audit.evidence import Arm, Evidence
from sectax.audit.figure import Figure, Quantity
from sectax.audit.grouping import cell, each_table, gather, sides, unknown
from sectax.audit.rounding import FEWEST_TO_COPY, MOST_LOOKED_AT, copied_run, off_any_grid, step_of
from sectax.audit.words import duration, ids, named
from sectax.audit.words import share as share_of
from sectax.model.finding import Severity
from sectax.model.measured import BatchStatistics

FEWEST_STEPS = 100
ENOUGH_STEPS = 1000
MOST_DUPLICATES = 0.1
# Of fewer batches a share of duplicates says nothing: two equal ones among ten are chance.
FEWEST_BATCHES = 20
# Of somebody's single values: fewer repeats may be chance, whatever grid they lie on.
FEWEST_REPEATS = 5
# Of somebody's single values: from this share of zeros on, nothing can be said of the time.
MOST_ZEROS = 0.1
# A step, as a share of the value: from here on rounding may change it by 5 %; and a value that is one step long.
COARSE, ONE_TICK = 0.1, 2 / 3
# Of the baseline's time: a step that hides less hides no cost that matters.
LEAST_HIDDEN = 0.05
# A mean or median of fewer printed steps: rounding may change it by a quarter.
FEWEST_PRINTED = 3
# A trial of fewer ticks, which summaries show: rounding may change it by 2.5 %, more or less so in each.
FEWEST_TICKS = 20
# Where so little would be printed, a minimum of 0 is no rounding.
SEEN_S = 1e-6


def _examine(evidence: Evidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        yield from _arm(arm)
    yield from _figures(evidence)


def _arm(arm: Arm) -> Iterator[Remark]:
    batches = arm.batches
    if batches is None or batches.batches < 1:
        yield cannot_be_checked(arm.id, "the times of single batches are not reported")
        return
    yield from _repeats(arm.id, batches)
    if arm.granularity_s is None:
        yield cannot_be_checked(arm.id, "the step of the clock is not reported")
        return
    yield from _steps(arm.id, batches, arm.granularity_s)


def _repeats(subject: str, batches: BatchStatistics) -> Iterator[Remark]:
    """A warning where equal values betray a clock that is coarser than it says.

    Many batches of a quiet subject repeat a value even on a clock that is fine enough. Where the data show the step
    between neighbouring values, and a batch is long beside it, they are innocent.
    """
    if batches.duplicate_share <= MOST_DUPLICATES or batches.batches < FEWEST_BATCHES:
        return
    if batches.step_s is not None and batches.shortest_s >= ENOUGH_STEPS * batches.step_s:
        return
    yield fatal(
        subject,
        f"{100 * batches.duplicate_share:.0f} % of {batches.batches} batch times repeat another one exactly",
        "the clock is coarser than it says, or values were copied",
        "longer batches, or a finer clock",
    )


def _steps(subject: str, batches: BatchStatistics, granularity_s: float) -> Iterator[Remark]:
    steps = batches.shortest_s / granularity_s
    if steps < ENOUGH_STEPS:
        yield Remark(
            Severity.FATAL if steps < FEWEST_STEPS else Severity.WARNING,
            subject,
            f"the shortest batch lasts {steps:.0f} steps of its clock ({granularity_s:.2g} s each)",
            f"rounding alone may change it by {100 / max(steps, 1e-9):.2g} %",
            "longer batches",
        )


def _sees(evidence: Evidence) -> list[Figure]:
    return [figure for figure in evidence.printed if figure.quantity in (Quantity.TIME, Quantity.TOTAL_TIME)]


def _figures(evidence: Evidence) -> Iterator[Remark]:
    """The same for figures: one warning for all figures of a table that have the same fault."""
    # Summaries of a cell share its single values, and are judged once.
    groups = gather(_sees(evidence), lambda figure: cell(figure) if len(figure.values) else figure.id)
    yield from _told(groups, _of_values, lambda figure: len(figure.values) >= FEWEST_TO_COPY or _has_zeros(figure))
    yield from _printed_zeros(evidence)
    yield from _told(groups, _steps_of, _has_steps)
    yield from _few_ticks(evidence)
    yield from _lost_in_a_step(evidence)
    yield from unknown(
        [figure for group in groups if not _has_steps(group[0]) for figure in group],
        "the step of the clock is not reported",
    )


def _has_zeros(figure: Figure) -> bool:
    return len(figure.values) > 0 and min(figure.values) == 0


def _printed_zeros(evidence: Evidence) -> Iterator[Remark]:
    """Summaries that are printed as no time at all. Where nothing was counted, another check says so."""
    printed = [
        figure
        for figure in _sees(evidence)
        if evidence.imported
        and figure.value is not None
        and not len(figure.values)
        and figure.circumstances.events != 0
    ]
    yield from each_table(
        Severity.WARNING,
        [figure for figure in printed if figure.value == 0 and not _is_rounded_minimum(figure)],
        lambda table: f"a time is printed as 0, in {named(table)}",
        "the clock or the printed digits are too coarse for it, or nothing was done",
        "time many operations together, or take the rate",
    )
    yield from each_table(
        Severity.WARNING,
        [figure for figure in printed if 0 < (figure.value or 0.0) < FEWEST_PRINTED * _printed(figure)],
        lambda table: (
            f"times are printed in steps of {duration(_printed(table[0]))}, and {named(table)} is "
            f"{duration(table[0].value or 0.0)}"
        ),
        f"rounding alone may change it by {100 * 0.5 / (FEWEST_PRINTED - 1):.0f} % or more",
        "take the rate, or a tool that prints more digits",
    )


def _few_ticks(evidence: Evidence) -> Iterator[Remark]:
    """Summaries of single values that are a few steps of their clock long."""
    few = [
        figure
        for figure in _sees(evidence)
        if (tick := figure.circumstances.tick_s) is not None
        and 0 < (figure.typical or 0.0) * (figure.circumstances.batch or 1.0) < FEWEST_TICKS * tick
    ]
    yield from each_table(
        Severity.WARNING,
        few,
        lambda table: (
            f"the clock or the digits go on in steps of {duration(table[0].circumstances.tick_s or 0.0)}, and a value "
            f"of {named(table)} is {_shortest_in_ticks(table):.0f} of them"
        ),
        "medians of them come in whole steps, and differ by one where nothing differs",
        "time many operations together",
    )


def _shortest_in_ticks(table: list[Figure]) -> float:
    return min(
        (figure.typical or 0.0) * (figure.circumstances.batch or 1.0) / (figure.circumstances.tick_s or 1.0)
        for figure in table
    )


def _printed(figure: Figure) -> float:
    """Of a centre, the step in which it is printed. The ends of a distribution are rough anyhow."""
    return (figure.circumstances.printed_s or 0.0) if figure.statistic in ("mean", "median") else 0.0


def _is_rounded_minimum(figure: Figure) -> bool:
    """Whether the least of all may be 0 by its printing: not where a microsecond would be seen."""
    printed_s = figure.circumstances.printed_s
    return figure.statistic == "min" and (printed_s is None or printed_s > SEEN_S)


def _told(
    groups: list[list[Figure]], judge: Callable[[Figure], Iterator[Remark]], tells: Callable[[Figure], bool]
) -> Iterator[Remark]:
    faults: dict[tuple[str, Severity, str], list[tuple[list[Figure], Remark]]] = {}
    for group in groups:
        for remark in judge(group[0]) if tells(group[0]) else ():
            faults.setdefault((group[0].table, remark.severity, remark.meaning), []).append((group, remark))
    for (table, severity, _), found in faults.items():
        (first, *_), remark = found[0]
        figures = [figure for group, _ in found for figure in group]
        others = f". Seen in {named(figures)}" if len(ids(figures)) > 1 else ""
        saw = f"{remark.saw} ({first.id}){others}"
        yield Remark(severity, table, saw, remark.meaning, remark.advice, ids(figures))


def _has_steps(figure: Figure) -> bool:
    return figure.circumstances.granularity_s is not None and figure.typical is not None


def _steps_of(figure: Figure) -> Iterator[Remark]:
    """Each value of a figure is a batch; where they are not reported, the figure itself is the only one."""
    together = (figure.circumstances.batch or 1.0) if figure.quantity is Quantity.TIME else 1.0
    shortest = (min(figure.values) if len(figure.values) else figure.typical or 0.0) * together
    count = max(1, len(figure.values))
    yield from _steps(
        figure.id, BatchStatistics(count, count, shortest, 0.0), figure.circumstances.granularity_s or 0.0
    )


def _of_values(figure: Figure) -> Iterator[Remark]:
    """What single values show of the clock and of the digits they were printed with."""
    import numpy as np

    values = figure.values
    zeros = len(values) - int(np.count_nonzero(np.asarray(values, dtype=np.float64)))
    if zeros:
        yield Remark(
            Severity.FATAL if zeros >= MOST_ZEROS * len(values) else Severity.WARNING,
            figure.id,
            f"{zeros} of {len(values)} times are 0",
            "nothing takes no time: the clock or the printed digits are too coarse, or nothing was done",
            "time many operations together, or print more digits",
        )
    elif len(values) >= FEWEST_BATCHES and (step := step_of(values)) is not None and step.hides_the_spread:
        coarse = step.step / step.typical
        if coarse >= COARSE:
            yield Remark(
                Severity.FATAL if coarse >= ONE_TICK else Severity.WARNING,
                figure.id,
                f"the times come in steps of {duration(step.step)}, and a typical one is {duration(step.typical)}",
                f"rounding alone may change it by {share_of(coarse / 2)}, and more values do not average that out",
                "time many operations together, or print more digits",
            )
    if len(values) >= FEWEST_TO_COPY:
        yield from _repeats_off_a_grid(figure)


def _repeats_off_a_grid(figure: Figure) -> Iterator[Remark]:
    import numpy as np

    looked_at = np.asarray(figure.values, dtype=np.float64)[:MOST_LOOKED_AT]
    distinct = np.unique(looked_at).size
    repeats = 1 - distinct / looked_at.size
    enough = max(FEWEST_REPEATS, MOST_DUPLICATES * looked_at.size)
    if (
        looked_at.size - distinct > enough
        and distinct >= FEWEST_BATCHES
        and off_any_grid(figure.values)
        and copied_run(figure.values) is None
    ):
        yield Remark(
            Severity.WARNING,
            figure.id,
            f"{100 * repeats:.0f} % of {looked_at.size} times repeat another one exactly",
            "they come in no steps, so no rounding explains it: values may have been copied",
            "find out where the equal values come from",
        )


def _lost_in_a_step(evidence: Evidence) -> Iterator[Remark]:
    """F: both sides come in steps that hide their spread, and they are nearer to each other than a step."""
    contrast = evidence.contrast
    if contrast is None or contrast.baseline is None:
        return
    for group in sides(evidence):
        steps = {
            figure.levels[contrast.factor]: (figure, step)
            for figure in group
            if figure.quantity is Quantity.TIME
            and len(figure.values) >= FEWEST_BATCHES
            and min(figure.values) > 0
            and (step := step_of(figure.values)) is not None
            and step.hides_the_spread
        }
        if contrast.baseline not in steps:
            continue
        baseline, base = steps.pop(contrast.baseline)
        for figure, step in steps.values():
            coarse, hidden = max(step.step, base.step), max(step.hides, base.hides)
            if hidden >= LEAST_HIDDEN * base.typical and abs(step.typical - base.typical) < coarse:
                yield Remark(
                    Severity.FATAL,
                    figure.table,
                    f"{figure.id} and {baseline.id} differ by less than one step of their times ({duration(coarse)})",
                    f"a cost of up to {share_of(hidden / base.typical)} would not show",
                    "time many operations together, or print more digits",
                    ids([figure, baseline]),
                )


TIMER = Check(
    id="timer",
    rule="F: a batch under 100 steps of its clock, batches that repeat on a clock that is fine enough; single values "
    "that are one step long or 0; sides nearer to each other than the step that hides their "
    "spread; W: under 1000 steps, steps of over a tenth of the value that hide the spread, repeats that no rounding "
    "explains, a summary that is printed as 0 or in one or two steps, or is of values of under 20 ticks",
    examine=_examine,
    sees=_sees,
    applies=lambda evidence: bool(evidence.arms),
)
