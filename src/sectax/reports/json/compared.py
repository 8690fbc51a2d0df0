"""Comparisons as documents: a run beside a published study, or beside another run."""

from __future__ import annotations

from sectax.model.compared import ComparedTable, Figure, PublishedComparison, RunComparison, Shape, Side
from sectax.model.published import Fact
from sectax.reports.json.parts import Missing, Record, encoded, finding, known, record

PUBLISHED_SCHEMA = "sectax/published-comparison/1"
RUNS_SCHEMA = "sectax/run-comparison/1"


def published_document(comparison: PublishedComparison) -> bytes:
    """A run beside a published study. Figures are in the unit that the study printed, which each table names."""
    return encoded(
        {
            "schema": PUBLISHED_SCHEMA,
            "study": {
                "id": comparison.study,
                "title": comparison.title,
                "facts": {name: _fact(each) for name, each in comparison.there.items()},
                "unknowns": [*comparison.unknowns],
                "remarks": [{"id": each.id, "subject": each.subject, "text": each.text} for each in comparison.remarks],
            },
            "run": {"id": comparison.run_id, "identity": comparison.here},
            "choices": [*comparison.choices],
            "variants": {factor: [*levels] for factor, levels in comparison.variants.items()},
            "tables": [_table(each) for each in comparison.tables],
            "left_out": [*comparison.left_out],
        }
    )


def runs_document(comparison: RunComparison) -> bytes:
    """Two runs side by side; absolute figures are in base units."""
    return encoded(
        {
            "schema": RUNS_SCHEMA,
            "experiment": comparison.experiment,
            "a": {"id": comparison.a, "started": comparison.started_a},
            "b": {"id": comparison.b, "started": comparison.started_b},
            "differences": [
                record(
                    subject=each.subject,
                    name=each.name,
                    a=known(each.a, "this run does not say"),
                    b=known(each.b, "this run does not say"),
                    refuses=each.refuses,
                )
                for each in comparison.differences
            ],
            "effects": [
                {
                    "comparison": each.comparison,
                    "a": finding(each.a, "not measured in this run", each.metric),
                    "b": finding(each.b, "not measured in this run", each.metric),
                }
                for each in comparison.effects
            ],
            "absolute": [
                record(
                    treatment=each.treatment,
                    metric=each.metric.name,
                    unit=each.metric.unit,
                    a=_figure(each.a),
                    b=_figure(each.b),
                    ratio=Missing(f"refused: {each.refused}") if each.refused else known(each.ratio, "not measured"),
                )
                for each in comparison.absolute
            ],
            "only_a": [*comparison.only_a],
            "only_b": [*comparison.only_b],
        }
    )


def _table(table: ComparedTable) -> Record:
    return {
        "id": table.id,
        "metric": table.metric,
        "unit": table.unit,
        "rows": {"name": table.rows, "labels": [*table.row_labels]},
        "columns": {"name": table.columns, "labels": [*table.column_labels]},
        "fixed": table.fixed,
        "row_base": table.row_base,
        "there": _side(table.there),
        "here": [_side(each) for each in table.here],
        "shape": [_shape(each, table.here) for each in (*table.down, *table.across)],
        "here_over_there": [_side(each) for each in table.absolute],
    }


def _side(side: Side) -> Record:
    return {"name": side.name, "figures": [[_figure(each) for each in row] for row in side.figures]}


def _shape(shape: Shape, sides: tuple[Side, ...]) -> Record:
    return {
        "name": shape.name,
        "there": _figure(shape.there),
        "here": [{"name": side.name, "ratio": _figure(each)} for side, each in zip(sides, shape.here, strict=True)],
    }


def _figure(figure: Figure) -> Record:
    why = figure.missing or "printed, computed, or of too few blocks: there is no interval"
    return record(value=known(figure.value, why), low=known(figure.low, why), high=known(figure.high, why))


def _fact(fact: Fact) -> Record:
    return record(known=fact.known.value, value=known(fact.value, "the study does not say"), note=fact.note)
