"""From factors to cells, treatments and comparisons, with the run's own controls."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from sectax.model.errors import WrongUse
from sectax.model.metric import Metric
from sectax.model.plan import Stopping
from sectax.model.subject import Witness
from sectax.model.treatment import (
    Cell,
    Comparison,
    Factor,
    Role,
    SkippedTreatment,
    Standing,
    Treatment,
)
from sectax.model.why_not import WhyNot

Levels = dict[str, str]

# Maximum number of comparisons that answer an experiment's question; all others are secondary.
MOST_PRIMARY = 12

NEGATIVE_SUFFIX = "#negative"
POSITIVE_SUFFIX = "#positive"


@dataclass(frozen=True)
class Rules:
    """Rules of an experiment for combinations of levels.

    Attributes:
        exists: whether levels belong together; others are neither a treatment nor a skipped one.
        family: name shared by cells with the same kind of subject, and so a negative and a positive control.
        lacks: reasons why a combination cannot be measured, the most useful first: its levels contradict each other,
            or the machine lacks something. None among the reasons is ignored.
        declares: promises of the levels, by the names of the witnesses that must confirm them.
        extra: share of extra operations that a combination has on purpose.
        primary: factor -> the levels that answer the experiment's question; all of a factor that is not named do.
        most_primary: maximum number of comparisons that answer it; they share the error level.
        positive: whether the subject can be slowed down by a known cost, which its figure then shows.
        extra_operations: whether that cost is extra operations; otherwise the subject adds it by itself.
        once: whether a cell is measured in one block only.
        batch_s: target seconds of a cell's batches, where that is not the same for all.
        at_once: whether a combination is visited at the same time as others of its round.
    """

    exists: Callable[[Levels], bool] = lambda levels: True
    family: Callable[[Levels], str] = lambda levels: "all"
    lacks: Callable[[Levels], Iterable[WhyNot | None]] = lambda levels: ()
    declares: Callable[[Levels], dict[str, Witness]] = lambda levels: {}
    extra: Callable[[Levels], float] = lambda levels: 0.0
    primary: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    most_primary: int = MOST_PRIMARY
    positive: Callable[[Levels], bool] = lambda levels: True
    extra_operations: bool = True
    once: Callable[[Levels], bool] = lambda levels: False
    batch_s: Callable[[Levels], float | None] = lambda levels: None
    at_once: Callable[[Levels], bool] = lambda levels: False


@dataclass(frozen=True)
class Matrix:
    cells: tuple[Cell, ...]
    treatments: tuple[Treatment, ...]
    comparisons: tuple[Comparison, ...]
    skipped: tuple[SkippedTreatment, ...]


class BaselineLeftOut(WrongUse):
    """The baseline is not among the levels of the control."""


def build(
    factors: tuple[Factor, ...],
    control: str,
    baseline: str | Callable[[Levels], str],
    metrics: tuple[Metric, ...],
    stopping: Stopping,
    rules: Rules,
) -> Matrix:
    """Cross all factors and pair every treatment with the baseline of its own cell.

    Args:
        factors: factors with their levels, the control included.
        control: factor whose levels are compared.
        baseline: level of the control with which others are compared; by the other levels, where cells differ in it.
        metrics: the first one is primary, and compared.
    Returns:
        The matrix; a cell whose baseline is not available is skipped whole.
    Raises:
        WrongUse: the baseline is not among the levels of the control.
        ValueError: the first metric is not compared, or a tail is: a block has no value of it to pair.
    """
    if not metrics[0].compared or any(metric.compared and metric.summary.tail is not None for metric in metrics):
        raise ValueError("the first metric must be compared, and no tail may be")
    other_factors = [factor for factor in factors if factor.name != control]
    levels_of_control = next(factor.levels for factor in factors if factor.name == control)
    cells: list[Cell] = []
    treatments: list[Treatment] = []
    skipped: list[SkippedTreatment] = []
    for combination in itertools.product(*(factor.levels for factor in other_factors)):
        cell_levels = dict(zip((factor.name for factor in other_factors), combination, strict=True))
        in_cell = [level for level in levels_of_control if rules.exists(cell_levels | {control: level})]
        if not in_cell:
            continue
        base = baseline if isinstance(baseline, str) else baseline(cell_levels)
        if base not in in_cell:
            raise BaselineLeftOut(
                f"{control} was given without its baseline, {base}, with which the others are compared",
                f"add it: --level {control}={','.join((base, *levels_of_control))}",
            )
        cell_id = "/".join(combination) or "all"
        members: list[Treatment] = []
        for level in in_cell:
            levels = cell_levels | {control: level}
            identity = f"{cell_id}/{level}"
            why_not = next(filter(None, rules.lacks(levels)), None)
            if why_not is not None:
                skipped.append(SkippedTreatment.because(identity, levels, why_not))
                continue
            role = Role.BASELINE if level == base else Role.TREATMENT
            members.append(
                Treatment(
                    identity,
                    cell_id,
                    levels,
                    role,
                    rules.extra(levels),
                    declares=rules.declares(levels),
                    at_once=rules.at_once(levels),
                )
            )
        if not any(member.role is Role.BASELINE for member in members):
            why_not = WhyNot(f"its baseline, {control}={base}, is not available")
            skipped.extend(SkippedTreatment.because(member.id, member.levels, why_not) for member in members)
            continue
        family, once = rules.family(cell_levels), rules.once(cell_levels)
        batch_s = rules.batch_s(cell_levels)
        cells.append(Cell(cell_id, cell_levels, family, f"{cell_id}/{base}", once, batch_s))
        treatments.extend(members)
    treatments.extend(_controls(cells, treatments, stopping.margin, rules))
    comparisons = _comparisons(cells, treatments, metrics, stopping.alpha, rules)
    return Matrix(tuple(cells), tuple(treatments), tuple(comparisons), tuple(skipped))


def _controls(cells: list[Cell], treatments: list[Treatment], margin: float, rules: Rules) -> list[Treatment]:
    """One negative and one positive control per family, in the family's first cell."""
    by_id = {treatment.id: treatment for treatment in treatments}
    first_cells: dict[str, Cell] = {}
    for cell in cells:
        first_cells.setdefault(cell.family, cell)
    controls: list[Treatment] = []
    for cell in first_cells.values():
        source = by_id[cell.baseline]
        controls.append(replace(source, id=source.id + NEGATIVE_SUFFIX, role=Role.NEGATIVE, extra=0.0))
        if rules.positive(source.levels):
            extra = 2 * margin if rules.extra_operations else 0.0
            controls.append(replace(source, id=source.id + POSITIVE_SUFFIX, role=Role.POSITIVE, extra=extra))
    return controls


def _comparisons(
    cells: list[Cell],
    treatments: list[Treatment],
    metrics: tuple[Metric, ...],
    alpha: float,
    rules: Rules,
) -> list[Comparison]:
    by_cell: Mapping[str, list[Treatment]] = {
        cell.id: [treatment for treatment in treatments if treatment.cell == cell.id] for cell in cells
    }
    primary_cells = _primary_cells(cells, by_cell, rules)
    drafts: list[tuple[Treatment, Cell, Metric, Standing]] = []
    for cell in cells:
        for treatment in by_cell[cell.id]:
            if treatment.role is Role.NEGATIVE:
                drafts.append((treatment, cell, metrics[0], Standing.NEGATIVE))
            elif treatment.role is Role.POSITIVE:
                drafts.append((treatment, cell, metrics[0], Standing.POSITIVE))
            elif treatment.role is Role.TREATMENT:
                for place, metric in enumerate(metric for metric in metrics if metric.compared):
                    first = place == 0 and cell.id in primary_cells
                    drafts.append((treatment, cell, metric, Standing.PRIMARY if first else Standing.SECONDARY))
    number = {standing: sum(draft[3] is standing for draft in drafts) for standing in Standing}
    share = {
        Standing.PRIMARY: alpha / max(1, number[Standing.PRIMARY]),
        Standing.SECONDARY: alpha,
        Standing.NEGATIVE: alpha / max(1, number[Standing.NEGATIVE]),
        Standing.POSITIVE: alpha,
    }
    return [
        Comparison(
            id=f"{treatment.id}:{metric.name}",
            cell=cell.id,
            treatment=treatment.id,
            baseline=cell.baseline,
            metric=metric.name,
            standing=standing,
            alpha=share[standing],
        )
        for treatment, cell, metric, standing in drafts
    ]


def _primary_cells(cells: list[Cell], by_cell: Mapping[str, list[Treatment]], rules: Rules) -> set[str]:
    """Cells with primary comparisons: those of the question, up to its maximum."""
    chosen: set[str] = set()
    room, primary = rules.most_primary, rules.primary
    for cell in cells:
        compared = sum(treatment.role is Role.TREATMENT for treatment in by_cell[cell.id])
        # The first cell always counts, so that a cell of many treatments still has a headline.
        answers = all(cell.levels[factor] in levels for factor, levels in primary.items() if factor in cell.levels)
        if answers and (compared <= room or not chosen):
            chosen.add(cell.id)
            room -= compared
    return chosen
