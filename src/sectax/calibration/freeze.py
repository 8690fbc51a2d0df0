"""What the pilot's readings become: batch sizes, warm-up, rounds per block. Pure: it opens and times nothing."""

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

# Past this an operation outlasts by far what the switch to it costs, and a settling batch would double the run.
SETTLE_UP_TO_S = 0.2
# A few processes know little of how processes differ. On a quiet machine the layout of their memory alone makes a few
# tenths of a per cent each, so that further rounds of the same two gain little.
LEAST_BETWEEN = 2 * 0.003**2
# An effect is known well enough at a quarter of itself either way, and never needs more than ten per cent.
_WIDEST = math.log(1.1)
# What the pilot saw of an effect is no more than a hint, so an interval that just excludes the limit is not aimed at.
_SAFELY = 0.7
# Rounds that take less than this part of their cell's fair share of a block are not cut for the sake of more blocks.
_WORTH_CUTTING = 0.5
# A part of the blocks of a first verdict that may go into warming up. What is cut short of it is said of the treatment.
_WARMING_AT_MOST = 0.5
# The rounds of one cell depend on those of the others: after so many goes over all cells they hardly move.
_SWEEPS = 3


@dataclass(frozen=True)
class PilotTimes:
    """One treatment as the pilot saw it.

    Attributes:
        open_s: the fastest opening, or its part of what several take side by side.
        waits_s: what a visit takes its caller beside the batch.
        pace: the mean visit over the fastest.
        processes: log seconds per operation, batch by batch, of every process from its first batch on. The treatments
            of a cell took turns: batches of one place met the same machine.
        gap_s: idle seconds that must lie between one of its operations and the next.
        overlap: how many times longer an operation lasts than it takes of its batch, since others run beside it.
        warming: what its processes had run before the first of these batches.
        lanes: how many of its cell open and warm up at once.
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
    lanes: int = 1

    @property
    def warming_s(self) -> float:
        """What warming up adds to a block: others get warm beside it."""
        return self.warming.seconds / self.lanes


def freeze(
    plan: Plan, tried: Mapping[str, PilotTimes], empty_s: Mapping[str, float | None], left_s: float
) -> Calibrated:
    """Decide what every block will do.

    Args:
        tried: by treatment, of those that could be tried.
        empty_s: by family, what an empty operation costs.
        left_s: seconds of the budget that the blocks may take; infinite without one.
    """
    family_of = {cell.id: cell.family for cell in plan.cells}
    calibrations: dict[str, Calibration] = {}
    warming = _warming_share(plan, tried, left_s)
    for cell in plan.cells:
        here = {
            treatment.id: tried[treatment.id]
            for treatment in plan.treatments
            if treatment.cell == cell.id and treatment.id in tried
        }
        counts = batch_sizes(
            {name: attempt.operation for name, attempt in here.items()},
            plan.target_batch_s(cell),
            equal_counts=plan.equal_counts,
        )
        for name, attempt in here.items():
            # Whoever was worked until it got no faster has no more of it, and one process of it alone was tried.
            warmed = warm_up(attempt.processes) if plan.warms_up and not attempt.warming.is_long else None
            compiling = math.ceil(warming * attempt.warming.operations / counts[name])
            batch_s = counts[name] * attempt.operation.operation_s
            steady = 0 if warmed is None else warmed.batches
            calibrations[name] = Calibration(
                treatment=name,
                count=counts[name],
                warmup=compiling + steady,
                batch_s=batch_s,
                open_s=attempt.open_s,
                granularity_s=attempt.granularity_s,
                clock_read_s=attempt.clock_read_s,
                empty_s=empty_s.get(family_of[cell.id]),
                # One that comes out of idle time does so in every visit, and is as cold in each of them.
                settle=plan.settles and attempt.operation.operation_s <= SETTLE_UP_TO_S and not attempt.gap_s,
                settled=(warmed is None or warmed.settled)
                and attempt.warming.ended
                and not (compiling and warming < 1),
                waits_s=attempt.waits_s,
                shortest_s=attempt.operation.shortest_s,
                most=attempt.operation.most,
                fewest=attempt.operation.fewest,
                typical_s=attempt.overlap
                * statistics.fmean(math.exp(log_s) for process in attempt.processes for log_s in process),
                # What is compiled only by then takes many times longer at first.
                warmup_s=warming * attempt.warming_s + steady * batch_s if compiling else None,
            )
    calibrations = _negatives_as_long_as_treatments(plan, calibrations)
    rounds = _rounds(plan, tried, calibrations, left_s)
    pace = statistics.fmean(trial.pace for trial in tried.values()) if tried else 1.0
    return Calibrated(calibrations, rounds, pace=pace)


def _warming_share(plan: Plan, tried: Mapping[str, PilotTimes], left_s: float) -> float:
    """The part of what compilers need that fits into a budget that was asked for: half of it may go there."""
    needed_s = FIRST_LOOK * sum(tried[treatment.id].warming_s for treatment in plan.treatments if treatment.id in tried)
    if plan.stopping.extends or not needed_s:
        return 1.0
    return min(1.0, _WARMING_AT_MOST * left_s / needed_s)


def sized_again(plan: Plan, calibrated: Calibrated, operation_s: Mapping[str, float]) -> Calibrated | None:
    """The batch sizes for later blocks, where those of some cell turned out uneven; None where none did.

    Args:
        operation_s: by treatment, seconds per operation of the fastest visit of the last block. One that is not here
            keeps what is known of it.
    """
    lengths = {
        name: replace(calibration, batch_s=calibration.count * operation_s.get(name, calibration.operation_s))
        for name, calibration in calibrated.calibrations.items()
    }
    calibrations, rounds = dict(calibrated.calibrations), dict(calibrated.rounds)
    for cell in plan.cells:
        members = [treatment for treatment in plan.treatments if treatment.cell == cell.id and treatment.id in lengths]
        here = {member.id: lengths[member.id] for member in members if member.role is not Role.NEGATIVE}
        alike = plan.equal_counts or plan.times_one_by_one
        if alike or not uneven([calibration.batch_s for calibration in here.values()]):
            continue
        counts = batch_sizes(
            {name: _operation(calibration) for name, calibration in here.items()}, plan.target_batch_s(cell)
        )
        if all(counts[name] == here[name].count for name in here):
            continue
        calibrations |= {name: _with_count(calibration, counts[name]) for name, calibration in here.items()}
        for member in members:
            if member.extra:
                most = plan.rounds_range[1]
                rounds[cell.id] = enough_rounds(calibrations[member.id], member.extra, rounds[cell.id], most)
    if calibrations == calibrated.calibrations:
        return None
    fed = _negatives_as_long_as_treatments(plan, calibrations)
    return replace(calibrated, calibrations=fed, rounds=rounds)


def sized_again_note(block: int) -> str:
    """What a run notes where the batches of later blocks have other sizes than the pilot found."""
    return f"batches were sized again after block {block}: the pilot had read some too long"


def _operation(calibration: Calibration) -> Operation:
    return Operation(calibration.operation_s, calibration.shortest_s, calibration.most, calibration.fewest)


def _with_count(calibration: Calibration, count: int) -> Calibration:
    return replace(calibration, count=count, batch_s=count * calibration.operation_s)


def _negatives_as_long_as_treatments(plan: Plan, calibrations: dict[str, Calibration]) -> dict[str, Calibration]:
    """Every negative control with batches of the length that differs most from their baseline's within its family.

    If the length of a batch alone makes a difference on this machine, the control then shows it.
    """
    if plan.equal_counts or plan.times_one_by_one:
        return calibrations
    family_of = {cell.id: cell.family for cell in plan.cells}
    ratios: dict[str, list[float]] = {}
    for treatment in plan.treatments:
        baseline = plan.cell(treatment.cell).baseline
        if treatment.role is Role.TREATMENT and treatment.id in calibrations and baseline in calibrations:
            ratio = calibrations[treatment.id].batch_s / calibrations[baseline].batch_s
            ratios.setdefault(family_of[treatment.cell], []).append(ratio)
    fed = dict(calibrations)
    for member in plan.treatments:
        copied = calibrations.get(plan.cell(member.cell).baseline)
        of_treatments = ratios.get(family_of[member.cell])
        if member.role is not Role.NEGATIVE or member.id not in calibrations or copied is None or not of_treatments:
            continue
        farthest = max(of_treatments, key=lambda ratio: abs(math.log(ratio)))
        count = whole_operations(copied.batch_s * farthest, _operation(copied))
        fed[member.id] = _with_count(replace(copied, treatment=member.id), count)
    return fed


def _rounds(
    plan: Plan, tried: Mapping[str, PilotTimes], calibrations: Mapping[str, Calibration], left_s: float
) -> dict[str, int]:
    """Rounds per block of every cell: those that answer soonest, and fewer where the budget would not hold the blocks.

    Never fewer than the plan allows and a known extra cost in whole operations needs.
    """
    fewest, most = plan.rounds_range
    block_cost: dict[str, float] = {}
    round_cost: dict[str, float] = {}
    rounds: dict[str, int] = {}
    least: dict[str, int] = {}
    at_once = frozenset(treatment.id for treatment in plan.treatments if treatment.at_once)
    once: dict[str, int] = {}  # what one block alone measures, one time
    noises: dict[str, Noise] = {}
    primary = {comparison.cell for comparison in plan.comparisons if comparison.standing is Standing.PRIMARY}
    for cell in plan.cells:
        here = [
            treatment for treatment in plan.treatments if treatment.cell == cell.id and treatment.id in calibrations
        ]
        frozen = [calibrations[treatment.id] for treatment in here]
        if cell.once:
            once[cell.id] = 1
            left_s -= _round_s(frozen, {treatment.id: tried[treatment.id] for treatment in here}, at_once)
            continue
        block_cost[cell.id] = sum(calibration.open_s + calibration.warming_up_s for calibration in frozen)
        shared = min(1.0, len(here) / plan.together) if plan.together else 1.0
        round_cost[cell.id] = _round_s(
            frozen, {treatment.id: tried[treatment.id] for treatment in here}, at_once, shared
        )
        least[cell.id] = rounds[cell.id] = fewest if fewest == 1 else min(_rounded_to_even(fewest), most)
        for treatment in here:
            if treatment.extra:
                least[cell.id] = enough_rounds(calibrations[treatment.id], treatment.extra, least[cell.id], most)
        noise = _noise(plan, cell, tried)
        if plan.chooses_rounds and round_cost[cell.id] > 0:
            # What was opened is used: with as much time in its rounds as in its opening, an answer takes at most twice
            # as long as with the best number of them, however blocks vary.
            filled = (
                _rounded_to_even(math.ceil(block_cost[cell.id] / round_cost[cell.id])) if not plan.equal_counts else 0
            )
            rounds[cell.id] = min(max(filled, rounds[cell.id]), most)
            # Nobody waits for an answer of the other cells: what they take beyond their opening is taken from these.
            if noise is not None and (cell.id in primary or not primary):
                noises[cell.id] = noise
    cells = [*rounds]
    together = bool(cells) and len(calibrations) <= plan.together
    if together:
        # A round of all cells that are open together takes as long as one gap.
        joint_s = _round_s([*calibrations.values()], {name: tried[name] for name in calibrations}, at_once)
        round_cost = dict.fromkeys(cells, joint_s)
    at_least = dict(rounds)
    # Whoever waits for an answer waits for whole blocks: what other cells take of them is a cost of each block too.
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
        # Rounds that one of them does not share would be spent on waiting.
        rounds, least = {cells[0]: max(rounds.values())}, {cells[0]: max(least.values())}
        block_cost = {cells[0]: sum(block_cost.values())}
    _fit(rounds, least, block_cost, round_cost, left_s / ENOUGH_BLOCKS, _WORTH_CUTTING)
    if not plan.stopping.extends:
        # A budget that was asked for holds a first verdict, if need be with the fewest rounds of all.
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
    """Cut rounds until a block is so short, or none is left that is worth it: they take *worth* of their fair share.

    The cell whose rounds take longest goes first: what there is of short operations costs little and tells much.
    """
    while (takes_s := sum(block_cost[cell] + rounds[cell] * round_cost[cell] for cell in rounds)) > block_s:
        floor_s = worth * takes_s / len(rounds)
        cut = [cell for cell in rounds if rounds[cell] > least[cell] and rounds[cell] * round_cost[cell] > floor_s]
        if not cut:
            break
        longest = max(cut, key=lambda cell: rounds[cell] * round_cost[cell])
        rounds[longest] = max(least[longest], min(rounds[longest] - 2, _rounded_to_even(rounds[longest] * 3 // 4)))


def _round_s(
    frozen: Sequence[Calibration], tried: Mapping[str, PilotTimes], at_once: Collection[str], shared: float = 1.0
) -> float:
    """Seconds of one round, at the pace that the pilot saw. Where operations are spaced, the others fill the gap.

    Args:
        at_once: treatments that are visited at the same moment.
        shared: the part of a gap that is this cell's where others are visited in the same rounds.
    """
    work_s = {
        calibration.treatment: (calibration.settled_batch_s + calibration.waits_s) * tried[calibration.treatment].pace
        for calibration in frozen
    }
    waits_s = [shared * (trial.gap_s + work_s[name]) for name, trial in tried.items() if trial.gap_s]
    together_s = max((seconds for name, seconds in work_s.items() if name in at_once), default=0.0)
    by_turns_s = sum(seconds for name, seconds in work_s.items() if name not in at_once)
    return max([together_s + by_turns_s, *waits_s])


def _best_rounds(
    plan: Plan,
    cell: Cell,
    calibrations: Mapping[str, Calibration],
    noise: Noise,
    block_cost: float,
    round_cost: float,
    left_s: float,
) -> int:
    """The rounds of one cell at which its closest comparison is answered soonest.

    Where the clock alone ends the run, those at which it is known best by then.
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


def _noise(plan: Plan, cell: Cell, tried: Mapping[str, PilotTimes]) -> Noise | None:
    """How the treatments of a cell vary beside their baseline, turn by turn, once they are warm."""
    baseline = tried.get(cell.baseline)
    if baseline is None:
        return None
    ratios = [
        [
            _warm_ratios(treatment_turns, baseline_turns)
            for treatment_turns, baseline_turns in zip(tried[treatment.id].processes, baseline.processes, strict=False)
        ]
        for treatment in plan.treatments
        if treatment.cell == cell.id and treatment.id in tried and tried[treatment.id] is not baseline
    ]
    noise = pilot_noise(ratios)
    if noise is None:
        return None
    # Only the whole time of a process counts, and a command has no process to return to.
    return replace(noise, between=0.0 if plan.equal_counts else max(LEAST_BETWEEN, noise.between))


def _warm_ratios(treatment: Sequence[float], baseline: Sequence[float]) -> Sequence[float]:
    turns = min(len(treatment), len(baseline))
    return [treatment[turn] - baseline[turn] for turn in range(turns // 2, turns)]


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
            return max(min(abs(distance - margin) * _SAFELY, max(ROUGHLY, distance / 10)), margin / 2)
        case Until.CONDITIONS:
            nearest = min(
                (abs(distance - math.log1p(condition.limit)) for condition in stopping.conditions), default=0.0
            )
            return max(nearest * _SAFELY, margin / 2)
        case _:
            return max(margin, min(distance / 2, _WIDEST)) / 2


def enough_rounds(calibration: Calibration, extra: float, rounds: int, most: int) -> int:
    """Rounds in which whole operations come to within a tenth of a known extra cost; `most` where none do.

    One extra operation among the four of four rounds of one is 25 %, and no control of 4 %.
    """
    for enough in range(rounds, most + 1, 2):
        if abs(calibration.known_extra(extra, enough) - extra) <= extra / 10:
            return enough
    return most


def _rounded_to_even(number: int) -> int:
    """Rounds come in pairs, one the mirror image of the other."""
    return number + number % 2
