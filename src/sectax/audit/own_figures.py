"""The figures of a run of ours: each treatment in each metric, with its block values and what one operation does."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from sectax.audit.figure import Figure, Quantity
from sectax.audit.own_work import circumstances
from sectax.model.measured import Measured
from sectax.model.metric import Metric, Summary
from sectax.model.plan import FIRST_LOOK
from sectax.model.treatment import Role

_QUANTITIES = {"s": Quantity.TIME, "operations/s": Quantity.RATE, "B/s": Quantity.BANDWIDTH, "B": Quantity.MEMORY}
# The statistics that every block estimates by itself, also of few observations.
_CENTRES = frozenset(each.value for each in (Summary.RATE, Summary.MEAN, Summary.MEDIAN))


@dataclass(frozen=True, kw_only=True)
class OwnFigure(Figure):
    """A treatment in one metric. Its table is the metric, and `trials` counts the observations of all blocks.

    What `circumstances.link_bytes_s` limits is what the operation does beyond those that it contains.

    Attributes:
        treatment, cell: their ids.
        is_baseline: whether others are compared with it.
        is_compared: whether treatments are compared in this metric; otherwise each is told by itself.
        blocks: the block of each of `values`.
        tail: the quantile that it is, where no block tells it by itself; 1 for the highest of the whole run.
        samples: of a tail, the observations of every block.
    """

    treatment: str
    cell: str
    is_baseline: bool
    is_compared: bool
    blocks: tuple[int, ...]
    tail: float | None = None
    samples: tuple[Sequence[float], ...] = ()

    def seconds(self) -> dict[int, float]:
        """Of one operation, by block, where that follows from the block's value."""
        times = {block: value for block, value in zip(self.blocks, self.values, strict=True) if value > 0}
        if self.quantity is Quantity.TIME:
            return times
        return {block: 1 / value for block, value in times.items()} if self.quantity is Quantity.RATE else {}


def own_figures(measured: Measured, used: Container[str]) -> tuple[OwnFigure, ...]:
    """Every metric of every treatment that is *used* and no control of the run itself, metric by metric."""
    return tuple(
        OwnFigure(
            id=f"{treatment.id}:{metric.name}",
            table=metric.name,
            levels=treatment.levels,
            metric=metric.name,
            quantity=_QUANTITIES.get(metric.unit, Quantity.OTHER),
            unit=metric.unit,
            statistic=_statistic(metric),
            trials=count,
            values=tuple(values.values()),
            circumstances=circumstances(measured.plan, treatment),
            treatment=treatment.id,
            cell=treatment.cell,
            is_baseline=treatment.role is Role.BASELINE,
            is_compared=metric.compared,
            blocks=tuple(values),
            tail=metric.summary.tail,
            samples=_samples(measured, metric, treatment.id),
        )
        for metric in measured.plan.metrics
        for treatment in measured.plan.treatments
        if treatment.id in used and treatment.role in (Role.BASELINE, Role.TREATMENT)
        for count in (measured.counts.get(metric.name, {}).get(treatment.id, 0),)
        for values in (_in_order(measured, metric, treatment.id),)
        if count
    )


def _statistic(metric: Metric) -> str:
    return "max" if metric.summary is Summary.MAXIMUM else metric.summary.value


def _in_order(measured: Measured, metric: Metric, treatment: str) -> dict[int, float]:
    values: Mapping[int, float] = measured.values.get(metric.name, {}).get(treatment, {})
    return {block: values[block] for block in measured.blocks if block in values}


def _samples(measured: Measured, metric: Metric, treatment: str) -> tuple[Sequence[float], ...]:
    if metric.summary.tail is None:
        return ()
    return tuple(measured.samples.get(metric.observed, {}).get(treatment, {}).values())


def typical_speeds(figures: Sequence[OwnFigure]) -> list[OwnFigure]:
    """The figures of the first metric that tells how long an operation takes as a rule: the run's own question."""
    speeds = [each for each in figures if each.statistic in _CENTRES and each.seconds()]
    return [each for each in speeds if each.table == speeds[0].table]


def parts_of(figure: OwnFigure, figures: Sequence[OwnFigure]) -> list[OwnFigure]:
    """The operations that it must do as a part of itself and that were measured beside it, the next one first."""
    return [
        other
        for operation in figure.circumstances.contains or ()
        for other in figures
        if (other.table, other.cell, other.circumstances.operation) == (figure.table, figure.cell, operation)
    ]


def interval(differences: Sequence[float], alpha: float, whole: float = 1.0) -> tuple[float, float]:
    """The interval of the mean of one difference per block, which may be looked at after every block.

    It is guarded as the verdicts are: a claim against a run must survive the mode of processes that theirs survive.

    Args:
        differences: in the order of the blocks.
        alpha: its chance to miss.
        whole: what they are differences of, in their unit; 1 for differences of logs.
    Returns:
        Its limits; infinite where the blocks are too few, or so unlike that no value agrees with all of them.
    """
    import math

    import numpy as np

    from sectax.stats.confidence_sequence import UNSEEN, running_sequence

    if len(differences) < FIRST_LOOK:
        return -math.inf, math.inf
    rows = np.array([differences], dtype=np.float64)
    sequence = running_sequence(rows, alpha, first_look=FIRST_LOOK, unseen=UNSEEN * whole)
    low, high = float(sequence.low[0, -1]), float(sequence.high[0, -1])
    return (low, high) if low <= high else (-math.inf, math.inf)
