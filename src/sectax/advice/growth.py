"""An operation's time as a + b·size, fitted in every block, with the uncertainty that the blocks show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sectax.advice.anatomy import over_blocks
from sectax.model.advice import Growth
from sectax.model.advice_rules import AdviceRules
from sectax.model.finding import MEAN, Estimate, alike
from sectax.model.measured import Measured
from sectax.model.plan import Plan
from sectax.model.treatment import Treatment
from sectax.stats.moments import Array
from sectax.stats.student import geometric_mean_interval

# Two sizes lie on a line whatever the law is.
LEAST_SIZES = 3
# A line that is surely so far off at a size that was measured describes nothing.
TOO_FAR = 1.25

_Levels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Line:
    """Treatments by their size in bytes, all else equal, and the a and b of one metric by block."""

    measured: Measured
    metric: str
    sizes: Mapping[float, Treatment]
    fits: Mapping[int, tuple[float, float]]

    def over_blocks(self, fixed: float, sizes: float, unit: str) -> Estimate:
        """So many times a, and so many times b, in every block."""
        values = [fixed * a + sizes * b for a, b in self.fits.values()]
        return over_blocks(values, 1 - self.measured.plan.stopping.alpha, unit)


def growths(measured: Measured, rules: AdviceRules) -> Iterator[Growth]:
    """A line for every treatment that was measured at three sizes or more, all else equal, and for its steps."""
    plan = measured.plan
    lines = {levels: _fitted(measured, rules.metric, sizes) for levels, sizes in _series(plan).items()}
    baseline = {plan.treatment(cell.baseline).levels[plan.control] for cell in plan.cells}
    for levels, fitted in lines.items():
        own = dict(levels)
        if not fitted.fits:
            continue
        extra = None
        # What does less than the baseline does nothing beyond it.
        if own[plan.control] not in baseline and not rules.is_stage(own):
            against = [lines.get(tuple((own | {plan.control: level}).items())) for level in baseline]
            base = next((line.fits for line in against if line is not None and line.fits), {})
            more = [fitted.fits[block][1] - base[block][1] for block in fitted.fits if block in base]
            extra = over_blocks(more, 1 - plan.stopping.alpha, "s/B") if more else None
        yield _growth(fitted, own, "", extra)
        for metric, words in rules.steps.parts if rules.steps else ():
            of_step = _fitted(measured, metric, fitted.sizes)
            if of_step.fits:
                yield _growth(of_step, own, words, None)


def _growth(fitted: _Line, own: Mapping[str, str], step: str, extra: Estimate | None) -> Growth:
    return Growth(
        own,
        step,
        fitted.over_blocks(1, 0, "s"),
        fitted.over_blocks(0, 1, "s/B"),
        extra,
        tuple(_sizes_off_line(fitted)),
    )


def _sizes_off_line(fitted: _Line) -> Iterator[tuple[str, Estimate]]:
    """The sizes that surely take other than the line says, each with its ratio to the line.

    A quota that is used up makes a large size many times dearer, and a line through all sizes then says nothing of any.
    """
    plan = fitted.measured.plan
    assert plan.contents is not None  # it gave the sizes
    for size, treatment in fitted.sizes.items():
        seconds = fitted.measured.values[fitted.metric][treatment.id]
        ratios = [seconds[block] / (fixed + per_byte * size) for block, (fixed, per_byte) in fitted.fits.items()]
        if min(ratios) <= 0:
            continue  # a line below zero there; its interval says so
        level = 1 - plan.stopping.alpha
        ratio = geometric_mean_interval(ratios, 1 - (1 - level) / len(fitted.sizes))
        low, high = ratio.low or 0.0, ratio.high or math.inf  # one block has no interval
        if low > TOO_FAR or high < 1 / TOO_FAR:
            name = treatment.levels[plan.contents.size_factor]
            yield name, Estimate(ratio.point, ratio.low, ratio.high, level, MEAN, ratio.count, "")


def line(sizes: Array, seconds: Array) -> tuple[float, float]:
    """The a and b of a + b·size that miss the seconds least, each in proportion to itself.

    Args:
        sizes, seconds: shape (sizes,), positive; the errors of times grow with the times.
    """
    weights = 1 / seconds
    design = np.column_stack([weights, sizes * weights])
    solution, *_ = np.linalg.lstsq(design, np.ones_like(seconds), rcond=None)
    return float(solution[0]), float(solution[1])


def _series(plan: Plan) -> dict[_Levels, dict[float, Treatment]]:
    """The levels of all other factors -> size in bytes -> treatment."""
    contents = plan.contents
    if contents is None:
        return {}
    return {
        fixed_levels: {
            contents.sizes[level]: treatment for level, treatment in by_level.items() if level in contents.sizes
        }
        for fixed_levels, by_level in alike(plan.treatments, contents.size_factor).items()
    }


def _fitted(measured: Measured, metric: str, sizes: Mapping[float, Treatment]) -> _Line:
    """The line of every block that has all sizes; of none where they are too few."""
    columns = [measured.values.get(metric, {}).get(size.id, {}) for size in sizes.values()]
    points = np.array(list(sizes), dtype=np.float64)
    fits = {
        block: line(points, np.array([column[block] for column in columns], dtype=np.float64))
        for block in measured.blocks
        if len(sizes) >= LEAST_SIZES and all(column.get(block, 0.0) > 0 for column in columns)
    }
    return _Line(measured, metric, sizes, fits)
