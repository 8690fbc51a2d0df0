"""Finds and reads a published study."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import msgspec

from sectax.model.curves import contradiction
from sectax.model.errors import WrongUse
from sectax.model.near import did_you_mean
from sectax.model.published import (
    ColumnDifference,
    Counterpart,
    CounterpartDesign,
    Fact,
    Facts,
    Known,
    PublishedFactor,
    PublishedLevel,
    PublishedStudy,
    PublishedTable,
    Remark,
    TestVector,
)
from sectax.published import schema

_SUFFIX = ".toml"


def ids() -> tuple[str, ...]:
    """The ids of all studies that are built in."""
    folder = files("sectax.published") / "studies"
    return tuple(sorted(each.name.removesuffix(_SUFFIX) for each in folder.iterdir() if each.name.endswith(_SUFFIX)))


def load(study_id: str) -> PublishedStudy:
    """The study of this id. Raises `WrongUse` where there is none."""
    if study_id not in ids():
        raise WrongUse(f"there is no published study {study_id!r}", did_you_mean(study_id, ids()))
    text = (files("sectax.published") / "studies" / f"{study_id}{_SUFFIX}").read_text(encoding="utf-8")
    return read(text)


def read(text: str) -> PublishedStudy:
    """A study from the text of its file.

    Raises:
        ValueError: not TOML, not of the schema, or a table whose shape is not that of its labels.
    """
    raw = msgspec.convert(tomllib.loads(text), schema.Study)
    factors = tuple(
        PublishedFactor(factor.name, tuple(PublishedLevel(level.label, _facts(level.facts)) for level in factor.levels))
        for factor in raw.factors
    )
    labels = {factor.name: tuple(level.label for level in factor.levels) for factor in factors}
    return PublishedStudy(
        id=raw.id,
        title=raw.title,
        experiment=raw.experiment,
        facts=_facts(raw.facts),
        factors=factors,
        tables=tuple(_table(table, labels) for table in raw.tables),
        choices=tuple(raw.choices),
        remarks=tuple(remark for factor in factors for remark in remarks(factor)),
        counterpart=_counterpart(raw.counterpart),
        commands=raw.commands,
        vectors=tuple(TestVector(each.given, each.result) for each in raw.vectors),
    )


def _table(raw: schema.Table, labels: dict[str, tuple[str, ...]]) -> PublishedTable:
    rows = tuple(raw.row_labels) or labels.get(raw.rows, ())
    columns = tuple(raw.column_labels) or labels.get(raw.columns, ())
    if len(raw.values) != len(rows) or any(len(row) != len(columns) for row in raw.values):
        raise ValueError(f"table {raw.id!r} is not of the shape {len(rows)} × {len(columns)} of its labels")
    strangers = [label for label in raw.row_facts if label not in rows]
    if strangers:
        raise ValueError(f"table {raw.id!r} has no row {strangers[0]!r}")
    return PublishedTable(
        id=raw.id,
        metric=raw.metric,
        unit=raw.unit,
        base_unit=raw.base_unit,
        per_unit=raw.per_unit,
        rows=raw.rows,
        columns=raw.columns,
        row_labels=rows,
        column_labels=columns,
        values=tuple(tuple(row) for row in raw.values),
        fixed=raw.fixed,
        facts=_facts(raw.facts),
        row_facts={label: _facts(facts) for label, facts in raw.row_facts.items()},
        derived=raw.derived,
    )


def _facts(raw: schema.Facts) -> Facts:
    return {name: Fact(Known(each.known), each.value, each.note) for name, each in raw.items()}


def _counterpart(raw: schema.Counterpart | None) -> Counterpart | None:
    if raw is None:
        return None
    return Counterpart(
        levels=raw.levels,
        variants={factor: tuple(levels) for factor, levels in raw.variants.items()},
        factors=raw.factors,
        labels=raw.labels,
        metrics=raw.metrics,
        columns=raw.columns,
        unlike_rows=raw.unlike_rows,
        differences={
            table: ColumnDifference(each.table, each.of, each.less) for table, each in raw.differences.items()
        },
        designs=tuple(CounterpartDesign(each.name, each.metrics, each.columns) for each in raw.designs),
    )


MISLABELLED = "mislabelled-level"


def remarks(factor: PublishedFactor) -> list[Remark]:
    """What must be known before the labels of a factor are used."""
    return [remark for level in factor.levels if (remark := mislabelled(level)) is not None]


def mislabelled(level: PublishedLevel) -> Remark | None:
    """A remark where the size that a label states is not that of the curve that it, or a fact about it, names."""
    curve = level.facts.get("curve")
    text = contradiction(level.label, str(curve.value) if curve is not None and curve.value is not None else None)
    return None if text is None else Remark(MISLABELLED, level.label, text)
