"""The two tables. Numbers are in base units with all their digits; a missing one is empty, and `missing` says why.

Levels stand in one column per factor, `level_FACTOR`, so that a table can be joined and pivoted.
"""

from __future__ import annotations

import csv
import io
import math

from sectax.model.analysed import Analysed
from sectax.model.errors import WrongUse
from sectax.model.finding import Finding
from sectax.model.plan import Plan
from sectax.reports import units
from sectax.reports.escape import cell
from sectax.reports.reasons import no_effect, no_estimate, no_interval

TABLES = ("findings", "treatments")

_Value = str | int | float | None


def render(analysed: Analysed, table: str) -> str:
    """One table as RFC 4180 text with a head and lines that end in CR LF.

    Raises:
        WrongUse: no such table.
    """
    if table not in TABLES:
        raise WrongUse(f"there is no table {table!r}", f"there are: {', '.join(TABLES)}")
    rows = _findings(analysed) if table == "findings" else _treatments(analysed)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(_head(analysed.measured.plan, table))
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return text.getvalue()


_FINDING_HEAD = (
    "run", "experiment", "comparison", "cell", "treatment", "baseline", "metric", "standing", "alpha", "margin",
    "verdict", "withheld", "cost_ratio", "cost_ratio_low", "cost_ratio_high",
    "log_ratio", "log_ratio_low", "log_ratio_high",
    "absolute", "absolute_low", "absolute_high", "absolute_unit", "level", "method", "blocks", "blocks_lost",
    "spread", "floor", "margin_needed", "margin_in_reach", "blocks_needed_low", "blocks_needed_high",
    "seconds_needed_low", "seconds_needed_high", "warnings", "missing",
)  # fmt: skip
_TREATMENT_HEAD = (
    "run", "experiment", "treatment", "role", "state", "reason", "blocks", "metric", "unit", "point", "low", "high",
    "level", "method", "count", "empty_share", "missing",
)  # fmt: skip


def _factors(plan: Plan) -> list[str]:
    return [factor.name for factor in plan.factors]


def _head(plan: Plan, table: str) -> list[str]:
    own = _FINDING_HEAD if table == "findings" else _TREATMENT_HEAD
    return [*own, *(cell(f"level_{name}") for name in _factors(plan))]


def _findings(analysed: Analysed) -> list[list[_Value]]:
    measured, plan = analysed.measured, analysed.measured.plan
    levels = {each.id: each.levels for each in plan.treatments}
    rows = []
    for finding in analysed.findings:
        compared = finding.comparison
        rows.append(
            [
                measured.run_id,
                plan.experiment,
                compared.id,
                compared.cell,
                compared.treatment,
                compared.baseline,
                compared.metric,
                compared.standing.value,
                compared.alpha,
                finding.margin,
                finding.verdict.value,
                finding.withheld.value if finding.withheld else None,
                *_effect(finding),
                " ".join(dict.fromkeys(warning.check for warning in finding.warnings)),
                no_effect(analysed, finding),
                *(levels.get(compared.treatment, {}).get(name) for name in _factors(plan)),
            ]
        )
    return rows


def _effect(finding: Finding) -> list[_Value]:
    seen = finding.effect
    if seen is None:
        return [None] * 21
    absolute = seen.absolute
    return [
        units.cost_ratio(seen.log_ratio),
        units.cost_ratio(seen.low),
        units.cost_ratio(seen.high),
        seen.log_ratio,
        seen.low,
        seen.high,
        *((absolute.point, absolute.low, absolute.high, absolute.unit) if absolute else (None,) * 4),
        seen.level,
        seen.method,
        seen.blocks,
        seen.blocks_lost,
        seen.spread,
        seen.floor,
        seen.margin_needed,
        seen.margin_in_reach,
        *(seen.blocks_needed or (None, None)),
        *(finding.seconds_needed or (None, None)),
    ]


def _treatments(analysed: Analysed) -> list[list[_Value]]:
    measured, plan = analysed.measured, analysed.measured.plan
    rows: list[list[_Value]] = []
    for result in analysed.treatments:
        for metric in plan.metrics:
            found = result.estimates.get(metric.name)
            rows.append(
                [
                    measured.run_id,
                    plan.experiment,
                    result.treatment,
                    result.role,
                    result.state,
                    result.reason,
                    result.blocks,
                    metric.name,
                    *((found.unit, found.point, found.low, found.high) if found else (metric.unit, None, None, None)),
                    *((found.level, found.method, found.count) if found else (None, None, None)),
                    result.empty_share,
                    no_interval(found) if found else no_estimate(result),
                    *(result.levels.get(name) for name in _factors(plan)),
                ]
            )
    reported = {result.treatment for result in analysed.treatments}
    for lack in plan.skipped:
        if lack.treatment in reported:
            continue
        rows.append(
            [
                measured.run_id,
                plan.experiment,
                lack.treatment,
                "treatment",
                "skipped",
                lack.reason,
                0,
                *(None,) * 9,
                f"skipped: {lack.reason}",
                *(lack.levels.get(name) for name in _factors(plan)),
            ]
        )
    return rows


def _cell(value: _Value) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, str):
        return cell(value)
    # numpy's floats are floats too, but say so in their repr.
    return repr(float(value)) if isinstance(value, float) else str(value)
