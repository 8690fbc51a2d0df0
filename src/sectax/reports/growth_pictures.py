"""What of a run grows: figures and costs against every factor whose levels are numbers, with fitted lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from sectax.model.advice import Breakdown, Growth
from sectax.model.analysed import Analysed
from sectax.model.finding import Estimate, alike
from sectax.model.metric import Metric
from sectax.model.plan import Plan
from sectax.model.treatment import CONTROLS, Cell, Factor
from sectax.reports import units
from sectax.reports.document import Axis, Block, Chart, Point, Series
from sectax.reports.result_tables import drawn
from sectax.reports.scale import is_far
from sectax.reports.words import names
from sectax.text.printable import printable

# More series in one chart have no shape of their own.
MOST_SERIES = 8
# Fewer levels show no growth.
_LEAST_NUMBERS = 2


def against_numbers(analysed: Analysed, breakdown: Breakdown | None) -> Iterator[Block]:
    """What treatments took themselves, the baseline too, against every factor whose levels are numbers."""
    plan = analysed.measured.plan
    fitted = None if breakdown is None or not breakdown.growths else breakdown.metric
    wanted = dict.fromkeys([plan.metrics[0].name, *([fitted] if fitted else [])])
    for factor in plan.factors:
        values = _numbers(plan, factor)
        if len(set(values.values())) < _LEAST_NUMBERS:
            continue
        is_size = plan.contents is not None and plan.contents.size_factor == factor.name
        for name in wanted if is_size else [plan.metrics[0].name]:
            lines = breakdown.growths if breakdown is not None and is_size and name == fitted else ()
            yield from _against(analysed, plan.metric(name), factor, values, lines)


def _against(
    analysed: Analysed, metric: Metric, factor: Factor, values: Mapping[str, float], growths: Sequence[Growth]
) -> Iterator[Block]:
    plan = analysed.measured.plan
    here = (treatment for treatment in analysed.treatments if metric.name in treatment.estimates)
    groups = {
        others: [(values[level], result.estimates[metric.name]) for level, result in found.items()]
        for others, found in alike(here, factor.name).items()
        if len(found) > 1
    }
    if not groups:
        return
    shown = dict(list(groups.items())[:MOST_SERIES])
    column = units.scale(metric.unit, (found.point for of in shown.values() for _, found in of))
    fits = {tuple(growth.levels.items()): growth.line for growth in growths if not growth.step and not growth.missed}
    varying = {name for levels in groups for name, level in levels if any((name, level) not in of for of in groups)}
    series = tuple(
        Series(
            printable(" · ".join(names.level(*level) for level in levels if level[0] in varying))
            or names.metric(plan, metric.name),
            tuple(_scaled(x, found, column) for x, found in sorted(of, key=lambda pair: pair[0])),
            tuple(_scaled(x, found, column) for x, found in fits.get(levels, ())),
        )
        for levels, of in shown.items()
    )
    says = "Each point is a treatment with its interval."
    if any(line.fit for line in series):
        says += " The dashed line is fixed + per byte, fitted in every block, in its band: nothing was measured on it."
    if len(fits) < sum(not growth.step for growth in growths):
        says += " No line where one misses a point by more than a quarter."
    if len(shown) < len(groups):
        says += f" Only the first {len(shown)} of {len(groups)} are drawn."
    ends = [point.y for line in series for point in line.points]
    yield Chart(
        f"{names.metric(plan, metric.name).capitalize()} against {printable(factor.name)}",
        says,
        Axis(printable(factor.name), at=_marked(values), logarithmic=is_far(list(values.values()))),
        Axis(f"{names.metric(plan, metric.name)}, {printable(column.unit)}", logarithmic=is_far(ends)),
        series,
    )


def _scaled(x: float, found: Estimate, column: units.Scale) -> Point:
    low, high = (None if end is None else end / column.size for end in (found.low, found.high))
    return Point(x, found.point / column.size, low, high)


def costs_against_numbers(analysed: Analysed) -> Iterator[Chart]:
    """The cost of a treatment against every factor whose levels are numbers."""
    plan = analysed.measured.plan
    for factor in plan.factors:
        values = _numbers(plan, factor)
        if factor.name == plan.control or len(set(values.values())) < _LEAST_NUMBERS:
            continue
        metric = plan.metrics[0]
        series: dict[str, list[Point]] = {}
        for finding in analysed.findings:
            seen, cell = drawn(finding), plan.cell(finding.comparison.cell)
            if finding.comparison.metric != metric.name or seen is None or finding.comparison.standing in CONTROLS:
                continue
            point = Point(values[cell.levels[factor.name]], seen.point, seen.low, seen.high)
            series.setdefault(_without(plan, cell, factor, finding.comparison.treatment), []).append(point)
        if series:
            left_out = f" Only the first {MOST_SERIES} of {len(series)} are drawn." if len(series) > MOST_SERIES else ""
            yield Chart(
                f"Cost against {printable(factor.name)}: {names.metric(plan, metric.name)}",
                f"Each point is one comparison with its interval; nothing was measured between them.{left_out}",
                Axis(printable(factor.name), at=_marked(values), logarithmic=is_far(list(values.values()))),
                Axis("times the cost of the baseline", logarithmic=True, line=1.0),
                tuple(
                    Series(name, tuple(sorted(points, key=lambda point: point.x)))
                    for name, points in list(series.items())[:MOST_SERIES]
                ),
            )


def _numbers(plan: Plan, factor: Factor) -> Mapping[str, float]:
    """Level -> its number; empty where one has none."""
    if plan.contents is not None and plan.contents.size_factor == factor.name:
        return {level: float(plan.contents.sizes[level]) for level in factor.levels}
    if all(re.fullmatch(r"\d+(\.\d+)?", level) for level in factor.levels):
        return {level: float(level) for level in factor.levels}
    return {}


def _marked(values: Mapping[str, float]) -> tuple[tuple[float, str], ...]:
    return tuple((value, printable(level)) for level, value in values.items())


def _without(plan: Plan, cell: Cell, factor: Factor, treatment: str) -> str:
    """What a treatment is called where one factor of its cell lies along an axis."""
    varying = names.varying_factors(plan)
    own = [names.level(*item) for item in cell.levels.items() if item[0] in varying and item[0] != factor.name]
    return " · ".join((*map(printable, own), names.treatment(plan, treatment)))
