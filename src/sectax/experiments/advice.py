"""Rows of advice that several experiments give: parts, added costs, growth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sectax.model.advice import AdviceRow
from sectax.model.analysed import Analysed
from sectax.model.finding import GEOMETRIC, MEAN, Estimate, VerdictId, alike, is_decided
from sectax.model.measured import Measured
from sectax.model.treatment import Role, Treatment
from sectax.text import units

# sectax.stats and numpy are imported by the functions that compute: every command imports the experiments.
if TYPE_CHECKING:
    from sectax.stats.moments import Array

Column = Mapping[int, float]  # block -> value

# Any two sizes are on a line.
LEAST_SIZES = 3
# If a line misses a measured size by more than this ratio, time is not linear in size.
TOO_FAR = 1.25


def column(measured: Measured, metric: str, treatment: Treatment) -> Column:
    """Return a treatment's values by block; empty if the metric was not measured."""
    return measured.values.get(metric, {}).get(treatment.id, {})


def minus(more: Column, less: Column) -> Column:
    """Subtract within each block that has both values."""
    return {block: value - less[block] for block, value in more.items() if block in less}


def mean(measured: Measured, values: Sequence[float], unit: str) -> Estimate:
    """Estimate the mean of one value per block, with Student's t interval."""
    from sectax.stats.student import mean_interval

    level = 1 - measured.plan.stopping.alpha
    interval = mean_interval(values, level)
    return Estimate(interval.point, interval.low, interval.high, level, MEAN, interval.count, unit)


def mean_ratio(measured: Measured, values: Sequence[float], unit: str) -> Estimate:
    """Estimate the geometric mean of positive values, with Student's t interval."""
    from sectax.stats.student import geometric_mean_interval

    level = 1 - measured.plan.stopping.alpha
    interval = geometric_mean_interval(values, level)
    return Estimate(interval.point, interval.low, interval.high, level, GEOMETRIC, interval.count, unit)


def part_rows(
    measured: Measured, metric: str, treatment: Treatment, parts: Mapping[str, Column], rest: str
) -> Iterator[AdviceRow]:
    """Yield the known parts of a treatment's time, and the rest of *metric*."""
    whole = column(measured, metric, treatment)
    parts = {words: part for words, part in parts.items() if part}
    blocks = [
        block
        for block in measured.blocks
        if whole.get(block, 0.0) > 0 and all(block in part for part in parts.values())
    ]
    if not parts or not blocks:
        return
    left = {block: whole[block] - sum(part[block] for part in parts.values()) for block in blocks}
    for words, part in (parts | {rest: left}).items():
        share = mean(measured, [100 * part[block] / whole[block] for block in blocks], "%")
        point, *ends = (None if end is None else units.roughly(end) for end in (share.point, share.low, share.high))
        known = f" ({ends[0]} to {ends[1]})" if ends[0] != ends[1] else ""
        seconds = mean(measured, [part[block] for block in blocks], "s")
        yield AdviceRow("Where the time goes", treatment.levels, words, seconds, f"{point} % of it{known}")


def stage_rows(
    measured: Measured, metric: str, factor: str, stages: Mapping[str, str], rest: str
) -> Iterator[AdviceRow]:
    """Yield parts of the time as differences from treatments that do less.

    Args:
        stages: level of *factor* -> the work it adds to the level before.
        rest: the work that other levels add to all stages.
    """
    for members in alike(measured.plan.treatments, factor).values():
        parts: dict[str, Column] = {}
        before: Column = {}
        steps: list[str] = []
        for level, words in stages.items():
            steps.append(words)
            if level in members:
                own = column(measured, metric, members[level])
                parts[", ".join(steps)] = minus(own, before) if before else own
                before, steps = own, []
        for level, member in members.items():
            if level not in stages:
                yield from part_rows(measured, metric, member, parts, ", ".join([*steps, rest]))


def cost_rows(analysed: Analysed, metrics: Mapping[str, str]) -> Iterator[AdviceRow]:
    """Yield the added cost of treatments, by metric and in its unit.

    A compared metric has the figure of its finding. Any other is decided if its interval excludes zero, or if all
    differences are zero.

    Args:
        metrics: name -> description.
    """
    measured, plan = analysed.measured, analysed.measured.plan
    findings = {(finding.comparison.treatment, finding.comparison.metric): finding for finding in analysed.findings}
    for treatment in plan.treatments:
        verdicts = {finding.verdict for (name, _), finding in findings.items() if name == treatment.id}
        withdrawn = verdicts - {VerdictId.NOT_MEASURED} == {VerdictId.WITHDRAWN}
        for metric, words in metrics.items() if treatment.role is Role.TREATMENT else ():
            baseline = plan.treatment(plan.cell(treatment.cell).baseline)
            finding = findings.get((treatment.id, metric))
            more = minus(column(measured, metric, treatment), column(measured, metric, baseline))
            differences = [more[block] for block in measured.blocks if block in more]
            if not differences:
                continue
            value: Estimate | None
            if finding is not None:
                value = finding.effect.absolute if finding.effect is not None and is_decided(finding) else None
            else:
                value = mean(measured, differences, plan.metric(metric).unit)
                low, high = value.low, value.high
                value = value if low == high == 0 or (low is not None and high is not None and low * high > 0) else None
            value = None if withdrawn else value
            why = "" if value else "withdrawn" if withdrawn else "undecided"
            yield AdviceRow("Where the cost is, beyond the baseline", treatment.levels, words, value, why)


def dependence_rows(analysed: Analysed, metric: str, factor: str) -> Iterator[AdviceRow]:
    """Yield by how much the cost differs between the first level of *factor* and each other.

    The value is the ratio of the two costs (treatment ÷ baseline), minus 1, from blocks with all four values. All of
    them share the error level.
    """
    from sectax.stats.student import geometric_mean_interval

    measured, plan = analysed.measured, analysed.measured.plan
    withdrawn = {finding.comparison.treatment for finding in analysed.findings if finding.withheld}
    pairs: list[tuple[Mapping[str, str], str, str, list[float]]] = []
    for levels, members in alike(plan.treatments, factor).items():
        usable = [
            (name, _ratios(measured, metric, member))
            for name, member in members.items()
            if member.role is Role.TREATMENT and member.id not in withdrawn
        ]
        for (first, base), (other, costs) in ((usable[0], one) for one in usable[1:]):
            ratios = [ratio / base[block] for block, ratio in costs.items() if block in base]
            if len(ratios) > 1:
                pairs.append((dict(levels), first, other, ratios))
    for own_levels, first, other, ratios in pairs:
        level = 1 - plan.stopping.alpha / len(pairs)
        interval = geometric_mean_interval(ratios, level)
        low, high = (interval.low or 0.0) - 1, (interval.high or math.inf) - 1
        answer = "undecided: perhaps no difference"
        if low > 0 or high < 0:
            answer = f"yes: it is {'larger' if low > 0 else 'smaller'} with {other}"
        elif max(-low, high) <= plan.stopping.margin:
            answer = f"no: the same within ± {units.margin(plan.stopping.margin)}"
        value = Estimate(interval.point - 1, low, high, level, GEOMETRIC, interval.count, "share")
        yield AdviceRow(f"Does the cost depend on the {factor}?", own_levels, f"{other} against {first}", value, answer)


def _ratios(measured: Measured, metric: str, treatment: Treatment) -> Column:
    """Return treatment ÷ baseline by block."""
    base = column(measured, metric, measured.plan.treatment(measured.plan.cell(treatment.cell).baseline))
    own = column(measured, metric, treatment)
    return {block: value / base[block] for block, value in own.items() if value > 0 and base.get(block, 0.0) > 0}


def growth_rows(measured: Measured, metric: str) -> Iterator[AdviceRow]:
    """Yield fixed seconds and seconds per byte: a line through three or more sizes."""
    import numpy as np

    contents, plan = measured.plan.contents, measured.plan
    if contents is None or plan.metric(metric).unit != "s":
        return
    for levels, members in alike(measured.plan.treatments, contents.size_factor).items():
        columns = {
            contents.sizes[size]: column(measured, metric, members[size]) for size in contents.sizes if size in members
        }
        sizes = np.array(list(columns), dtype=np.float64)
        blocks = [block for block in measured.blocks if all(values.get(block, 0.0) > 0 for values in columns.values())]
        if len(columns) < LEAST_SIZES or not blocks:
            continue
        seconds = np.array([[values[block] for values in columns.values()] for block in blocks])
        lines = np.array([line(sizes, row) for row in seconds])
        missed = _misses(sizes, seconds, lines, plan.stopping.alpha)
        for index, (name, unit) in enumerate((("fixed", "s"), ("per byte", "s/B"))):
            value = None if missed else mean(measured, list(lines[:, index]), unit)
            why = "not proportional to the size" if missed else ""
            yield AdviceRow("How the time grows with the size", dict(levels), name, value, why)


def line(sizes: Array, seconds: Array) -> tuple[float, float]:
    """Fit a + b·size by least squares of relative errors.

    Args:
        sizes, seconds: shape (sizes,), positive.
    """
    import numpy as np

    weights = 1 / seconds
    design = np.column_stack([weights, sizes * weights])
    solution, *_ = np.linalg.lstsq(design, np.ones_like(seconds), rcond=None)
    return float(solution[0]), float(solution[1])


def _misses(sizes: Array, seconds: Array, lines: Array, alpha: float) -> bool:
    """Return whether a size differs from the lines, as when a quota runs out."""
    from sectax.stats.student import geometric_mean_interval

    ratios = seconds / (lines[:, :1] + lines[:, 1:] * sizes)
    for size_ratios in ratios.T:
        if size_ratios.min() > 0:  # the interval of a line below zero shows that by itself
            interval = geometric_mean_interval(size_ratios, 1 - alpha / len(sizes))
            if (interval.low or 0.0) > TOO_FAR or (interval.high or math.inf) < 1 / TOO_FAR:
                return True
    return False
