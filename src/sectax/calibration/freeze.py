"""Batch sizes, warm-up and rounds per block, computed from the pilot's readings."""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sectax.calibration.warming import Warming
from sectax.design.batches import Operation, batch_sizes, uneven, whole_operations
from sectax.model.plan import ENOUGH_BLOCKS, FIRST_LOOK, ROUGHLY, Calibrated, Calibration, Plan, Stopping, Until
from sectax.model.treatment import Cell, Role, Standing
from sectax.stats.pilot import Noise, pilot_noise, seconds_to_verdict, warm_up, width_after

# Longer operations dwarf the cost of switching to them, and a settling batch would double the run.
SETTLE_UP_TO_S = 0.2
# Lower bound: two processes underestimate the variance between processes. Memory layout alone causes 0.3 %.
LEAST_BETWEEN = 2 * 0.003**2
# Target interval: ± a quarter of the effect, and 10 % at most.
_WIDEST = math.log(1.1)
# The pilot's effect is only a hint, so aim for an interval clearly away from the limit.
_SAFELY = 0.7
# Rounds below this part of their cell's fair share of a block are not cut to fit more blocks.
_WORTH_CUTTING = 0.5
# Warm-up may use this part of the time until the first verdict. The report names treatments with a shortened warm-up.
_WARMING_AT_MOST = 0.5
# Rounds of one cell depend on those of the others; three passes over all cells converge.
_SWEEPS = 3


@dataclass(frozen=True)
class PilotTimes:
    """The pilot's readings of one treatment.

    Attributes:
        open_s: seconds of the fastest opening, divided by the number of parallel openings.
        waits_s: seconds of a visit outside its batch.
        pace: mean duration of a visit ÷ the shortest.
        processes: log seconds per operation of every batch, by process. The treatments of a cell took turns, so
            batches with the same index ran under the same conditions.
        gap_s: minimum idle seconds between two operations.
        overlap: latency of an operation ÷ its share of the batch; over 1 for concurrent operations.
        warming: work before the first of these batches.
        parallel: number of subjects of the cell that open and warm up in parallel.
    """

    operation: Operation
    open_s: float
    waits_s: float
    pace: float
    granularity_s: float
    clock_read_s: float
    processes: tuple[tuple[float, ...], ...]
    gap_s: float = 0.0
    overlap: float = 1.0
    warming: Warming = field(default_factory=Warming)
    parallel: int = 1

    @property
    def warming_s(self) -> float:
        """Seconds that warming up adds to a block."""
        return self.warming.seconds / self.parallel


def freeze(
    plan: Plan, pilot_times: Mapping[str, PilotTimes], empty_s: Mapping[str, float | None], left_s: float
) -> Calibrated:
    """Fix batch sizes, warm-up and rounds for all blocks.

    Args:
        pilot_times: by treatment; without those that failed in the pilot.
        empty_s: seconds of an empty operation by family.
        left_s: seconds of the budget for the blocks; infinite without a budget.
    """
    family_of = {cell.id: cell.family for cell in plan.cells}
    calibrations: dict[str, Calibration] = {}
    warming = _warming_share(plan, pilot_times, left_s)
    for cell in plan.cells:
        in_cell = {
            treatment.id: pilot_times[treatment.id]
            for treatment in plan.treatments
            if treatment.cell == cell.id and treatment.id in pilot_times
        }
        counts = batch_sizes(
            {name: times.operation for name, times in in_cell.items()},
            plan.target_batch_s(cell),
            equal_counts=plan.equal_counts,
        )
        for name, times in in_cell.items():
            # Already warmed to a plateau: no extra warm-up.
            warmed = warm_up(times.processes) if plan.warms_up and not times.warming.is_long else None
            compiling = math.ceil(warming * times.warming.operations / counts[name])
            batch_s = counts[name] * times.operation.operation_s
            steady = 0 if warmed is None else warmed.batches
            calibrations[name] = Calibration(
                treatment=name,
                count=counts[name],
                warmup=compiling + steady,
                batch_s=batch_s,
                open_s=times.open_s,
                granularity_s=times.granularity_s,
                clock_read_s=times.clock_read_s,
                empty_s=empty_s.get(family_of[cell.id]),
                # With idle gaps every operation starts cold anyway.
                settle=plan.settles and times.operation.operation_s <= SETTLE_UP_TO_S and not times.gap_s,
                settled=(warmed is None or warmed.settled) and times.warming.ended and not (compiling and warming < 1),
                waits_s=times.waits_s,
                shortest_s=times.operation.shortest_s,
                most=times.operation.most,
                fewest=times.operation.fewest,
                typical_s=times.overlap
                * statistics.fmean(math.exp(log_s) for process in times.processes for log_s in process),
                # Operations before JIT compilation take many times longer.
                warmup_s=warming * times.warming_s + steady * batch_s if compiling else None,
            )
    calibrations = _resize_negatives(plan, calibrations)
    rounds = _rounds(plan, pilot_times, calibrations, left_s)
    pace = statistics.fmean(times.pace for times in pilot_times.values()) if pilot_times else 1.0
    return Calibrated(calibrations, rounds, pace=pace)


def _warming_share(plan: Plan, pilot_times: Mapping[str, PilotTimes], left_s: float) -> float:
    """The share of the needed warm-up that fits into half of the user's budget."""
    needed_s = FIRST_LOOK * sum(
        pilot_times[treatment.id].warming_s for treatment in plan.treatments if treatment.id in pilot_times
    )
    if plan.stopping.extends or not needed_s:
        return 1.0
    return min(1.0, _WARMING_AT_MOST * left_s / needed_s)


def resize_batches(plan: Plan, calibrated: Calibrated, operation_s: Mapping[str, float]) -> Calibrated | None:
    """Choose new sizes for uneven batches; None if there are none.

    Args:
        operation_s: seconds per operation in the fastest visit of the last block, by treatment; treatments that are
            missing keep their calibration.
    """
    lengths = {
        name: replace(calibration, batch_s=calibration.count * operation_s.get(name, calibration.operation_s))
        for name, calibration in calibrated.calibrations.items()
    }
    calibrations, rounds = dict(calibrated.calibrations), dict(calibrated.rounds)
    for cell in plan.cells:
        members = [treatment for treatment in plan.treatments if treatment.cell == cell.id and treatment.id in lengths]
        in_cell = {member.id: lengths[member.id] for member in members if member.role is not Role.NEGATIVE}
        fixed = plan.equal_counts or plan.times_one_by_one
        if fixed or not uneven([calibration.batch_s for calibration in in_cell.values()]):
            continue
        counts = batch_sizes(
            {name: _operation(calibration) for name, calibration in in_cell.items()}, plan.target_batch_s(cell)
        )
        if all(counts[name] == in_cell[name].count for name in in_cell):
            continue
        calibrations |= {name: _set_count(calibration, counts[name]) for name, calibration in in_cell.items()}
        for member in members:
            if member.extra:
                most = plan.rounds_range[1]
                rounds[cell.id] = rounds_for_extra(calibrations[member.id], member.extra, rounds[cell.id], most)
    if calibrations == calibrated.calibrations:
        return None
    return replace(calibrated, calibrations=_resize_negatives(plan, calibrations), rounds=rounds)


def resize_note(block: int) -> str:
    """The run's note about changed batch sizes."""
    return f"batch sizes changed after block {block}: the pilot overestimated some operations"


def _operation(calibration: Calibration) -> Operation:
    return Operation(calibration.operation_s, calibration.shortest_s, calibration.most, calibration.fewest)


def _set_count(calibration: Calibration, count: int) -> Calibration:
    return replace(calibration, count=count, batch_s=count * calibration.operation_s)


def _resize_negatives(plan: Plan, calibrations: dict[str, Calibration]) -> dict[str, Calibration]:
    """Give negative controls the batch length that differs most from the baseline's.

    So the control shows if the batch length alone makes a difference on this machine.
    """
    if plan.equal_counts or plan.times_one_by_one:
        return calibrations
    family_of = {cell.id: cell.family for cell in plan.cells}
    ratios: dict[str, list[float]] = {}
    for treatment in plan.treatments:
        base = plan.cell(treatment.cell).baseline
        if treatment.role is Role.TREATMENT and treatment.id in calibrations and base in calibrations:
            ratio = calibrations[treatment.id].batch_s / calibrations[base].batch_s
            ratios.setdefault(family_of[treatment.cell], []).append(ratio)
    resized = dict(calibrations)
    for member in plan.treatments:
        baseline = calibrations.get(plan.cell(member.cell).baseline)
        family_ratios = ratios.get(family_of[member.cell])
        if member.role is not Role.NEGATIVE or member.id not in calibrations or baseline is None or not family_ratios:
            continue
        farthest = max(family_ratios, key=lambda ratio: abs(math.log(ratio)))
        count = whole_operations(baseline.batch_s * farthest, _operation(baseline))
        resized[member.id] = _set_count(replace(baseline, treatment=member.id), count)
    return resized


def _rounds(
    plan: Plan, pilot_times: Mapping[str, PilotTimes], calibrations: Mapping[str, Calibration], left_s: float
) -> dict[str, int]:
    """Rounds per block by cell: those with the soonest verdict that fit the budget.

    Never fewer than the plan's minimum and than a known extra cost in whole operations needs.
    """
    fewest, most = plan.rounds_range
    block_cost: dict[str, float] = {}
    round_cost: dict[str, float] = {}
    rounds: dict[str, int] = {}
    least: dict[str, int] = {}
    at_once = frozenset(treatment.id for treatment in plan.treatments if treatment.at_once)
    once: dict[str, int] = {}  # cells measured in the first block only
    noises: dict[str, Noise] = {}
    primary = {comparison.cell for comparison in plan.comparisons if comparison.standing is Standing.PRIMARY}
    for cell in plan.cells:
        members = [
            treatment for treatment in plan.treatments if treatment.cell == cell.id and treatment.id in calibrations
        ]
        frozen = [calibrations[treatment.id] for treatment in members]
        times = {treatment.id: pilot_times[treatment.id] for treatment in members}
        if cell.once:
            once[cell.id] = 1
            left_s -= _round_s(frozen, times, at_once)
            continue
        block_cost[cell.id] = sum(calibration.open_s + calibration.warming_up_s for calibration in frozen)
        gap_share = min(1.0, len(members) / plan.together) if plan.together else 1.0
        round_cost[cell.id] = _round_s(frozen, times, at_once, gap_share)
        least[cell.id] = rounds[cell.id] = fewest if fewest == 1 else min(_rounded_to_even(fewest), most)
        for treatment in members:
            if treatment.extra:
                least[cell.id] = rounds_for_extra(calibrations[treatment.id], treatment.extra, least[cell.id], most)
        noise = _noise(plan, cell, pilot_times)
        if plan.chooses_rounds and round_cost[cell.id] > 0:
            # With rounds that last as long as opening, a verdict takes at most twice the optimal time, whatever the
            # variance between blocks.
            filled = (
                _rounded_to_even(math.ceil(block_cost[cell.id] / round_cost[cell.id])) if not plan.equal_counts else 0
            )
            rounds[cell.id] = min(max(filled, rounds[cell.id]), most)
            # Only primary cells are optimized; rounds of the others would delay their verdicts.
            if noise is not None and (cell.id in primary or not primary):
                noises[cell.id] = noise
    cells = [*rounds]
    together = bool(cells) and len(calibrations) <= plan.together
    if together:
        # All cells are open at the same time and share their gaps.
        joint_s = _round_s([*calibrations.values()], {name: pilot_times[name] for name in calibrations}, at_once)
        round_cost = dict.fromkeys(cells, joint_s)
    at_least = dict(rounds)
    # A verdict needs whole blocks, so the time of the other cells counts as a cost per block.
    for _ in range(_SWEEPS):
        for cell in plan.cells:
            if cell.id not in noises:
                continue
            other_cells = 0.0 if together else sum(rounds[name] * round_cost[name] for name in cells if name != cell.id)
            costs = (sum(block_cost.values()) + other_cells, round_cost[cell.id])
            best = _best_rounds(plan, cell, calibrations, noises[cell.id], *costs, left_s)
            rounds[cell.id] = min(max(best, at_least[cell.id]), most)
    rounds = {cell: max(wanted, least[cell]) for cell, wanted in rounds.items()}
    if together:
        # Cells with fewer rounds than the others would only wait.
        rounds, least = {cells[0]: max(rounds.values())}, {cells[0]: max(least.values())}
        block_cost = {cells[0]: sum(block_cost.values())}
    _fit(rounds, least, block_cost, round_cost, left_s / ENOUGH_BLOCKS, _WORTH_CUTTING)
    if not plan.stopping.extends:
        # A budget given by the user must fit the first verdict, even with the minimum of rounds.
        _fit(rounds, least, block_cost, round_cost, left_s / FIRST_LOOK, 0.0)
    return {cell: rounds.get(cell, rounds[cells[0]]) for cell in cells} | once


def _fit(
    rounds: dict[str, int],
    least: Mapping[str, int],
    block_cost: Mapping[str, float],
    round_cost: Mapping[str, float],
    block_s: float,
    worth: float,
) -> None:
    """Cut rounds, longest cell first, until a block lasts *block_s* or all are short."""
    while (takes_s := sum(block_cost[cell] + rounds[cell] * round_cost[cell] for cell in rounds)) > block_s:
        floor_s = worth * takes_s / len(rounds)
        cut = [cell for cell in rounds if rounds[cell] > least[cell] and rounds[cell] * round_cost[cell] > floor_s]
        if not cut:
            break
        longest = max(cut, key=lambda cell: rounds[cell] * round_cost[cell])
        rounds[longest] = max(least[longest], min(rounds[longest] - 2, _rounded_to_even(rounds[longest] * 3 // 4)))


def _round_s(
    frozen: Sequence[Calibration], times: Mapping[str, PilotTimes], at_once: Collection[str], gap_share: float = 1.0
) -> float:
    """Seconds of one round at the pilot's pace, with gaps filled by others.

    Args:
        at_once: treatments that are visited concurrently.
        gap_share: this cell's part of a gap if other cells are visited in the same rounds.
    """
    work_s = {
        calibration.treatment: (calibration.settled_batch_s + calibration.waits_s) * times[calibration.treatment].pace
        for calibration in frozen
    }
    gaps_s = [gap_share * (pilot.gap_s + work_s[name]) for name, pilot in times.items() if pilot.gap_s]
    concurrent_s = max((seconds for name, seconds in work_s.items() if name in at_once), default=0.0)
    sequential_s = sum(seconds for name, seconds in work_s.items() if name not in at_once)
    return max([concurrent_s + sequential_s, *gaps_s])


def _best_rounds(
    plan: Plan,
    cell: Cell,
    calibrations: Mapping[str, Calibration],
    noise: Noise,
    block_cost: float,
    round_cost: float,
    left_s: float,
) -> int:
    """The rounds that decide a cell's closest comparison soonest.

    If only the budget ends the run: the rounds with the narrowest interval at its end.
    """
    fewest, most = plan.rounds_range
    candidates = np.arange(_rounded_to_even(fewest), most + 1, 2)
    alpha = min(
        (comparison.alpha for comparison in plan.comparisons if comparison.cell == cell.id),
        default=plan.stopping.alpha,
    )
    if plan.stopping.until is Until.BUDGET and math.isfinite(left_s):
        widths = width_after(
            left_s,
            candidates,
            noise,
            block_cost=block_cost,
            round_cost=round_cost,
            alpha=alpha,
            first_look=FIRST_LOOK,
        )
        return int(candidates[int(np.argmin(widths))])
    baseline = calibrations.get(cell.baseline)
    distances = [
        abs(math.log(calibrations[treatment.id].operation_s / baseline.operation_s))
        for treatment in plan.treatments
        if treatment.cell == cell.id
        and treatment.id in calibrations
        and baseline is not None
        and treatment.role is Role.TREATMENT
    ]
    times = seconds_to_verdict(
        candidates,
        noise,
        block_cost=block_cost,
        round_cost=round_cost,
        half_width=min(target_half_width(plan.stopping, distance) for distance in distances or [0.0]),
        alpha=alpha,
        first_look=FIRST_LOOK,
    )
    return int(candidates[int(np.argmin(times))])


def _noise(plan: Plan, cell: Cell, pilot_times: Mapping[str, PilotTimes]) -> Noise | None:
    """The variance of log ratios to the baseline, from each process's second half."""
    baseline = pilot_times.get(cell.baseline)
    if baseline is None:
        return None
    ratios = [
        [
            _warm_ratios(treatment_turns, baseline_turns)
            for treatment_turns, baseline_turns in zip(times.processes, baseline.processes, strict=False)
        ]
        for treatment in plan.treatments
        if treatment.cell == cell.id and (times := pilot_times.get(treatment.id)) is not None and times is not baseline
    ]
    noise = pilot_noise(ratios)
    if noise is None:
        return None
    # A command is one process per visit, so rounds already include the variance between processes.
    return replace(noise, between=0.0 if plan.equal_counts else max(LEAST_BETWEEN, noise.between))


def _warm_ratios(treatment: Sequence[float], baseline: Sequence[float]) -> Sequence[float]:
    turns = min(len(treatment), len(baseline))
    return [treatment[turn] - baseline[turn] for turn in range(turns // 2, turns)]


def target_half_width(stopping: Stopping, distance: float) -> float:
    """The half-width (log ratio) at which a comparison is probably decided.

    At least half the margin: an effect close to a limit would need an endless number of rounds.

    Args:
        distance: absolute log ratio of treatment and baseline in the pilot.
    """
    margin = math.log1p(stopping.margin)
    match stopping.until:
        case Until.DIRECTION:
            return max(distance, margin - distance) * _SAFELY
        case Until.VERDICT:
            return max(min(abs(distance - margin) * _SAFELY, max(ROUGHLY, distance / 10)), margin / 2)
        case Until.CONDITIONS:
            nearest = min(
                (abs(distance - math.log1p(condition.limit)) for condition in stopping.conditions), default=0.0
            )
            return max(nearest * _SAFELY, margin / 2)
        case _:
            return max(margin, min(distance / 2, _WIDEST)) / 2


def rounds_for_extra(calibration: Calibration, extra: float, rounds: int, most: int) -> int:
    """The fewest rounds for a known cost to within a tenth; `most` without one."""
    for count in range(rounds, most + 1, 2):
        if abs(calibration.known_extra(extra, count) - extra) <= extra / 10:
            return count
    return most


def _rounded_to_even(number: int) -> int:
    return number + number % 2  # each second round mirrors the one before
