"""Tables as CSV, in base units; `missing` explains empty numbers."""

from __future__ import annotations

import csv
import functools
import io
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sectax.model.analysed import Analysed
from sectax.model.errors import WrongUse
from sectax.model.finding import Effect, Finding, Severity
from sectax.reports.escape import cell
from sectax.reports.reasons import no_effect, no_estimate, no_interval
from sectax.reports.words import hosts
from sectax.text import units

TABLES = ("findings", "treatments", "blocks", "hosts")

_Row = dict[str, Any]
_ESTIMATE = ("point", "low", "high", "level", "method", "count")


def render(analysed: Analysed, table: str) -> str:
    """One table as RFC 4180 text with a header and CR LF.

    Raises:
        WrongUse: unknown table, or the run does not have it.
    """
    if table not in (tables := available_tables(analysed)):
        why = "this run was measured on one host" if table in TABLES else f"there is no table {table!r}"
        raise WrongUse(why, f"there are: {', '.join(tables)}")
    head, table_rows = _TABLES[table]
    levels = {f"level_{factor.name}": cell(f"level_{factor.name}") for factor in analysed.measured.plan.factors}
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [*head, *levels], extrasaction="ignore", lineterminator="\r\n")
    writer.writerow(dict(zip(head, head, strict=True)) | levels)
    run = {"run": analysed.measured.run_id, "experiment": analysed.measured.plan.experiment}
    for row in table_rows(analysed):
        writer.writerow({name: _cell(value) for name, value in (run | row).items()})
    return text.getvalue()


def available_tables(analysed: Analysed) -> tuple[str, ...]:
    return tuple(table for table in TABLES if table != "hosts" or len(analysed.measured.machines) > 1)


_FINDING_HEAD = (
    "run", "experiment", "comparison", "cell", "treatment", "baseline", "metric", "standing", "alpha", "margin",
    "verdict", "withheld", "cost_ratio", "cost_ratio_low", "cost_ratio_high",
    "log_ratio", "log_ratio_low", "log_ratio_high",
    "absolute", "absolute_low", "absolute_high", "absolute_unit", "level", "method", "blocks", "blocks_lost",
    "spread", "floor", "margin_needed", "margin_in_reach", "blocks_needed_low", "blocks_needed_high",
    "seconds_needed_low", "seconds_needed_high", "warnings", "notes", "missing",
)  # fmt: skip
_TREATMENT_HEAD = (
    "run", "experiment", "treatment", "role", "state", "reason", "blocks", "metric", "unit", "point", "low", "high",
    "level", "method", "count", "empty_share", "missing",
)  # fmt: skip
_BLOCK_HEAD = ("run", "experiment", "treatment", "role", "block", "metric", "unit", "value")
_HOST_HEAD = (
    "run", "experiment", "comparison", "cell", "treatment", "baseline", "metric", "hosts", "processor", "blocks", "odd",
    "counts", "cost_ratio", "cost_ratio_low", "cost_ratio_high", "log_ratio", "log_ratio_low", "log_ratio_high",
    "level", "method", "spread_between", "spread_between_low", "spread_between_high", "missing",
)  # fmt: skip


def _hosts(analysed: Analysed) -> Iterator[_Row]:
    """Every comparison on every host, on all measured hosts, and on hosts claim these."""
    levels = {treatment.id: treatment.levels for treatment in analysed.measured.plan.treatments}
    for across in analysed.hosts:
        compared = across.measured.comparison
        common = {name: getattr(compared, name) for name in ("cell", "treatment", "baseline", "metric")}
        common |= {"comparison": compared.id} | _levels(levels.get(compared.treatment, {}))
        for host in across.hosts:
            yield common | {
                "hosts": host.host,
                "processor": hosts.processor(analysed.measured, host.host),
                "odd": "yes" if host.host == across.odd else "no",
                "counts": "no" if host.host in across.left_out else "yes",
                **(_interval(host.finding.effect) if host.finding.effect else {}),
                "missing": "" if host.finding.effect and math.isfinite(host.finding.effect.high) else "too few blocks",
            }
        spread = across.spread
        between = (
            {"": spread.point, "_low": spread.low, "_high": spread.high} if spread is not None else dict[str, Any]()
        )
        effect = across.measured.effect
        yield (
            common
            | {"hosts": "all measured", **(_interval(effect) if effect else {})}
            | {f"spread_between{end}": value for end, value in between.items()}
        )
        claim = across.alike.effect if across.alike else None
        yield common | {
            "hosts": hosts.LIKE_THESE,
            **(_interval(claim) if claim else {}),
            "missing": across.refused,
        }


def _interval(effect: Effect) -> _Row:
    row: _Row = {name: getattr(effect, name) for name in ("level", "method", "blocks")}
    for end, value in (("", effect.log_ratio), ("_low", effect.low), ("_high", effect.high)):
        row |= {f"cost_ratio{end}": units.cost_ratio(value), f"log_ratio{end}": value}
    return row


def _findings(analysed: Analysed) -> Iterator[_Row]:
    levels = {treatment.id: treatment.levels for treatment in analysed.measured.plan.treatments}
    for finding in analysed.findings:
        compared = finding.comparison
        yield {
            "comparison": compared.id,
            **{name: getattr(compared, name) for name in ("cell", "treatment", "baseline", "metric", "alpha")},
            "standing": compared.standing.value,
            "margin": finding.margin,
            "verdict": finding.verdict.value,
            "withheld": finding.withheld.value if finding.withheld else None,
            **(_effect(finding, finding.effect) if finding.effect else {}),
            "warnings": _checks(finding, note=False),
            "notes": _checks(finding, note=True),
            "missing": no_effect(analysed, finding),
            **_levels(levels.get(compared.treatment, {})),
        }


def _checks(finding: Finding, *, note: bool) -> str:
    checks = (warning.check for warning in finding.warnings if (warning.severity is Severity.NOTE) is note)
    return " ".join(dict.fromkeys(checks))


def _effect(finding: Finding, effect: Effect) -> _Row:
    absolute = effect.absolute
    row: _Row = {
        name: getattr(effect, name) for name in ("blocks_lost", "spread", "floor", "margin_needed", "margin_in_reach")
    }
    row |= _interval(effect)
    if absolute:
        row |= {"absolute": absolute.point, "absolute_low": absolute.low, "absolute_high": absolute.high}
        row["absolute_unit"] = absolute.unit
    for name, needed in (("blocks_needed", effect.blocks_needed), ("seconds_needed", finding.seconds_needed)):
        row |= zip((f"{name}_low", f"{name}_high"), needed or (None, None), strict=True)
    return row


def _treatments(analysed: Analysed) -> Iterator[_Row]:
    plan = analysed.measured.plan
    for result in analysed.treatments:
        for metric in plan.metrics:
            estimate = result.estimates.get(metric.name)
            yield {
                **{name: getattr(result, name) for name in ("treatment", "role", "state", "reason", "blocks")},
                "metric": metric.name,
                "unit": estimate.unit if estimate else metric.unit,
                **({name: getattr(estimate, name) for name in _ESTIMATE} if estimate else {}),
                "empty_share": result.empty_share,
                "missing": no_interval(estimate) if estimate else no_estimate(result),
                **_levels(result.levels),
            }
    reported = {result.treatment for result in analysed.treatments}
    for skip in plan.skipped:
        if skip.treatment not in reported:
            reason = skip.reason
            yield {
                "treatment": skip.treatment,
                "role": "treatment",
                "state": "skipped",
                "reason": reason,
                "blocks": 0,
                "missing": f"skipped: {reason}",
                **_levels(skip.levels),
            }


def _blocks(analysed: Analysed) -> Iterator[_Row]:
    """The value of every treatment, controls included, in every finished block."""
    measured = analysed.measured
    for metric in measured.plan.metrics:
        values = measured.values.get(metric.name, {})
        for treatment in measured.plan.treatments:
            for block, value in sorted(values.get(treatment.id, {}).items()):
                yield {
                    "treatment": treatment.id,
                    "role": treatment.role.value,
                    "block": block,
                    "metric": metric.name,
                    "unit": metric.unit,
                    "value": value,
                    **_levels(treatment.levels),
                }


_TABLES: Mapping[str, tuple[tuple[str, ...], Callable[[Analysed], Iterator[_Row]]]] = {
    "findings": (_FINDING_HEAD, _findings),
    "treatments": (_TREATMENT_HEAD, _treatments),
    "blocks": (_BLOCK_HEAD, _blocks),
    "hosts": (_HOST_HEAD, _hosts),
}


def _levels(levels: Mapping[str, str]) -> _Row:
    return {f"level_{name}": level for name, level in levels.items()}


def _cell(value: str | int | float | None) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, str):
        return _text(value)
    # The repr of numpy's floats has a type name.
    return repr(float(value)) if isinstance(value, float) else str(value)


# Few different names and levels fill thousands of rows.
_text = functools.lru_cache(maxsize=4096)(cell)
