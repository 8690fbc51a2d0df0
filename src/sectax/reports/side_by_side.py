"""The figures of a run's families in one table, without verdicts."""

from __future__ import annotations

from sectax.model.analysed import Analysed
from sectax.model.finding import TreatmentResult, alike
from sectax.model.plan import Plan
from sectax.reports.document import Block, Text, grid
from sectax.reports.notes import software
from sectax.reports.reasons import Gaps
from sectax.reports.words import names
from sectax.text import units
from sectax.text.printable import printable


def table(analysed: Analysed) -> tuple[Block, ...]:
    """A row for each treatment and a column for each family; empty for one."""
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


def _factor(plan: Plan) -> str | None:
    """The factor whose levels are the families of the run, if there are several."""
    several = len({cell.family for cell in plan.cells}) > 1
    family_factors = (
        name for name in names.varying_factors(plan) if all(cell.levels.get(name) == cell.family for cell in plan.cells)
    )
    return next(family_factors, None) if several else None


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
    verdicts = f"Verdicts compare levels of {printable(plan.control)}, not one {printable(factor)} with the next."
    return f"{metric[0].upper()}{metric[1:]}, in one run on one machine{named}. {verdicts}"
