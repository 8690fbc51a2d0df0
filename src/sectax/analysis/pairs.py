"""One difference per block: treatment against the baseline of its own cell, in logs."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from sectax.model.measured import Measured
from sectax.model.metric import Better, Metric, Summary
from sectax.model.treatment import Comparison, Role
from sectax.stats.hosts import Places
from sectax.stats.moments import Array, has_log, paired_differences


def cost_unit(metric: Metric) -> str:
    """The unit in which an absolute cost of this metric is given: a rate's is the time of one operation."""
    if not is_rate(metric):
        return metric.unit
    per = metric.unit.removesuffix("/s")
    return "s" if per == "operations" else f"s/{per}"


def is_rate(metric: Metric) -> bool:
    return metric.better == Better.HIGHER and metric.unit.endswith("/s")


def costs(values: Array, metric: Metric) -> Array:
    """Block values as costs in `cost_unit`: more is always costlier."""
    if is_rate(metric):
        return 1 / np.where(has_log(values), values, np.nan)
    usable = np.where(has_log(values), values, np.nan)
    return -usable if metric.better == Better.HIGHER else usable


@dataclass(frozen=True)
class Pairs:
    """All comparisons of a run in the order of its plan.

    Every array has shape (comparisons, blocks), `least_spread` shape (comparisons,). `reference` are the differences of
    the family's negative control in the same metric, which are missing (NaN) for the negative control itself: d_j of
    two equal arms is symmetric by design and needs no floor. `host` is the place of each block's host among the run's
    hosts, shape (blocks,); None where there is one.
    """

    comparisons: tuple[Comparison, ...]
    logs: Array
    reference: Array
    baseline_cost: Array
    least_spread: Array
    host: Places | None = None


def pair(measured: Measured) -> Pairs:
    """Every comparison's differences, block by block."""
    plan = measured.plan

    @functools.cache
    def values(metric: str, treatment: str) -> Array:
        """Over the finished blocks."""
        by_block = measured.values.get(metric, {}).get(treatment, {})
        return np.array([by_block.get(block, np.nan) for block in measured.blocks], dtype=np.float64)

    metrics = {metric.name: metric for metric in plan.metrics}
    family = {cell.id: cell.family for cell in plan.cells}
    negatives = {
        family[treatment.cell]: (plan.cell(treatment.cell).baseline, treatment.id)
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
        arms = negatives.get(family[comparison.cell])
        if arms is not None and arms[1] != comparison.treatment:
            key = (family[comparison.cell], metric.name)
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


def host_places(measured: Measured) -> Places | None:
    """The place of every finished block's host among `measured.machines`; None where there is one."""
    hosts = measured.machines
    if len(hosts) < 2:
        return None
    of_block = {block: place for place, blocks in enumerate(hosts.values()) for block in blocks}
    return np.array([of_block[block] for block in measured.blocks], dtype=np.int64)


def _relative_step(measured: Measured, metric: Metric, treatment: str, values: Array) -> float:
    """The metric's resolution as a share of a block's value.

    Sums average the rounding of the observations that they are made of; medians and high-water marks do not.
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
