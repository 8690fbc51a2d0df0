"""What the families of a run, such as languages, take by themselves: a table and a picture of all of them.

Nothing is judged between families: they differ in more than the level that names them.
"""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.analysed import Analysed
from sectax.model.finding import TreatmentResult, alike
from sectax.model.plan import Plan
from sectax.model.treatment import Standing
from sectax.reports.document import Axis, Block, Chart, Point, Series, Text, grid
from sectax.reports.notes import software
from sectax.reports.reasons import Gaps
from sectax.reports.words import names
from sectax.text import units
from sectax.text.printable import printable

# More series have no shape of their own, and more rows no room.
_MOST_SERIES, _MOST_ROWS = 8, 30


def table(analysed: Analysed) -> tuple[Block, ...]:
    """A row for each treatment, a column for each family; what a family lacks is named. Empty for one family."""
    plan = analysed.measured.plan
    factor, metric = _factor(plan), plan.metrics[0]
    if factor is None:
        return ()
    families = tuple(dict.fromkeys(cell.family for cell in plan.cells))
    varying, gaps = {*names.varying_factors(plan), plan.control}, Gaps()
    rows = [
        (
            printable(" · ".join(names.level(*level) for level in fixed_levels if level[0] in varying)),
            *(_value(by_family.get(family), metric.name, gaps) for family in families),
        )
        for fixed_levels, by_family in alike(analysed.treatments, factor).items()
    ]
    heads = ("", *(printable(plan.words.get(family, family)) for family in families))
    return Text(_software_words(analysed, factor)), grid("", heads, rows), *gaps.footnotes()


def picture(analysed: Analysed) -> Iterator[Chart]:
    """The treatments of the main comparisons on one axis: a row for each cell, families beside each other."""
    plan = analysed.measured.plan
    factor, metric = _factor(plan), plan.metrics[0]
    if factor is None:
        return
    primary = {comparison.cell for comparison in plan.comparisons if comparison.standing is Standing.PRIMARY}
    # By the last factor first, so that what differs in the family alone stands together.
    cells = sorted(
        (cell for cell in plan.cells if cell.id in primary), key=lambda cell: [*reversed(cell.levels.values())]
    )[:_MOST_ROWS]
    row = {cell.id: place for place, cell in enumerate(cells)}
    cell_of = {treatment.id: treatment.cell for treatment in plan.treatments}
    results = [
        result
        for result in analysed.treatments
        if metric.name in result.estimates and cell_of[result.treatment] in row and plan.control in result.levels
    ]
    column = units.scale(metric.unit, (result.estimates[metric.name].point for result in results))
    points: dict[str, dict[int, float]] = {}
    for result in results:
        of_level = points.setdefault(result.levels[plan.control], {})
        of_level.setdefault(row[cell_of[result.treatment]], result.estimates[metric.name].point / column.size)
    if points:
        yield Chart(
            f"Side by side: {names.metric(plan, metric.name)}",
            _what_verdicts_compare(plan, factor),
            Axis(f"{names.metric(plan, metric.name)}, {printable(column.unit)}", logarithmic=True),
            Axis("", names=tuple(names.cell(plan, cell.id) for cell in cells)),
            tuple(
                Series(printable(level), tuple(Point(value, float(place)) for place, value in sorted(by_place.items())))
                for level, by_place in list(points.items())[:_MOST_SERIES]
            ),
        )


def _factor(plan: Plan) -> str | None:
    """The factor whose levels are the families of the run; None where there is one family, or no such factor."""
    several = len({cell.family for cell in plan.cells}) > 1
    of_all = (
        name for name in names.varying_factors(plan) if all(cell.levels.get(name) == cell.family for cell in plan.cells)
    )
    return next(of_all, None) if several else None


def _value(result: TreatmentResult | None, metric: str, gaps: Gaps) -> str:
    if result is None:
        return "–"
    if metric not in result.estimates:
        return gaps.missing(result.reason or result.state)
    estimate = result.estimates[metric]
    column = units.scale(estimate.unit, (estimate.point,))
    width = None if estimate.low is None or estimate.high is None else (estimate.high - estimate.low) / column.size
    return f"{units.number(estimate.point / column.size, width)} {printable(column.unit)}"


def _software_words(analysed: Analysed, factor: str) -> str:
    plan = analysed.measured.plan
    families = {cell.family for cell in plan.cells}
    kinds = [line for kind, line in software(analysed.measured.identity).items() if kind in families]
    named = f" ({'; '.join(kinds)})" if kinds else ""
    metric = names.metric(plan, plan.metrics[0].name)
    return f"{metric[0].upper()}{metric[1:]}, in one run on one machine{named}. {_what_verdicts_compare(plan, factor)}"


def _what_verdicts_compare(plan: Plan, factor: str) -> str:
    return f"Verdicts compare levels of {printable(plan.control)}, not one {printable(factor)} with the next."
