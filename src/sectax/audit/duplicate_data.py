"""Two measurements never give the same numbers throughout: neither cells of a table nor processes of a run."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from sectax.audit.check import Check, Remark, fatal
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import about, cell, gather, measured_at_once, speeds, unknown, without
from sectax.audit.rounding import copied_run, printed_step
from sectax.audit.words import named
from sectax.model.finding import Severity
from sectax.model.plan import FIRST_LOOK

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The chance that any two cells of a source tie throughout by themselves.
CHANCE = 1e-6
FEWEST_VALUES = 3
# Summaries of a cell tie by chance where few digits are printed. So many together, over three or more, do not.
FEWEST_DIGITS = 15
# A series that is another times a factor plus a constant: of fewer values nothing is said, of fewer different ones
# neither, and the two agree to this share of the middle half of their values.
FEWEST_TO_SCALE, FEWEST_DIFFERENT, MOST_APART = 8, 6, 0.03
# Nearly every value of a copy is the other's but for rounding: two measurements of one thing differ by more.
SAME_VALUE, MOST_OF_THEM = 2e-3, 0.9
# A row over the levels of a factor: of fewer numbers, or with fewer digits in all, nothing is said; and logs of ratios
# that are equal to this. Two processors of one kind at unlike clock speeds differ by a ratio that varies 40 times more.
FEWEST_OF_A_ROW, DIGITS_OF_A_ROW, SAME_RATIO = 4, 24, 1e-5
# Differences that are multiples of the least, or of a half or third of it, but for so much of one: steps of a clock.
FEWEST_WITHOUT_A_GRID, NEAR_A_GRID = 5, 0.05
# Two values of any clock and any number of digits tie more often.
FINEST = 1e-6
# So many batch times in a row are equal by chance in none of a hundred million pairs of processes, where at most a
# quarter of the times of a process repeat: a clock that shows a dozen different values at least.
FEWEST_BATCHES = 8
MOST_DUPLICATES = 0.25


def _examine(evidence: Evidence) -> Iterator[Remark]:
    cells = gather(speeds(evidence), cell)
    # Cells that hold the same vector, by the vector. Only those of one metric can tie.
    same: dict[Hashable, list[list[Figure]]] = {}
    bare = []
    for group in cells:
        vector = _vector(group)
        if vector is None:
            bare += group
        else:
            same.setdefault((group[0].metric, group[0].quantity, vector), []).append(group)
    pairs = max(1, math.comb(len(cells), 2))
    told: set[str] = set()
    for groups in same.values():
        if len(groups) > 1 and _improbable(groups[0], CHANCE / pairs):
            copies = [figure for group in groups for figure in group]
            told.update(figure.id for figure in copies)
            count = len(groups[0][0].values) or len(groups[0])
            yield about(
                Severity.FATAL,
                copies,
                f"the same {count} numbers stand in {len(groups)} cells: {named(group[0] for group in groups)}",
                "they were not measured in all of them",
                "find out which of them were measured, and measure the others",
            )
    yield from _in_a_row([group[0] for group in cells if len(group[0].values) and group[0].id not in told])
    yield from _scaled(cells)
    yield from _measurements(bare)
    yield from _rows(bare)
    yield from _in_runs(evidence)
    yield from unknown(bare, "single values, or three summaries of each cell, are not reported")


def _in_a_row(figures: list[Figure]) -> Iterator[Remark]:
    """Values in a row that come again in their own cell."""
    for figure in figures:
        run = copied_run(figure.values)
        if run is not None:
            yield about(
                Severity.FATAL,
                [figure],
                f"{run.length} values in a row of {figure.id} come a second time, in the same order",
                "they were not measured twice: values were copied",
                "find out which of them were measured, and measure the others",
            )


def _scaled(cells: list[list[Figure]]) -> Iterator[Remark]:
    """Series of which one is the other times a factor, plus a constant: the same ups and downs throughout.

    Both are brought to a median of 0 and a middle half of 1, which leaves no trace of factor and constant. Independent
    values then agree to a small distance t, each by a chance of about 2 t; what goes slowly up and down on both sides
    does not agree in its steps from value to value.
    """
    import numpy as np

    told = [group[0] for group in cells if len(group[0].values) >= FEWEST_TO_SCALE]
    pairs = max(1, math.comb(len(told), 2))
    for alike in gather(told, lambda figure: (figure.metric, figure.quantity, len(figure.values))):
        known = [(figure, form) for figure in alike if (form := _form(figure)) is not None]
        if len(known) < 2:
            continue
        # Only those that begin alike can be near each other throughout.
        known.sort(key=lambda each: float(each[1][0]))
        forms = np.array([form for _, form in known])
        ends = np.searchsorted(forms[:, 0], forms[:, 0] + MOST_APART * math.sqrt(forms.shape[1]), side="right")
        for at, (figure, form) in enumerate(known[:-1]):
            others = forms[at + 1 : ends[at]]
            distances = np.sqrt(np.mean((others - form) ** 2, axis=1))
            for other in np.flatnonzero(distances <= MOST_APART).tolist():
                copy = known[at + 1 + other][0]
                if (
                    _follows(form, others[other], float(distances[other]), CHANCE / pairs)
                    and _in_every_value(figure, copy)
                    and not _equal_values(figure, copy)
                ):
                    yield about(
                        Severity.FATAL,
                        [figure, copy],
                        f"{len(figure.values)} values of {copy.id} are those of {figure.id}, {_by_what(figure, copy)}",
                        "they were not measured in both: one was made from the other",
                        "find out which of them were measured, and measure the others",
                    )


def _form(figure: Figure) -> NDArray[np.float64] | None:
    import numpy as np

    data = np.asarray(figure.values, dtype=np.float64)
    low, middle, high = np.quantile(data, (0.25, 0.5, 0.75))
    steps = np.diff(np.unique(data))
    if steps.size + 1 < FEWEST_DIFFERENT or high <= low or np.all(np.diff(data) >= 0) or np.all(np.diff(data) <= 0):
        return None
    # On a coarse grid values agree by themselves.
    return None if steps.min() > (high - low) * MOST_APART else (data - middle) / (high - low)


def _follows(one: NDArray[np.float64], other: NDArray[np.float64], distance: float, chance: float) -> bool:
    import numpy as np

    steps = np.diff(one) - np.diff(other)
    low, high = np.quantile(np.diff(one), (0.25, 0.75))
    return bool(
        float(np.sqrt(np.mean(steps**2))) <= 2 * MOST_APART * (high - low)
        and (one.size - 3) * math.log(max(2 * distance, 1e-9)) < math.log(chance)
    )


def _in_every_value(one: Figure, other: Figure) -> bool:
    """Whether the two agree in each value by itself, also where what they share is large steps between values."""
    import numpy as np

    x, y = (np.asarray(each.values, dtype=np.float64) for each in (one, other))
    factor, constant = np.polyfit(x, y, 1)
    steps = printed_step(other.values) + abs(factor) * printed_step(one.values)
    near = np.abs(factor * x + constant - y) <= np.maximum(steps, SAME_VALUE * np.abs(y))
    return bool(np.mean(near) >= MOST_OF_THEM)


def _equal_values(one: Figure, other: Figure) -> bool:
    return tuple(one.values) == tuple(other.values)


def _by_what(one: Figure, other: Figure) -> str:
    """What was done to the values of one to make those of the other."""
    import numpy as np

    x, y = (np.asarray(each.values, dtype=np.float64) for each in (one, other))
    factor = float(np.quantile(y, 0.75) - np.quantile(y, 0.25)) / float(np.quantile(x, 0.75) - np.quantile(x, 0.25))
    constant = float(np.median(y)) - factor * float(np.median(x))
    if abs(constant) <= MOST_APART * abs(float(np.median(y))):
        return f"times {factor:.4g}"
    return f"times {factor:.4g}, plus a constant"


def _measurements(figures: list[Figure]) -> Iterator[Remark]:
    """Where each statistic is a metric of its own: all that was measured at once, beside all of another time.

    Rates of a run stand in another summary than its times, and few of either in each: together they are enough.
    """
    same: dict[Hashable, list[list[Figure]]] = {}
    told_of = [one for one in figures if one.measurement]
    apart = gather(told_of, measured_at_once)
    whole = gather(told_of, lambda one: frozenset(one.levels.items()))
    for group in (*apart, *(each for each in whole if each not in apart)):
        told = {(one.metric, one.statistic): one.typical for one in group}
        if len(told) >= FEWEST_VALUES and len(told) == len(group) and _enough_digits(told.values()):
            same.setdefault(tuple(sorted(told.items(), key=str)), []).append(group)
    known: set[str] = set()
    for groups in sorted(same.values(), key=lambda groups: -len(groups[0])):
        if len(groups) > 1 and known.isdisjoint(figure.id for group in groups for figure in group):
            known.update(figure.id for group in groups for figure in group)
            names = " and ".join(dict.fromkeys(group[0].measurement for group in groups))
            yield about(
                Severity.FATAL,
                [figure for group in groups for figure in group],
                f"the same {len(groups[0])} numbers stand under {names}",
                "they were not measured in all of them",
                "find out which of them were measured, and measure the others",
            )


def _rows(figures: list[Figure]) -> Iterator[Remark]:
    """Rows of a table, each over the levels of one factor, that are others, or others times one factor throughout."""
    factors = dict.fromkeys(name for figure in figures for name in figure.levels)
    for factor in factors:
        rows: dict[Hashable, dict[str, Figure]] = {}
        for figure in figures:
            if factor in figure.levels and (figure.typical or 0.0) > 0:
                rows.setdefault(without(figure, factor), {}).setdefault(figure.levels[factor], figure)
        known = [row for row in rows.values() if len(row) >= FEWEST_OF_A_ROW]
        by_ratios: dict[Hashable, list[dict[str, Figure]]] = {}
        for row in known:
            # The ratio of two floats may be none.
            first, *rest = [math.log(each.typical or 1.0) for each in row.values()]
            ratios = tuple(round((each - first) / SAME_RATIO) for each in rest)
            key = next(iter(row.values()))
            by_ratios.setdefault((key.metric, key.statistic, tuple(row), ratios), []).append(row)
        for alike in by_ratios.values():
            told = [figure.typical for figure in alike[0].values()]
            if len(alike) > 1 and _enough_digits(told) and sum(map(_digits, filter(None, told))) >= DIGITS_OF_A_ROW:
                both = [figure for row in alike[:2] for figure in row.values()]
                one, other = (next(iter(row.values())) for row in alike[:2])
                ratio = (other.typical or 0.0) / (one.typical or 1.0)
                by = "the same" if ratio == 1 else f"those times {ratio:.4g}"
                yield about(
                    Severity.FATAL,
                    both,
                    f"{len(told)} numbers in a row, that of {other.id} and so on, are {by} as from {one.id} on",
                    "they were not measured in both: one was made from the other",
                    "find out which of them were measured, and measure the others",
                )


def _vector(group: list[Figure]) -> tuple[object, ...] | None:
    """The single values of a cell, or else its summaries by name."""
    values = group[0].values
    if len(values) >= FEWEST_VALUES:
        return tuple(map(float, values))
    summaries = {figure.statistic: figure.typical for figure in group}
    if len(summaries) < FEWEST_VALUES or None in summaries or None in summaries.values():
        return None
    return tuple(sorted(summaries.items(), key=str))


def _improbable(group: list[Figure], chance: float) -> bool:
    values = group[0].values
    if len(values) >= FEWEST_VALUES:
        return _log_chance(values) < math.log(chance)
    return _enough_digits(figure.typical for figure in group)


def _enough_digits(told: Iterable[float | None]) -> bool:
    distinct = {value for value in told if value is not None}
    return len(distinct) >= FEWEST_VALUES and sum(map(_digits, distinct)) >= FEWEST_DIGITS


def _log_chance(values: Sequence[float]) -> float:
    """The log of the chance that a second sample of the same kind has the same values in the same order.

    Two values drawn from a normal distribution of standard deviation s and rounded to steps of q are equal with chance
    q / (2 s √π). The smallest difference is at least a step, so with it the chance is not understated. Values that
    have no equals, and lie on no grid that a clock would show, have the digits that they are printed with.
    """
    import numpy as np

    data = np.asarray(values, dtype=np.float64)
    steps = np.diff(np.unique(data))
    if steps.size == 0:
        return 0.0
    step = float(steps.min())
    if FEWEST_WITHOUT_A_GRID <= data.size == steps.size + 1 and not any(
        np.all(np.abs(steps * part / step - np.round(steps * part / step)) < NEAR_A_GRID) for part in (1, 2, 3)
    ):
        step = min(step, printed_step(values))
    one = step / (2 * float(data.std()) * math.sqrt(math.pi))
    return data.size * math.log(min(max(one, FINEST), 1.0))


def _digits(value: float) -> int:
    """Significant digits as printed: zeros at either end say nothing."""
    return len(f"{value:.9e}".split("e")[0].replace(".", "").rstrip("0"))


def _in_runs(evidence: Evidence) -> Iterator[Remark]:
    """F for every treatment that shares the times of a process, or all its blocks' values, with another."""
    told: set[str] = set()
    for arms, saw in (*_processes(evidence), *_columns(evidence)):
        for arm in arms:
            if arm not in told:
                told.add(arm)
                yield fatal(
                    arm,
                    saw,
                    "they were not measured in all of them",
                    "find out which of them were measured, and run again",
                )


def _processes(evidence: Evidence) -> Iterator[tuple[list[str], str]]:
    """Whole processes whose batch times are equal."""
    seen: dict[bytes, list[tuple[str, int]]] = {}
    for arm in evidence.arms.values():
        if arm.batches is None or arm.batches.duplicate_share > MOST_DUPLICATES:
            continue
        for block, shape in arm.shapes.items():
            if shape.batches >= FEWEST_BATCHES:
                seen.setdefault(shape.fingerprint, []).append((arm.id, block))
    for places in seen.values():
        if len(places) > 1:
            named = " and ".join(f"{arm} in block {block}" for arm, block in places[:2])
            yield list(dict.fromkeys(arm for arm, _ in places)), f"the same batch times throughout: {named}"


def _columns(evidence: Evidence) -> Iterator[tuple[list[str], str]]:
    """Treatments whose values are equal in every block that they share, whatever the metric is made of."""
    for metric in evidence.metrics:
        columns: dict[tuple[tuple[int, float], ...], list[str]] = {}
        for arm in evidence.arms.values():
            values = arm.values.get(metric, {})
            if len(set(values.values())) >= FIRST_LOOK:
                # Treatments leave a run in different blocks; what was copied was copied from the start.
                columns.setdefault(tuple(values.items())[:FIRST_LOOK], []).append(arm.id)
        for arms in columns.values():
            if len(arms) > 1 and all(_equal(evidence, metric, *two) for two in combinations(arms, 2)):
                yield arms, f"the same {metric} in every block: {arms[0]} and {arms[1]}"


def _equal(evidence: Evidence, metric: str, one: str, other: str) -> bool:
    values, others = evidence.arms[one].values[metric], evidence.arms[other].values[metric]
    both = values.keys() & others.keys()
    return len({values[block] for block in both}) >= FIRST_LOOK and all(values[b] == others[b] for b in both)


DUPLICATE_DATA = Check(
    id="copied-data",
    rule="F: equal values, in the same order, in different cells or twice in one, beyond what chance and rounding "
    "make; or values that are others times a factor, plus a constant",
    examine=_examine,
    sees=speeds,
    applies=lambda evidence: bool(evidence.arms),
)
