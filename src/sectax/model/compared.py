"""Two sets of figures side by side: a run beside a published study, or beside another run.

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
    """One number of a table, or the reason why there is none: exactly one of `value` and `missing` is given.

    `treatment` and `metric` say what of the run it is; a ratio is `undecided` where the run's own comparison is.
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
    """One table's figures, shape (rows, columns), under the name of where they come from."""

    name: str
    figures: tuple[tuple[Figure, ...], ...]


@dataclass(frozen=True)
class Shape:
    """A ratio of two figures of the same table: what may be set beside another machine's."""

    name: str
    there: Figure
    here: tuple[Figure, ...]  # one per side of `ComparedTable.here`


@dataclass(frozen=True)
class ComparedTable:
    """A published table and ours in the same layout and unit.

    Attributes:
        printed: the study's, with the layout and the unit of both.
        here: one side per variant that the study leaves open.
        down: every row relative to `row_base`, per column.
        across: the first column relative to every other, per row.
        metrics: of the run, which its figures are of.
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
    """A run beside a published study, table by table."""

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
    """Something in which two runs differ. None: that run does not say.

    `subject` is 'run', or the level or treatment that alone is concerned; `refuses` whether absolute figures of what
    is concerned may no longer be set against each other.
    """

    subject: str
    name: str
    a: str | None
    b: str | None
    refuses: bool


@dataclass(frozen=True)
class EffectPair:
    """One comparison as both runs judged it, each against the baseline of its own run."""

    comparison: str
    metric: Metric
    a: Finding
    b: Finding


@dataclass(frozen=True)
class AbsolutePair:
    """One treatment's figure in both runs; `ratio` is b over a, or says why there is none, as `refused` does too."""

    treatment: str
    metric: Metric
    a: Figure
    b: Figure
    ratio: Figure
    refused: str = ""


@dataclass(frozen=True)
class RunComparison:
    """Two runs side by side: effects stand, absolute figures only where the same thing was measured.

    `only_a` and `only_b` are the ids of comparisons that the other run lacks. `revisions` say what code was measured,
    and in which job. `conditions` are those of `--fail-if`.
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
