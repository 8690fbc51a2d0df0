"""Results of single treatments, without comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

import numpy as np

from sectax.analysis.pairs import is_rate
from sectax.model.finding import GEOMETRIC, MEAN, OBSERVED_MAXIMUM, OBSERVED_MINIMUM, Estimate, Support, TreatmentResult
from sectax.model.measured import Measured
from sectax.model.metric import Metric, Summary
from sectax.model.treatment import Role, Treatment
from sectax.model.trial import State
from sectax.stats.quantiles import order_statistics_interval, pooled_quantile
from sectax.stats.student import geometric_mean_interval, mean_interval

MEDIAN = "median-order-statistics"
TAIL = "pooled-quantile"
NOT_MEASURED = "not-measured"

_ENDS: dict[float, tuple[Callable[..., float], str]] = {0: (min, OBSERVED_MINIMUM), 1: (max, OBSERVED_MAXIMUM)}


def treatment_results(measured: Measured) -> tuple[TreatmentResult, ...]:
    """The result of every treatment of the plan, then those that the plan skipped."""
    results = [_result(measured, treatment) for treatment in measured.plan.treatments]
    planned = {treatment.id for treatment in measured.plan.treatments}
    results += [
        TreatmentResult(
            treatment=skipped.treatment,
            levels=skipped.levels,
            role=Role.TREATMENT,
            state=State.SKIPPED,
            reason=skipped.reason,
            blocks=0,
            estimates={},
        )
        for skipped in measured.plan.skipped
        if skipped.treatment not in planned
    ]
    return tuple(results)


def estimate(metric: Metric, values: list[float], level: float) -> Estimate:
    """Estimate a metric of one treatment from its blocks.

    Args:
        values: one per block, positive.
    Returns:
        The geometric mean with Student's t in logs. For maxima and metrics with coarse steps, the median with an
        interval from order statistics. For means that are not compared, the arithmetic mean with Student's t, since
        bills and parts of a whole must add up.
    """
    if _needs_ranks(metric):
        interval, method = order_statistics_interval(values, 0.5, level), MEDIAN
    elif metric.compared or (metric.summary is Summary.MEDIAN and min(values) > 0):
        interval, method = geometric_mean_interval(values, level), GEOMETRIC
    else:
        interval, method = mean_interval(values, level), MEAN
    return Estimate(interval.point, interval.low, interval.high, level, method, interval.count, metric.unit)


def tail(metric: Metric, quantile: float, blocks: Sequence[Sequence[float]], level: float) -> Estimate:
    """Estimate a quantile of one treatment from clustered observations of blocks.

    Args:
        quantile: 1 for the maximum and 0 for the minimum, which have no interval.
        blocks: observations of each block.
    """
    if quantile in _ENDS:
        end, method = _ENDS[quantile]
        return Estimate(end(map(end, blocks)), None, None, level, method, sum(map(len, blocks)), metric.unit)
    pooled = pooled_quantile([np.asarray(block, dtype=np.float64) for block in blocks], quantile, level)
    support = Support(pooled.effective, pooled.needed, pooled.blocks, pooled.blocks_needed)
    return Estimate(pooled.point, pooled.low, pooled.high, level, TAIL, pooled.count, metric.unit, support)


def _needs_ranks(metric: Metric) -> bool:
    """Whether a metric has ties and jumps, so that a mean of logs overclaims."""
    in_bytes = metric.unit == "B" and metric.summary in (Summary.MAXIMUM, Summary.MEDIAN)
    return metric.resolution > 0 or in_bytes or metric.summary == Summary.MAXIMUM


def own_estimate(measured: Measured, metric: Metric, treatment: str) -> Estimate | None:
    """A treatment's own estimate of a metric; None without values."""
    return _own(measured, metric, treatment)[0]


def _own(measured: Measured, metric: Metric, treatment: str) -> tuple[Estimate | None, Collection[int]]:
    """A treatment's estimate and the finished blocks behind it (none for tails)."""
    level = 1 - measured.plan.stopping.alpha
    if metric.summary.tail is not None:
        samples = measured.samples.get(metric.observed, {}).get(treatment, {})
        return tail(metric, metric.summary.tail, list(samples.values()), level) if samples else None, ()
    finished = set(measured.blocks)
    # Ratios need positive values; zero is valid for metrics that are not compared.
    usable = {
        block: value
        for block, value in measured.values.get(metric.name, {}).get(treatment, {}).items()
        if block in finished and math.isfinite(value) and (value > 0 or (value == 0 and not metric.compared))
    }
    return estimate(metric, list(usable.values()), level) if usable else None, usable.keys()


def _result(measured: Measured, treatment: Treatment) -> TreatmentResult:
    figures = {metric.name: _own(measured, metric, treatment.id) for metric in measured.plan.metrics}
    estimates = {name: estimate for name, (estimate, _) in figures.items() if estimate is not None}
    blocks = {block for _, own_blocks in figures.values() for block in own_blocks}
    state, reason = _state(measured, treatment.id, bool(estimates))
    return TreatmentResult(
        treatment=treatment.id,
        levels=treatment.levels,
        role=treatment.role,
        state=state,
        reason=reason,
        blocks=len(blocks),
        estimates=estimates,
        witnesses={
            name: values[0] if len(values) == 1 else " | ".join(map(str, values))
            for name, values in measured.witnesses.get(treatment.id, {}).items()
            if values
        },
        empty_share=_empty_share(measured, treatment.id, estimates),
    )


def _state(measured: Measured, treatment: str, has_values: bool) -> tuple[str, str]:
    """A treatment's state and the reason of its last failure."""
    failures = [failure for failure in measured.failures if failure.treatment == treatment]
    reason = failures[-1].reason if failures else ""
    if has_values:
        return State.OK, reason
    if failures:
        return failures[-1].state, reason
    return NOT_MEASURED, "no finished block has it"


def _empty_share(measured: Measured, treatment: str, estimates: dict[str, Estimate]) -> float | None:
    """The cost of the empty loop and call, as a share of an operation."""
    if measured.calibrated is None:
        return None
    calibration = measured.calibrated.calibrations.get(treatment)
    if calibration is None or calibration.empty_s is None:
        return None
    for metric in measured.plan.metrics:
        if is_rate(metric) and metric.unit == "operations/s" and metric.name in estimates:
            return calibration.empty_s * estimates[metric.name].point
    if calibration.batch_s <= 0 or calibration.count < 1:
        return None
    return calibration.empty_s * calibration.count / calibration.batch_s
