"""Published studies as data: tables as printed, and how well each fact is known."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from sectax.formats import toml_text
from sectax.formats.curves import contradiction
from sectax.model.errors import WrongUse
from sectax.model.published import PublishedFactor, PublishedLevel, PublishedStudy, PublishedTable, Remark
from sectax.text.near import did_you_mean

_SUFFIX = ".toml"
SCHEMA = 1
# Facts that every study must give, even if 'unknown'.
REQUIRED_FACTS = (
    "author", "published", "language_of_source", "environment", "trials_per_cell", "statistic", "warm_up",
)  # fmt: skip


def ids() -> tuple[str, ...]:
    """The ids of all built-in studies."""
    folder = files("sectax.published") / "studies"
    return tuple(sorted(path.name.removesuffix(_SUFFIX) for path in folder.iterdir() if path.name.endswith(_SUFFIX)))


def refuse_bare(target: str) -> None:
    """Refuse the bare id of a study, or 'published', unless it is a file (`WrongUse`)."""
    if target in (*ids(), "published") and not Path(target).exists():
        hint = (
            f"the study of this name is published:{target}"
            if target in ids()
            else f"name a study, as in published:{ids()[0]}; there are: {', '.join(ids())}"
        )
        raise WrongUse(f"there is no file {target}", hint)


def load(study_id: str) -> PublishedStudy:
    """Load a study by id. Raises `WrongUse` where there is none."""
    if study_id not in ids():
        raise WrongUse(f"there is no published study {study_id!r}", did_you_mean(study_id, ids()))
    text = (files("sectax.published") / "studies" / f"{study_id}{_SUFFIX}").read_text(encoding="utf-8")
    return read(text)


def read(text: str) -> PublishedStudy:
    """Parse a study from the text of its file.

    Raises:
        BadInput: not TOML.
        ValueError: a member that is missing, unknown or of another type, a required fact that is missing, or
            a table whose shape is not that of its labels.
    """
    raw = toml_text.parse(text)
    if raw.pop("schema", None) != SCHEMA:
        raise ValueError(f"the study's schema is not {SCHEMA}")
    study = msgspec.convert(raw, PublishedStudy)
    fields_read = msgspec.to_builtins(study)
    fields_read.pop("remarks", None)  # these follow from the labels
    _refuse_unknown(raw, fields_read)
    lacking = [name for name in REQUIRED_FACTS if name not in study.facts]
    if lacking:
        raise ValueError(f"missing facts: {', '.join(lacking)}")
    labels = {factor.name: tuple(level.label for level in factor.levels) for factor in study.factors}
    return replace(
        study,
        tables=tuple(_labelled(table, labels) for table in study.tables),
        remarks=tuple(remark for factor in study.factors for remark in remarks(factor)),
    )


def _refuse_unknown(raw: Any, fields_read: Any, where: str = "") -> None:
    """Raise `ValueError` for an unknown member of the file."""
    if isinstance(raw, dict):
        for name, part in raw.items():
            if name not in fields_read:
                raise ValueError(f"unknown member {where}{name}")
            _refuse_unknown(part, fields_read[name], f"{where}{name}.")
    elif isinstance(raw, list):
        for part, read_ in zip(raw, fields_read, strict=True):
            _refuse_unknown(part, read_, where)


def _labelled(table: PublishedTable, labels: dict[str, tuple[str, ...]]) -> PublishedTable:
    rows = table.row_labels or labels.get(table.rows, ())
    columns = table.column_labels or labels.get(table.columns, ())
    if len(table.values) != len(rows) or any(len(row) != len(columns) for row in table.values):
        raise ValueError(f"table {table.id!r} is not of the shape {len(rows)} × {len(columns)} of its labels")
    unknown = [label for label in table.row_facts if label not in rows]
    if unknown:
        raise ValueError(f"table {table.id!r} has no row {unknown[0]!r}")
    return replace(table, row_labels=rows, column_labels=columns)


MISLABELLED = "mislabelled-level"


def remarks(factor: PublishedFactor) -> list[Remark]:
    """Remarks needed before the labels of a factor are used."""
    return [remark for level in factor.levels if (remark := mislabelled(level)) is not None]


def mislabelled(level: PublishedLevel) -> Remark | None:
    """A remark where the size in a label is not that of the curve named."""
    curve = level.facts.get("curve")
    text = contradiction(level.label, str(curve.value) if curve is not None and curve.value is not None else None)
    return None if text is None else Remark(MISLABELLED, level.label, text)
