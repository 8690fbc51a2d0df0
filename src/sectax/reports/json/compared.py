"""JSON documents that compare a run with a published study or another run."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Self

from sectax.model import compared as model
from sectax.model.published import Known, Remark
from sectax.model.subject import Witness
from sectax.reports.json.findings import Finding, Limit, finding
from sectax.reports.json.parts import Object, WithMissing, doc, fill, known, null


class Fact(WithMissing, frozen=True):
    """A fact about a study, and how it is known."""

    known: Known
    value: Annotated[Witness | None, null("not stated by the study")]
    note: str


class Study(Object, frozen=True):
    """The published study."""

    id: str
    title: str
    facts: dict[str, Fact]
    unknowns: tuple[str, ...]
    remarks: tuple[Remark, ...]


class ComparedRun(Object, frozen=True):
    """The run that is compared."""

    id: Annotated[str, doc(at="run_id")]
    identity: Annotated[dict[str, str], doc(at="here")]


class Axis(Object, frozen=True):
    """The factor that varies along the rows or columns."""

    name: str
    labels: tuple[str, ...]


class Figure(WithMissing, frozen=True):
    """A number with its interval, or null and why."""

    value: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, figure: model.Figure, /) -> Self:
        why = figure.missing or "no interval: printed, computed, or from too few blocks"
        return fill(cls, **{name: known(getattr(figure, name), why) for name in ("value", "low", "high")})


class Side(Object, frozen=True):
    """One side's figures in the study's layout."""

    name: str
    figures: Annotated[tuple[tuple[Figure, ...], ...], doc("Rows of columns, in the order of the labels.")]


class NamedRatio(Object, frozen=True):
    """A ratio of one side."""

    name: str
    ratio: Figure


class Shape(Object, frozen=True):
    """A ratio of two figures of one table."""

    name: str
    there: Figure
    here: tuple[NamedRatio, ...]


class ComparedTable(Object, frozen=True):
    """A published table and the run's figures in the same layout and unit."""

    id: str
    metric: str
    unit: str
    rows: Axis
    columns: Axis
    fixed: dict[str, str]
    row_base: Annotated[str, doc("The denominator row of ratios between rows.")]
    there: Side
    here: tuple[Side, ...]
    shape: tuple[Shape, ...]

    @classmethod
    def of(cls, table: model.ComparedTable, /) -> Self:
        printed, sides = table.printed, [side.name for side in table.here]
        return fill(
            cls,
            printed,
            rows=(printed.rows, printed.row_labels),
            columns=(printed.columns, printed.column_labels),
            row_base=table.row_base,
            there=table.there,
            here=table.here,
            shape=[
                (column.name, column.there, zip(sides, column.here, strict=True))
                for column in (*table.down, *table.across)
            ],
        )


class PublishedComparison(Object, frozen=True, tag_field="schema", tag="sectax/published-comparison/1"):
    """A run compared with a published study, in the study's units; without verdicts."""

    study: Study
    run: Annotated[ComparedRun, doc(at="")]
    choices: tuple[str, ...]
    variants: Annotated[
        dict[str, tuple[str, ...]],
        doc("Factor -> the run's levels compared with a published figure, if the study does not state its own."),
    ]
    tables: tuple[ComparedTable, ...]
    left_out: tuple[str, ...]


class RunName(Object, frozen=True):
    """One of two runs."""

    id: str
    started: str
    revision: Annotated[dict[str, str], doc("The commit, whether tracked files differed from it, and the job in CI.")]


class Difference(WithMissing, frozen=True):
    """A difference between two runs."""

    subject: Annotated[str, doc("'run', or the level or treatment that differs.")]
    name: str
    a: Annotated[str | None, null("not recorded in this run")]
    b: Annotated[str | None, null("not recorded in this run")]
    refuses: Annotated[bool, doc("Whether it makes absolute figures incomparable.")]


class EffectPair(Object, frozen=True):
    """One comparison as both runs judged it."""

    comparison: str
    a: Finding
    b: Finding

    @classmethod
    def of(cls, pair: model.EffectPair, /) -> Self:
        missing = "not measured in this run"
        return cls(pair.comparison, finding(pair.a, missing, pair.metric), finding(pair.b, missing, pair.metric))


class AbsolutePair(WithMissing, frozen=True):
    """One treatment's figure in both runs."""

    treatment: str
    metric: Annotated[str, doc(at="metric.name")]
    unit: Annotated[str, doc(at="metric.unit")]
    a: Figure
    b: Figure
    ratio: Annotated[float | None, null("not measured", "b divided by a.")]
    ratio_low: float | None
    ratio_high: float | None

    @classmethod
    def of(cls, pair: model.AbsolutePair, /) -> Self:
        ratio = Figure.of(replace(pair.ratio, missing=f"refused: {pair.refused}") if pair.refused else pair.ratio)
        ends = {"": "value", "_low": "low", "_high": "high"}
        ratios = {f"ratio{end}": known(getattr(ratio, name), ratio.missing.get(name, "")) for end, name in ends.items()}
        return fill(cls, pair, **ratios)


class Change(Object, frozen=True):
    """The change of an effect from a to b, as the interval of a log ratio."""

    log_ratio_low: float
    log_ratio_high: float


class ChangeLimit(Limit, frozen=True):
    """A condition of `--fail-if` on a change between two runs, and its answer."""

    changes: Annotated[dict[str, Change], doc("By the ids of the deciding comparisons, if both runs have an interval.")]


class RunComparison(Object, frozen=True, tag_field="schema", tag="sectax/run-comparison/1"):
    """Two runs: effects against their own baselines, and absolute figures."""

    experiment: str
    a: RunName
    b: RunName
    differences: tuple[Difference, ...]
    effects: tuple[EffectPair, ...]
    absolute: tuple[AbsolutePair, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    conditions: tuple[ChangeLimit, ...]

    @classmethod
    def of(cls, result: model.RunComparison, /) -> Self:
        return fill(
            cls,
            result,
            a=(result.a, result.started_a, result.revisions[0]),
            b=(result.b, result.started_b, result.revisions[1]),
        )
