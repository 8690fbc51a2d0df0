"""Comparisons of a run with a published study or another run.

Nothing cancels between two sessions, so absolute figures get a ratio and never a verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

from sectax.model.condition import Concluded
from sectax.model.finding import Finding
from sectax.model.metric import Metric
from sectax.model.plan import Plan
from sectax.model.published import PublishedStudy, PublishedTable

NOT_IN_RUN = "not part of this run"


@dataclass(frozen=True)
class Figure:
    """One number of a table: either `value`, or the reason in `missing`.

    Attributes:
        treatment, metric: source within the run.
        undecided: whether the run's own comparison for this ratio is undecided.
    """

    value: float | None
    missing: str = ""
    low: float | None = None
    high: float | None = None
    treatment: str = ""
    metric: str = ""
    undecided: bool = False


@dataclass(frozen=True)
class Side:
    """The figures of a table, shape (rows, columns), and the name of their source."""

    name: str
    figures: tuple[tuple[Figure, ...], ...]


@dataclass(frozen=True)
class Shape:
    """A ratio of two figures of the same table, which is comparable between machines."""

    name: str
    there: Figure
    here: tuple[Figure, ...]  # one per side of `ComparedTable.here`


@dataclass(frozen=True)
class ComparedTable:
    """A published table and the run's figures in the same layout and unit.

    Attributes:
        printed: the study's table.
        here: figures of the run, one side per variant that the study leaves open.
        down: every row relative to `row_base`, by column.
        across: first column relative to every other, by row.
        metrics: the run's metrics in the table.
    """

    printed: PublishedTable
    row_base: str
    there: Side
    here: tuple[Side, ...]
    down: tuple[Shape, ...]
    across: tuple[Shape, ...]
    metrics: tuple[Metric, ...] = ()


@dataclass(frozen=True)
class PublishedComparison:
    """The comparison of a run with a published study."""

    study: PublishedStudy
    plan: Plan
    run_id: str
    here: dict[str, str]  # the run's environment, by the names of its identity
    tables: tuple[ComparedTable, ...]
    left_out: tuple[str, ...]  # tables without a counterpart, with the reason
    choices: tuple[str, ...]
    variants: dict[str, tuple[str, ...]]
    path: str = ""  # of the run file, as the user named it


@dataclass(frozen=True)
class Difference:
    """A difference between two runs; None means unknown in that run.

    Attributes:
        subject: 'run', or the level or treatment concerned.
        refuses: whether absolute figures of the subject are not comparable.
    """

    subject: str
    name: str
    a: str | None
    b: str | None
    refuses: bool


@dataclass(frozen=True)
class EffectPair:
    """The findings of one comparison in both runs, each relative to its own baseline."""

    comparison: str
    metric: Metric
    a: Finding
    b: Finding


@dataclass(frozen=True)
class AbsolutePair:
    """One treatment's figure in both runs; `ratio` is b ÷ a, or see `refused`."""

    treatment: str
    metric: Metric
    a: Figure
    b: Figure
    ratio: Figure
    refused: str = ""


@dataclass(frozen=True)
class RunComparison:
    """The comparison of two runs: effects, and figures that both measured.

    Attributes:
        revisions: measured code and job of each run.
        only_a, only_b: ids of comparisons that the other run lacks.
        conditions: results of `--fail-if`.
    """

    a: str
    b: str
    started_a: str
    started_b: str
    experiment: str
    plans: tuple[Plan, Plan]
    revisions: tuple[dict[str, str], dict[str, str]]
    differences: tuple[Difference, ...]
    effects: tuple[EffectPair, ...]
    absolute: tuple[AbsolutePair, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    conditions: tuple[Concluded, ...] = ()
    paths: tuple[str, str] = ("", "")  # of the run files, as the user named them
