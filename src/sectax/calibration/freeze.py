"""What the pilot's readings become: batch sizes, warm-up, rounds per block. Pure: it opens and times nothing."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sectax.design.batches import Operation, batch_sizes, uneven, whole_operations
from sectax.model.plan import (
    ENOUGH_BLOCKS,
    FIRST_LOOK,
    Calibrated,
    Calibration,
    Plan,
    Stopping,
    Until,
    known_extra,
    settled_batch_s,
)
from sectax.model.treatment import Role
from sectax.stats.pilot import seconds_to_verdict, variance_parts, warm_up

# Past this an operation outlasts by far what the switch to it costs, and a settling batch would double the run.
SETTLE_UP_TO_S = 0.2
# A few processes know little of how processes differ. On a quiet machine the layout of their memory alone makes a few
# tenths of a per cent, so that further rounds of the same process gain little.
LEAST_BETWEEN = 0.003**2
# An effect is known well enough at a quarter of itself either way, and never needs more than ten per cent.
_WIDEST = math.log(1.1)
# What the pilot saw of an effect is no more than a hint, so an interval that just excludes the limit is not aimed at.
_SAFELY = 0.7


@dataclass(frozen=True)
class Tried:
    """One treatment as the pilot saw it.

    Attributes:
        open_s: the fastest opening. waits_s: what a visit takes its caller beside the batch.
        pace: the mean visit over the fastest.
        processes: log seconds per operation, batch by batch, of every process from its first batch on.
    """

    operation: Operation
    open_s: float
    waits_s: float
    pace: float
    granularity_s: float
    clock_read_s: float
    processes: tuple[tuple[float, ...], ...]


def freeze(plan: Plan, tried: Mapping[str, Tried], empty_s: Mapping[str, float | None], left_s: float) -> Calibrated:
    """Decide what every block will do.

    Args:
        tried: by treatment, of those that could be tried.
        empty_s: by family, what an empty operation costs.
        left_s: seconds of the budget that the blocks may take; infinite without one.
    """
    family_of = {cell.id: cell.family for cell in plan.cells}
    calibrations: dict[str, Calibration] = {}
    for cell in plan.cells:
        here = {each.id: tried[each.id] for each in plan.treatments if each.cell == cell.id and each.id in tried}
        counts = batch_sizes(
            {name: seen.operation for name, seen in here.items()}, plan.batch_s, equal_counts=plan.equal_counts
        )
        for name, seen in here.items():
            warmed = warm_up(seen.processes) if plan.warms_up else None
            calibrations[name] = Calibration(
                treatment=name,
                count=counts[name],
                warmup=0 if warmed is None else warmed.batches,
                batch_s=counts[name] * seen.operation.operation_s,
                open_s=seen.open_s,
                granularity_s=seen.granularity_s,
                clock_read_s=seen.clock_read_s,
                empty_s=empty_s.get(family_of[cell.id]),
                settle=plan.settles and seen.operation.operation_s <= SETTLE_UP_TO_S,
                settled=warmed is None or warmed.settled,
                waits_s=seen.waits_s,
                shortest_s=seen.operation.shortest_s,
                most=seen.operation.most,
                typical_s=statistics.fmean(math.exp(each) for process in seen.processes for each in process),
            )
    calibrations = _negatives_as_long_as_treatments(plan, calibrations)
    rounds = _rounds(plan, tried, calibrations, left_s)
    pace = statistics.fmean(each.pace for each in tried.values()) if tried else 1.0
    return Calibrated(calibrations, rounds, pace=pace)


def sized_again(plan: Plan, calibrated: Calibrated, operation_s: Mapping[str, float]) -> Calibrated | None:
    """The batch sizes for later blocks, where those of some cell turned out uneven; None where none did.

    Args:
        operation_s: by treatment, seconds per operation of the fastest visit of the last block. One that is not here
            keeps what is known of it.
    """
    seen = {
        name: replace(each, batch_s=each.count * operation_s.get(name, each.operation_s))
        for name, each in calibrated.calibrations.items()
    }
    calibrations, rounds = dict(calibrated.calibrations), dict(calibrated.rounds)
    for cell in plan.cells:
        members = [each for each in plan.treatments if each.cell == cell.id and each.id in seen]
        here = {each.id: seen[each.id] for each in members if each.role is not Role.NEGATIVE}
        if plan.equal_counts or not uneven([each.batch_s for each in here.values()]):
            continue
        counts = batch_sizes({name: _operation(each) for name, each in here.items()}, plan.batch_s)
        if all(counts[name] == here[name].count for name in here):
            continue
        calibrations |= {name: _with_count(each, counts[name]) for name, each in here.items()}
        for each in members:
            if each.extra:
                most = plan.rounds_range[1]
                rounds[cell.id] = enough_rounds(calibrations[each.id], each.extra, rounds[cell.id], most)
    if calibrations == calibrated.calibrations:
        return None
    fed = _negatives_as_long_as_treatments(plan, calibrations)
    return replace(calibrated, calibrations=fed, rounds=rounds)


def _operation(known: Calibration) -> Operation:
    return Operation(known.operation_s, known.shortest_s, known.most)


def _with_count(known: Calibration, count: int) -> Calibration:
    return replace(known, count=count, batch_s=count * known.operation_s)


def _negatives_as_long_as_treatments(plan: Plan, calibrations: dict[str, Calibration]) -> dict[str, Calibration]:
    """Every negative control with batches of the length that differs most from their baseline's within its family.

    If the length of a batch alone makes a difference on this machine, the control then shows it.
    """
    if plan.equal_counts:
        return calibrations
    family_of = {cell.id: cell.family for cell in plan.cells}
    ratios: dict[str, list[float]] = {}
    for each in plan.treatments:
        baseline = plan.cell(each.cell).baseline
        if each.role is Role.TREATMENT and each.id in calibrations and baseline in calibrations:
            ratio = calibrations[each.id].batch_s / calibrations[baseline].batch_s
            ratios.setdefault(family_of[each.cell], []).append(ratio)
    fed = dict(calibrations)
    for each in plan.treatments:
        copied = calibrations.get(plan.cell(each.cell).baseline)
        others = ratios.get(family_of[each.cell])
        if each.role is not Role.NEGATIVE or each.id not in calibrations or copied is None or not others:
            continue
        farthest = max(others, key=lambda ratio: abs(math.log(ratio)))
        count = whole_operations(copied.batch_s * farthest, _operation(copied))
        fed[each.id] = _with_count(replace(copied, treatment=each.id), count)
    return fed


def _rounds(
    plan: Plan, tried: Mapping[str, Tried], calibrations: Mapping[str, Calibration], left_s: float
) -> dict[str, int]:
    """Rounds per block of every cell: those that answer soonest, and fewer where the budget would not hold the blocks.

    Never fewer than the plan allows and a known extra cost in whole operations needs.
    """
    fewest, most = plan.rounds_range
    members = {
        cell.id: [each for each in plan.treatments if each.cell == cell.id and each.id in calibrations]
        for cell in plan.cells
    }
    block_cost: dict[str, float] = {}
    round_cost: dict[str, float] = {}
    rounds: dict[str, int] = {}
    for cell, treatments in members.items():
        frozen = [calibrations[each.id] for each in treatments]
        block_cost[cell] = sum(each.open_s + each.warmup * each.batch_s for each in frozen)
        round_cost[cell] = sum(settled_batch_s(each) + each.waits_s for each in frozen)
        rounds[cell] = (
            _soonest(
                plan,
                cell,
                calibrations,
                {each.id: tried[each.id] for each in treatments},
                block_cost[cell],
                round_cost[cell],
            )
            if frozen
            else fewest
        )
    least = {cell.id: min(_even(fewest), most) for cell in plan.cells}
    for each in plan.treatments:
        if each.extra and each.id in calibrations:
            least[each.cell] = enough_rounds(calibrations[each.id], each.extra, least[each.cell], most)
    rounds = {cell: max(number, least[cell]) for cell, number in rounds.items()}
    fitting = left_s / ENOUGH_BLOCKS
    while rounds != least and sum(block_cost[cell] + rounds[cell] * round_cost[cell] for cell in rounds) > fitting:
        rounds = {cell: max(least[cell], min(number - 2, _even(number * 3 // 4))) for cell, number in rounds.items()}
    return rounds


def _soonest(
    plan: Plan,
    cell: str,
    calibrations: Mapping[str, Calibration],
    tried: Mapping[str, Tried],
    block_cost: float,
    round_cost: float,
) -> int:
    """The number of rounds of one cell at which its closest comparison is answered soonest."""
    fewest, most = plan.rounds_range
    seen_twice = [seen.processes for seen in tried.values() if len(seen.processes) > 1]
    if not plan.chooses_rounds or not seen_twice:
        return fewest
    candidates = np.arange(_even(fewest), most + 1, 2)
    parts = [variance_parts([process[len(process) // 2 :] for process in processes]) for processes in seen_twice]
    baseline = calibrations.get(plan.cell(cell).baseline)
    distances = [
        abs(math.log((calibrations[name].batch_s / calibrations[name].count) * baseline.count / baseline.batch_s))
        for name in tried
        if baseline is not None and plan.treatment(name).role is Role.TREATMENT
    ]
    alphas = [each.alpha for each in plan.comparisons if each.cell == cell]
    times = seconds_to_verdict(
        candidates,
        # Only the whole time counts, so the treatments of a cell pool their variances.
        statistics.fmean(within for within, _ in parts),
        max(LEAST_BETWEEN, statistics.fmean(between for _, between in parts) if not plan.equal_counts else 0.0),
        block_cost=block_cost,
        round_cost=round_cost,
        half_width=min(target_half_width(plan.stopping, each) for each in distances or [0.0]),
        alpha=min(alphas, default=plan.stopping.alpha),
        first_look=FIRST_LOOK,
    )
    return int(candidates[int(np.argmin(times))])


def target_half_width(stopping: Stopping, distance: float) -> float:
    """The half-width at which a comparison is probably done, a log ratio.

    Never under half the margin: an effect beside the limit between two answers would ask for rounds without end.

    Args:
        distance: of the treatment from its baseline, as the pilot saw it: a positive log ratio.
    """
    margin = math.log1p(stopping.margin)
    match stopping.until:
        case Until.DIRECTION:
            return max(distance, margin - distance) * _SAFELY
        case Until.VERDICT:
            return max(abs(distance - margin) * _SAFELY, margin / 2)
        case Until.CONDITIONS:
            nearest = min((abs(distance - math.log1p(each.limit)) for each in stopping.conditions), default=0.0)
            return max(nearest * _SAFELY, margin / 2)
        case _:
            return max(margin, min(distance / 2, _WIDEST)) / 2


def enough_rounds(calibration: Calibration, extra: float, rounds: int, most: int) -> int:
    """Rounds in which whole operations come to within a tenth of a known extra cost; `most` where none do.

    One extra operation among the four of four rounds of one is 25 %, and no control of 4 %.
    """
    for enough in range(rounds, most + 1, 2):
        if abs(known_extra(calibration, extra, enough) - extra) <= extra / 10:
            return enough
    return most


def _even(number: int) -> int:
    """Rounds come in pairs, one the mirror image of the other."""
    return number + number % 2
