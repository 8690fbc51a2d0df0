"""A published study as evidence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, Cold, Contrast, EndsBy, Figure, Moves, Quantity
from sectax.audit.checks.service_defaults import SETTINGS
from sectax.model.published import Facts, PublishedStudy, PublishedTable

# The word under which a table prints several statistics of the same cell side by side.
_STATISTIC = "statistic"
_STATISTICS = {"one trial": "one", "maximum": "max", "minimum": "min"}
_KNOWN_STATISTIC = re.compile(r"one|mean|median|min|max|total|rate|p\d{1,2}(\.\d+)?")

# Fact -> the circumstance that it tells, and how its value is read.
_CIRCUMSTANCES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "moves": ("moves", Moves),
    "contains": ("contains", lambda value: tuple(each.strip() for each in value.split(","))),
    "bytes": ("size_bytes", float),
    "link_bytes_s": ("link_bytes_s", float),
    "ends_by": ("ends_by", EndsBy),
    "configured_s": ("configured_s", float),
    "operations_per_cell": ("events", float),
    "events": ("events", float),
    "errors": ("errors", float),
    "cold_and_warm": ("cold", Cold),
    "instrument": ("instrument", str),
    "replicates": ("replicates", int),
    "replicate": ("replicate", str),
    "granularity_s": ("granularity_s", float),
    "processor": ("processor", str),
    "runtime": ("runtime", str),
    "library": ("library", str),
    "implementation": ("library", str),
    "key_bits": ("key_bits", int),
    "curve": ("curve", str),
    "service": ("service", str),
    "measured_year": ("year", int),
    "measured_month": ("month", int),
}


def evidence_of_study(study: PublishedStudy) -> Evidence:
    """Every printed figure with what the study says, or what follows from it, of how it came about.

    Tables that the study computed from another are left out: what holds of their source holds of them.
    """
    return Evidence(
        figures=tuple(figure for table in study.tables if not table.derived for figure in _figures(study, table)),
        contrast=_contrast(study),
    )


def _figures(study: PublishedStudy, table: PublishedTable) -> list[Figure]:
    figures = []
    for row, values in zip(table.row_labels, table.values, strict=True):
        for column, value in zip(table.column_labels, values, strict=True):
            if value is None:
                continue
            levels = table.fixed | {table.rows: row, table.columns: column}
            printed = levels.pop(_STATISTIC, None)
            facts = study.facts | table.facts | _of_levels(study, levels) | table.row_facts.get(row, {})
            trials = _value(facts, "trials_per_cell")
            figures.append(
                Figure(
                    id=f"{table.id}: {row}, {column}",
                    table=table.id,
                    levels=levels,
                    metric=table.metric,
                    quantity=_quantity(table),
                    unit=table.base_unit,
                    value=value * table.per_unit,
                    statistic=_statistic(printed or _value(facts, "statistic")),
                    trials=trials if isinstance(trials, int) else None,
                    circumstances=_circumstances(facts, levels),
                )
            )
    return figures


def _of_levels(study: PublishedStudy, levels: dict[str, str]) -> Facts:
    return {
        name: fact
        for factor in study.factors
        for level in factor.levels
        if levels.get(factor.name) == level.label
        for name, fact in level.facts.items()
    }


def _quantity(table: PublishedTable) -> Quantity:
    if table.base_unit == "s":
        return Quantity.TOTAL_TIME if table.metric == "total_time" else Quantity.TIME
    units = {"operations/s": Quantity.RATE, "bytes/s": Quantity.BANDWIDTH, "B": Quantity.MEMORY}
    return units.get(table.base_unit, Quantity.OTHER)


def _statistic(word: object) -> str | None:
    name = _STATISTICS.get(str(word), str(word))
    return name if _KNOWN_STATISTIC.fullmatch(name) else None


def _circumstances(facts: Facts, levels: dict[str, str]) -> Circumstances:
    told = {
        attribute: read(value)
        for name, (attribute, read) in _CIRCUMSTANCES.items()
        if (value := _value(facts, name)) is not None
    }
    settings = {name: str(value) for name in sorted(SETTINGS) if (value := _value(facts, name)) is not None}
    return Circumstances(operation=levels.get("operation"), settings=settings, **told)


def _contrast(study: PublishedStudy) -> Contrast | None:
    """What the study compares, from the facts `compares`, and `baseline_level` or `baseline`, which is then none."""
    factor = _value(study.facts, "compares")
    if factor is None:
        return None
    level, baseline = _value(study.facts, "baseline_level"), _value(study.facts, "baseline")
    brought = {
        _CIRCUMSTANCES[name][0]
        for each in study.factors
        if each.name == factor
        for known in each.levels
        for name in known.facts.keys() & _CIRCUMSTANCES.keys()
    }
    return Contrast(
        factor=str(factor),
        baseline=None if level is None else str(level),
        told=level is not None or baseline is not None,
        entails=tuple(sorted(brought)),
    )


def _value(facts: Facts, name: str) -> str | int | float | bool | None:
    fact = facts.get(name)
    return None if fact is None else fact.value
