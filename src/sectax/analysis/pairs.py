"""Pair each treatment with the baseline of its cell: one log difference per block."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from sectax.model.measured import Measured
from sectax.model.metric import Better, Metric, Summary
from sectax.model.treatment import Comparison, Role
from sectax.stats.hosts import HostIndices
from sectax.stats.moments import Array, has_log, paired_differences


def cost_unit(metric: Metric) -> str:
    """The unit of a metric's absolute cost; for rates, seconds per operation."""
    if not is_rate(metric):
        return metric.unit
    per = metric.unit.removesuffix("/s")
    return "s" if per == "operations" else f"s/{per}"


def is_rate(metric: Metric) -> bool:
    return metric.better == Better.HIGHER and metric.unit.endswith("/s")


def costs(values: Array, metric: Metric) -> Array:
    """Convert block values into costs in `cost_unit`, where larger is costlier."""
    if is_rate(metric):
        return 1 / np.where(has_log(values), values, np.nan)
    usable = np.where(has_log(values), values, np.nan)
    return -usable if metric.better == Better.HIGHER else usable


@dataclass(frozen=True)
class Pairs:
    """All comparisons of a run as arrays, in the order of the plan.

    Attributes:
        logs: log differences of treatment and baseline, positive if costlier.
        reference: differences of the cell's negative control in the same metric; NaN for the control itself, whose
            differences are symmetric and need no floor, and in cells without one: another cell's noise says nothing of
            this one's (`benchmarks.simulations.cells`).
        least_spread: floor of the spread from the metric's resolution, shape (comparisons,).
        host: index of each block's host, shape (blocks,); None for one host.
    """

    comparisons: tuple[Comparison, ...]
    logs: Array
    reference: Array
    baseline_cost: Array
    least_spread: Array
    host: HostIndices | None = None


def pair(measured: Measured) -> Pairs:
    """Compute the differences of every comparison in the finished blocks."""
    plan = measured.plan

    @functools.cache
    def values(metric: str, treatment: str) -> Array:
        by_block = measured.values.get(metric, {}).get(treatment, {})
        return np.array([by_block.get(block, np.nan) for block in measured.blocks], dtype=np.float64)

    metrics = {metric.name: metric for metric in plan.metrics}
    negatives = {
        treatment.cell: (plan.cell(treatment.cell).baseline, treatment.id)
        for treatment in plan.treatments
        if treatment.role == Role.NEGATIVE
    }
    rows = len(plan.comparisons)
    shape = (rows, len(measured.blocks))
    baseline, treatment, baseline_cost, reference = (np.full(shape, np.nan) for _ in range(4))
    sign = np.ones(rows)
    least = np.zeros(rows)
    by_pair: dict[tuple[str, str], Array] = {}
    for row, comparison in enumerate(plan.comparisons):
        metric = metrics[comparison.metric]
        baseline[row] = values(metric.name, comparison.baseline)
        treatment[row] = values(metric.name, comparison.treatment)
        baseline_cost[row] = costs(baseline[row], metric)
        sign[row] = -1.0 if metric.better == Better.HIGHER else 1.0
        arms = negatives.get(comparison.cell)
        if arms is not None and arms[1] != comparison.treatment:
            key = (comparison.cell, metric.name)
            if key not in by_pair:
                by_pair[key] = paired_differences(
                    values(metric.name, arms[0]), values(metric.name, arms[1]), metric.better
                )
            reference[row] = by_pair[key]
        if metric.resolution > 0:
            least[row] = max(
                _relative_step(measured, metric, comparison.baseline, baseline[row]),
                _relative_step(measured, metric, comparison.treatment, treatment[row]),
            )
    logs = paired_differences(baseline, treatment, Better.LOWER) * sign[:, None]
    return Pairs(plan.comparisons, logs, reference, baseline_cost, least, host_places(measured))


def host_places(measured: Measured) -> HostIndices | None:
    """The index in `measured.machines` of every block's host; None for one host."""
    if len(measured.machines) < 2:
        return None
    host = {block: index for index, blocks in enumerate(measured.machines.values()) for block in blocks}
    return np.array([host[block] for block in measured.blocks], dtype=np.int64)


def _relative_step(measured: Measured, metric: Metric, treatment: str, values: Array) -> float:
    """The metric's resolution as a share of a block's value.

    Sums average the rounding of their observations; medians and maxima do not.
    """
    positive = values[has_log(values)]
    if positive.size == 0:
        return 0.0
    typical = float(np.median(positive))
    if metric.summary == Summary.MAXIMUM:
        return metric.resolution / typical
    calibrations = {} if measured.calibrated is None else measured.calibrated.calibrations
    calibration = calibrations.get(treatment)
    operations = 1 if calibration is None or metric.once_per_process else calibration.count
    observation = operations / typical if is_rate(metric) else operations * typical
    step = metric.resolution / observation
    if metric.summary == Summary.MEDIAN:
        return step
    observations = measured.counts.get(metric.name, {}).get(treatment, positive.size) / positive.size
    return float(step / np.sqrt(max(observations, 1.0)))
