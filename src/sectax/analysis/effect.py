"""Compute the effect and interval of every comparison of a run."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from sectax.analysis.pairs import Pairs, cost_unit, costs, pair
from sectax.analysis.treatments import own_estimate
from sectax.analysis.verdict import verdict
from sectax.model.finding import Effect, Estimate
from sectax.model.measured import Measured
from sectax.model.metric import Metric
from sectax.model.plan import FIRST_LOOK, Plan, Until
from sectax.model.treatment import Standing
from sectax.stats.confidence_sequence import UNSEEN, Sequence, guarded_half_width, half_width, running_sequence
from sectax.stats.hosts import HostIndices, drop_late_hosts, stratified_sequence, summarize_hosts
from sectax.stats.moments import Array
from sectax.stats.run_controls import bias_shown, scale_error
from sectax.stats.student import critical_value

SEQUENCE = "confidence-sequence"
STUDENT = "student-t"
# A negative control that fires widens the family's intervals. If it also fires at this share of its error level, the
# difference is sure and withdraws verdicts beyond the margin (docs/method-notes.md, 'The negative control').
SURE_SHARE = 0.1
# A larger log ratio has no meaning as a share.
LARGEST = 100


def intervals(
    differences: Array,
    reference: Array,
    alpha: Array,
    least_spread: Array,
    unseen: Array,
    *,
    last_look: int,
    fixed: bool = False,
    host: HostIndices | None = None,
) -> Sequence:
    """The interval of every row after its last block, shape (rows,).

    Args:
        differences, reference: shape (rows, blocks), NaN if missing.
        alpha, least_spread, unseen: shape (rows,), as in `running_sequence`.
        last_look: maximum number of blocks of the plan.
        fixed: whether the number of blocks is independent of results, so that Student's t applies.
        host: index of every block's host; None for one host.
    """
    rows, blocks = differences.shape
    if blocks == 0:
        nothing = np.zeros(rows)
        unknown = (nothing - np.inf, nothing + np.inf)
        return Sequence(nothing.astype(np.int64), nothing, nothing, nothing, *unknown, *unknown)
    if host is not None:
        return stratified_sequence(
            differences,
            host,
            alpha,
            first_look=FIRST_LOOK,
            last_look=last_look,
            reference=reference,
            least_spread=least_spread,
            unseen=unseen,
            once=fixed,
        ).after_last()
    sequence = running_sequence(
        differences,
        alpha,
        first_look=FIRST_LOOK,
        last_look=last_look,
        reference=reference,
        least_spread=least_spread,
        unseen=unseen,
    )
    last = sequence.after_last()
    if not fixed:
        return last
    plain = half_width(last.count, last.spread, critical_value(last.count, alpha))
    half = np.where(last.count >= FIRST_LOOK, guarded_half_width(last.count, plain, unseen, alpha), np.inf)
    return replace(last, low=last.mean - half, high=last.mean + half)


def _is_judged_once(measured: Measured) -> bool:
    """Whether the number of blocks is independent of results: fixed, or by budget."""
    stopping = measured.plan.stopping
    if stopping.fixed_blocks is not None:
        return measured.blocks_pending == 0
    return stopping.until is Until.BUDGET and measured.state == "finished" and len(measured.sessions) == 1


def effects(measured: Measured) -> tuple[Effect | None, ...]:
    """The effects, in the order of the plan; None if no block has both arms."""
    pairs = pair(measured)
    if not pairs.comparisons:
        return ()
    fixed = _is_judged_once(measured)
    alpha = np.array([comparison.alpha for comparison in pairs.comparisons])
    control = np.array([comparison.standing is Standing.NEGATIVE for comparison in pairs.comparisons])
    # Differences of two equal arms are symmetric, so negative controls need no guard.
    unseen = np.where(control, 0.0, UNSEEN)
    host = pairs.host
    logs = pairs.logs if host is None else drop_late_hosts(pairs.logs, host)
    # Negative controls are repeated at the level at which they are fatal.
    both = intervals(
        np.concatenate([logs, logs[control]]),
        np.concatenate([pairs.reference, pairs.reference[control]]),
        np.concatenate([alpha, SURE_SHARE * alpha[control]]),
        np.concatenate([pairs.least_spread, pairs.least_spread[control]]),
        np.concatenate([unseen, unseen[control]]),
        last_look=measured.plan.last_look(measured.calibrated),
        fixed=fixed,
        host=host,
    )
    rows = len(pairs.comparisons)
    sure = dict(zip(np.nonzero(control)[0].tolist(), range(rows, len(both.low)), strict=True))
    method = STUDENT if fixed else SEQUENCE
    lost = _blocks_lost(measured, pairs)

    @cache  # comparisons share baselines
    def baseline_cost(baseline: str, metric: str) -> _Cost | None:
        return _own_cost(measured, measured.plan.metric(metric), baseline)

    def effect(row: int, bias: float, added: float | None = None) -> Effect | None:
        """A row's effect, its limits moved outward by *bias*; *added* is a known cost."""
        if both.count[row] < 1:
            return None
        comparison = pairs.comparisons[row]
        low, high = float(both.low[row]) - bias, float(both.high[row]) + bias
        result = Effect(
            log_ratio=float(both.mean[row]),
            low=low,
            high=high,
            level=1 - comparison.alpha,
            blocks=int(both.count[row]),
            method=method,
            spread=float(both.spread[row]),
            floor=float(both.floor[row]),
            blocks_lost=lost[row],
            widened=bias,
            agreed=(float(both.agreed_low[row]), float(both.agreed_high[row])),
            sure_low=float(both.low[sure[row]]) if row in sure else None,
            sure_high=float(both.high[sure[row]]) if row in sure else None,
            added=added,
            margin_needed=margin_needed(low, high),
        )
        cost = baseline_cost(comparison.baseline, comparison.metric)
        return result if cost is None else replace(result, absolute=_absolute(result, cost))

    margin = measured.plan.stopping.margin
    kinds = _kinds(measured.plan, pairs)
    controls = {row: effect(row, 0.0) for row in sure}
    biases: dict[tuple[str, str], float] = {}
    for row, negative in controls.items():
        if negative is not None:
            bias = bias_shown(negative, verdict(negative.low, negative.high, margin))
            biases[kinds[row]] = max(biases.get(kinds[row], 0.0), bias)
    positives = {
        row: effect(row, biases.get(kinds[row], 0.0), _added(measured, pairs, row))
        for row, comparison in enumerate(pairs.comparisons)
        if comparison.standing is Standing.POSITIVE
    }
    for row, positive in positives.items():
        if positive is not None:
            biases[kinds[row]] = max(biases.get(kinds[row], 0.0), scale_error(positive))
    controls |= positives
    return tuple(controls[row] if row in controls else effect(row, biases.get(kinds[row], 0.0)) for row in range(rows))


def margin_needed(low: float, high: float) -> float | None:
    """The smallest margin that gives 'equal' or 'within the margin', if any."""
    return log_to_margin(max(abs(low), abs(high)))


def log_to_margin(farthest: float) -> float | None:
    """Convert a log ratio into a margin; None if it is too large."""
    return float(np.expm1(farthest)) if farthest <= LARGEST else None


def _kinds(plan: Plan, pairs: Pairs) -> list[tuple[str, str]]:
    """Family and observation of every comparison, which a control must share."""
    observed = {metric.name: metric.observed for metric in plan.metrics}
    family = {cell.id: cell.family for cell in plan.cells}
    return [(family[comparison.cell], observed[comparison.metric]) for comparison in pairs.comparisons]


def _added(measured: Measured, pairs: Pairs, row: int) -> float | None:
    """A positive control's known cost as a mean log ratio; None if unknown.

    Per block, since fixed seconds are a different share of an operation when the machine gets faster or slower.
    """
    plan = measured.plan
    treatment = plan.treatment(pairs.comparisons[row].treatment)
    seconds = 0.0 if treatment.extra else plan.added_s(treatment, measured.calibrated)
    if not seconds:
        share = plan.known_cost(treatment, measured.calibrated)
        return None if share is None else float(np.log1p(share))
    added = np.where(np.isfinite(pairs.logs[row]), np.log1p(seconds / pairs.baseline_cost[row]), np.nan)
    if not np.isfinite(added).any():
        return None
    if pairs.host is None:
        return float(added[np.isfinite(added)].mean())
    means = summarize_hosts(drop_late_hosts(added[None], pairs.host), pairs.host).mean[0]
    return float(np.nanmean(means))


class _Cost(NamedTuple):
    """A treatment's own figure as a cost, with the limits of its interval if any."""

    point: float
    ends: tuple[float, ...]
    level: float
    unit: str


def _own_cost(measured: Measured, metric: Metric, treatment: str) -> _Cost | None:
    own = own_estimate(measured, metric, treatment)
    if own is None:
        return None
    figures = [own.point] if own.low is None or own.high is None else [own.point, own.low, own.high]
    point, *ends = costs(np.array(figures), metric).tolist()
    return _Cost(point, tuple(ends), own.level, cost_unit(metric))


def _absolute(effect: Effect, baseline: _Cost) -> Estimate:
    """An effect in the unit of a cost: its ratio times the baseline's figure.

    The mean of block differences is dominated by slow blocks and may contradict the ratio. Both intervals hold at the
    sum of their error levels, so the difference is within their far ends.
    """

    def added_cost(cost: float, log_ratio: float) -> float:
        return cost * math.expm1(log_ratio if cost > 0 else -log_ratio)

    bounded = max(-effect.low, effect.high) < LARGEST
    ends = [added_cost(cost, limit) for cost in baseline.ends for limit in (effect.low, effect.high)] if bounded else []
    return Estimate(
        point=added_cost(baseline.point, effect.log_ratio),
        low=min(ends, default=None),
        high=max(ends, default=None),
        level=round(effect.level + baseline.level - 1, 12),
        method=effect.method,
        count=effect.blocks,
        unit=baseline.unit,
    )


def _blocks_lost(measured: Measured, pairs: Pairs) -> list[int]:
    """Blocks that visited a comparison's treatment but have no pair."""
    finished = {block: column for column, block in enumerate(measured.blocks)}
    paired = np.isfinite(pairs.logs)
    lost = []
    for row, comparison in enumerate(pairs.comparisons):
        visited = [finished[block] for block in measured.visited.get(comparison.treatment, ()) if block in finished]
        lost.append(len(visited) - int(paired[row, visited].sum()))
    return lost
