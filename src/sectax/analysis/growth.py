"""An operation's time as a + b·size, fitted in every block, with the uncertainty that the blocks show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from sectax.analysis.anatomy import over_blocks
from sectax.analysis.treatments import MEAN
from sectax.model.advice import Growth
from sectax.model.advice_rules import AdviceRules
from sectax.model.finding import Estimate
from sectax.model.measured import Measured
from sectax.model.plan import Plan
from sectax.model.treatment import Role, Treatment
from sectax.stats.moments import Array
from sectax.stats.student import geometric_mean_interval

# Two sizes lie on a line whatever the law is.
LEAST_SIZES = 3
# At which a fitted line is drawn.
_PLACES = 17
# A line that is surely so far off at a size that was measured describes nothing.
TOO_FAR = 1.25

_Levels = tuple[tuple[str, str], ...]
_Fits = dict[int, tuple[float, float]]  # block -> a and b
_Sizes = Mapping[float, Treatment]


def growths(measured: Measured, rules: AdviceRules) -> Iterator[Growth]:
    """A line for every treatment that was measured at three sizes or more, all else equal, and for its steps."""
    plan = measured.plan
    series = _series(measured.plan)
    lines = {levels: _fits(measured, rules.metric, sizes) for levels, sizes in series.items()}
    level = 1 - plan.stopping.alpha
    baseline = {plan.treatment(cell.baseline).levels[plan.control] for cell in plan.cells}
    for levels, fits in lines.items():
        own = dict(levels)
        if not fits:
            continue
        extra = None
        # What does less than the baseline does nothing beyond it.
        if own[plan.control] not in baseline and not rules.is_stage(own):
            against = [tuple((own | {plan.control: each}).items()) for each in baseline]
            base = next((lines[each] for each in against if lines.get(each)), {})
            more = [fits[block][1] - base[block][1] for block in fits if block in base]
            extra = over_blocks(more, level, "s/B") if more else None
        yield _growth(measured, rules.metric, own, "", fits, level, series[levels], extra)
        for metric, words in rules.steps.parts if rules.steps else ():
            of_step = _fits(measured, metric, series[levels])
            if of_step:
                yield _growth(measured, metric, own, words, of_step, level, series[levels])


def _growth(
    measured: Measured,
    metric: str,
    own: Mapping[str, str],
    step: str,
    fits: _Fits,
    level: float,
    sizes: _Sizes,
    extra: Estimate | None = None,
) -> Growth:
    return Growth(
        own,
        step,
        over_blocks([fixed for fixed, _ in fits.values()], level, "s"),
        over_blocks([per_byte for _, per_byte in fits.values()], level, "s/B"),
        extra,
        tuple(
            (size, over_blocks([fixed + per_byte * size for fixed, per_byte in fits.values()], level, "s"))
            for size in _along(min(sizes), max(sizes))
        ),
        tuple(_missed(measured, metric, fits, level, sizes)),
    )


def _missed(
    measured: Measured, metric: str, fits: _Fits, level: float, sizes: _Sizes
) -> Iterator[tuple[str, Estimate]]:
    """The sizes that surely take other than the line says, each with its ratio to the line.

    A quota that is used up makes a large size many times dearer, and a line through all sizes then says nothing of any.
    """
    plan = measured.plan
    assert plan.contents is not None  # it gave the sizes
    for size, treatment in sizes.items():
        seen = measured.values[metric][treatment.id]
        ratios = [seen[block] / (fixed + per_byte * size) for block, (fixed, per_byte) in fits.items()]
        if min(ratios) <= 0:
            continue  # a line below zero there; its interval says so
        ratio = geometric_mean_interval(ratios, 1 - (1 - level) / len(sizes))
        low, high = ratio.low or 0.0, ratio.high or math.inf  # one block has no interval
        if low > TOO_FAR or high < 1 / TOO_FAR:
            name = treatment.levels[plan.contents.size_factor]
            yield name, Estimate(ratio.point, ratio.low, ratio.high, level, MEAN, ratio.count, "")


def _along(low: float, high: float) -> list[float]:
    """Sizes at which a line is drawn, closer to each other where they are small: axes of sizes are logarithmic."""
    return [low + (high - low) * (place / (_PLACES - 1)) ** 3 for place in range(_PLACES)]


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
    found: dict[_Levels, dict[float, Treatment]] = {}
    contents = plan.contents
    if contents is None:
        return found
    for each in plan.treatments:
        size = contents.sizes.get(each.levels.get(contents.size_factor, ""))
        if size is not None and each.role in (Role.BASELINE, Role.TREATMENT):
            others = tuple((name, text) for name, text in each.levels.items() if name != contents.size_factor)
            found.setdefault(others, {})[size] = each
    return found


def _fits(measured: Measured, metric: str, sizes: _Sizes) -> _Fits:
    """By block, for the blocks that have every size."""
    if len(sizes) < LEAST_SIZES:
        return {}
    columns = [measured.values.get(metric, {}).get(each.id, {}) for each in sizes.values()]
    points = np.array(list(sizes), dtype=np.float64)
    return {
        block: line(points, np.array([column[block] for column in columns], dtype=np.float64))
        for block in measured.blocks
        if all(column.get(block, 0.0) > 0 for column in columns)
    }
