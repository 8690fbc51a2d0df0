"""Published studies as evidence."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from sectax.audit.form import Claim, Cold, Contrast, EndsBy, Evidence, Moves, Quantity, Series, Setting, TrialWork
from sectax.model.published import Facts, PublishedStudy, PublishedTable

_STATISTICS = {"one trial": "one", "maximum": "max", "minimum": "min"}
_KNOWN_STATISTIC = re.compile(r"one|mean|median|min|max|total|rate|p\d{1,2}(\.\d+)?")
_QUANTITIES = {"operations/s": Quantity.RATE, "bytes/s": Quantity.BANDWIDTH, "B": Quantity.MEMORY}

# Facts whose attribute has a different name.
_ATTRIBUTES = {
    "bytes": "size_bytes",
    "operations_per_cell": "operations",
    "events": "operations",
    "errors": "failures",
    "cold_and_warm": "cold",
    "implementation": "library",
}
# Attributes set by facts, with the conversion of their values.
_WORK: dict[str, Any] = {
    **dict.fromkeys(("size_bytes", "link_bytes_s", "configured_s", "operations", "failures"), float),
    **{"moves": Moves, "ends_by": EndsBy, "cold": Cold, "replicates": int, "replicate": str},
    "contains": lambda value: tuple(name.strip() for name in value.split(",")),
}
_SETTING = {**dict.fromkeys((field.name for field in fields(Setting)), str), "granularity_s": float, "key_bits": int}


def evidence_of_study(study: PublishedStudy) -> Evidence:
    """Return every printed figure with the facts of the study about it.

    Derived tables are left out: findings about their source apply to them.
    """
    every = tuple(series for table in study.tables if not table.derived for series in _series(study, table))
    return Evidence(series=every, contrast=_contrast(study))


def _series(study: PublishedStudy, table: PublishedTable) -> list[Series]:
    series = []
    for row, values in zip(table.row_labels, table.values, strict=True):
        for column, value in zip(table.column_labels, values, strict=True):
            if value is None:
                continue
            levels = table.fixed | {table.rows: row, table.columns: column}
            # A factor with this name gives several statistics of the same cell.
            printed = levels.pop("statistic", None)
            facts = study.facts | table.facts | _of_levels(study, levels) | table.row_facts.get(row, {})
            trials = _value(facts, "trials_per_cell")
            id = f"{table.id}: {row}, {column}"
            series.append(
                Series(
                    id=id,
                    table=table.id,
                    levels=levels,
                    metric=table.metric,
                    quantity=_quantity(table),
                    claims=(Claim(id, _statistic(printed or _value(facts, "statistic")), value * table.per_unit),),
                    count=trials if isinstance(trials, int) else None,
                    work=TrialWork(**{"operation": levels.get("operation")} | _read(_WORK, facts)),
                    setting=Setting(**_read(_SETTING, facts)),
                )
            )
    return series


def _read(known: dict[str, Any], facts: Facts) -> dict[str, Any]:
    attributes = {_ATTRIBUTES.get(name, name): _value(facts, name) for name in facts}
    return {name: known[name](value) for name, value in attributes.items() if name in known and value is not None}


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
    return _QUANTITIES.get(table.base_unit, Quantity.OTHER)


def _statistic(word: object) -> str | None:
    name = _STATISTICS.get(str(word), str(word))
    return name if _KNOWN_STATISTIC.fullmatch(name) else None


def _contrast(study: PublishedStudy) -> Contrast | None:
    """Return what the study compares, from its facts."""
    factor = _value(study.facts, "compares")
    if factor is None:
        return None
    level, baseline = _value(study.facts, "baseline_level"), _value(study.facts, "baseline")
    brought = {
        _ATTRIBUTES.get(name, name)
        for declared in study.factors
        if declared.name == factor
        for known in declared.levels
        for name in known.facts
    }
    return Contrast(
        factor=str(factor),
        baseline=None if level is None else str(level),
        reported=level is not None or baseline is not None,
        entails=tuple(sorted(brought & (_WORK | _SETTING).keys())),
    )


def _value(facts: Facts, name: str) -> str | int | float | bool | None:
    fact = facts.get(name)
    return None if fact is None else fact.value
