"""The pilot: tries every treatment in processes of its own, and freezes batch sizes, warm-up and rounds per block.

What it measures is never part of a result.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sectax.design.batches import MOST_OPERATIONS, frozen_count, next_count, shortest_batch
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.plan import Calibrated, Calibration, Plan, known_extra, settled_batch_s
from sectax.model.subject import Subject, SubjectSpec, Witnesses, Work, gap_s
from sectax.model.treatment import Treatment
from sectax.model.trial import BlockEvent, Dropped, Opened, State
from sectax.stats.change_point import warm_up
from sectax.stats.repetition import rounds_per_block, variance_parts

# Two processes are the fewest that show how processes differ, and a pilot should be short.
PROCESSES = 2
BATCHES_PER_PROCESS = 10
# A subject whose operations last seconds is tried with fewer of them.
LONGEST_PROCESS_S = 2.0
FEWEST_BATCHES = 4
# Past this an operation outlasts by far what the switch to it costs, and a settling batch would double the run.
SETTLE_UP_TO_S = 0.2
# Operations that take a caller longer than they last (a short function behind HTTP) make a visit longer than its batch.
# Past this the subjects of a round would no longer meet the same machine, so such a batch has fewer operations.
LONGEST_VISIT_S = 0.5

Emit = Callable[[BlockEvent], None]


@dataclass(frozen=True)
class _Trial:
    """One treatment tried: its calibration before the warm-up is known, and the log times per operation."""

    calibration: Calibration
    processes: list[list[float]]


def calibrate(
    plan: Plan, specs: Mapping[str, SubjectSpec], empties: Mapping[str, SubjectSpec], emit: Emit
) -> Calibrated:
    """Try every treatment, and freeze what the run needs to know of it.

    Args:
        specs: by treatment.
        empties: by family, a subject whose operation does nothing; its cost is printed beside short operations.
        emit: is told of every treatment that was opened or dropped.
    Returns:
        Calibrations of the treatments that could be tried.
    """
    observed = plan.metrics[0].observed
    empty_s = {family: _empty_cost(spec, observed, emit, family) for family, spec in empties.items()}
    family_of = {cell.id: cell.family for cell in plan.cells}
    tried: dict[str, _Trial] = {}
    for treatment in plan.treatments:
        if _source(treatment, plan, specs) != treatment.id:
            continue
        try:
            trial = _try(treatment, specs[treatment.id], plan.batch_s, observed, emit)
        except (SubjectFailed, SubjectSkipped) as error:
            emit(_dropped(treatment.id, error))
        else:
            cost = empty_s.get(family_of[treatment.cell])
            settle = trial.calibration.settle and plan.settles
            tried[treatment.id] = replace(trial, calibration=replace(trial.calibration, empty_s=cost, settle=settle))
    if plan.warms_up:
        tried = {name: _with_warmup(trial) for name, trial in tried.items()}
    calibrations = {name: trial.calibration for name, trial in tried.items()}
    rounds = {
        cell.id: _rounds(
            [trial for name, trial in tried.items() if plan.treatment(name).cell == cell.id], plan.rounds_range
        )
        for cell in plan.cells
    }
    for treatment in plan.treatments:
        source = _source(treatment, plan, specs)
        if source not in calibrations:
            continue
        calibrations[treatment.id] = replace(calibrations[source], treatment=treatment.id)
        if treatment.extra:
            rounds[treatment.cell] = enough_rounds(
                calibrations[treatment.id], treatment.extra, rounds[treatment.cell], plan.rounds_range[1]
            )
    return Calibrated(calibrations, rounds)


def _source(treatment: Treatment, plan: Plan, specs: Mapping[str, SubjectSpec]) -> str:
    """Whose trial counts for this treatment: the baseline's where both have the same subject, otherwise its own.

    The run's own controls, and whatever else is the baseline again, then do equal work by design.
    """
    baseline = plan.cell(treatment.cell).baseline
    return baseline if specs[treatment.id] == specs[baseline] else treatment.id


def enough_rounds(calibration: Calibration, extra: float, rounds: int, most: int) -> int:
    """Rounds in which whole operations come to within a tenth of a known extra cost; `most` where none do.

    One extra operation among the four of four rounds of one is 25 %, and no control of 4 %.
    """
    for enough in range(rounds, most + 1):
        if abs(known_extra(calibration, extra, enough) - extra) <= extra / 10:
            return enough
    return most


def _try(treatment: Treatment, spec: SubjectSpec, aim_s: float, observed: str, emit: Emit) -> _Trial:
    processes: list[list[float]] = []
    calibration: Calibration | None = None
    for _ in range(PROCESSES):
        subject = spec.subject()
        try:
            began = time.monotonic()
            witnesses = subject.open()
            open_s = time.monotonic() - began
            if calibration is None:
                emit(Opened(treatment.id, witnesses, subject.first, open_s))
                # Operations with idle time between them tell nothing together that each alone does not.
                most = 1 if gap_s(spec) else MOST_OPERATIONS
                calibration = _batch_size(treatment.id, subject, witnesses, aim_s, observed, open_s, most)
            # The first opening of all loads what every later one finds loaded.
            calibration = replace(calibration, open_s=min(open_s, calibration.open_s))
            batches = max(FEWEST_BATCHES, min(BATCHES_PER_PROCESS, int(LONGEST_PROCESS_S / calibration.batch_s)))
            processes.append(
                [
                    math.log(_elapsed(subject, Work(count=calibration.count), observed) / calibration.count)
                    for _ in range(batches)
                ]
            )
            subject.close()
        finally:
            subject.kill()
    if calibration is None:
        raise AssertionError("a pilot has at least one process")
    return _Trial(calibration, processes)


def _batch_size(
    name: str,
    subject: Subject,
    witnesses: Witnesses,
    aim_s: float,
    observed: str,
    open_s: float,
    most: int = MOST_OPERATIONS,
) -> Calibration:
    granularity_s = float(witnesses.get("clock_granularity_s", 0.0))
    clock_read_s = float(witnesses.get("clock_read_s", 0.0))
    shortest_s = shortest_batch(granularity_s, clock_read_s)
    count: int | None = 1
    tried, elapsed = 1, 0.0
    while count is not None:
        tried = count
        began = time.monotonic()
        elapsed = _elapsed(subject, Work(count=tried), observed)
        aim_s = min(aim_s, LONGEST_VISIT_S * elapsed / (time.monotonic() - began))
        count = next_count(tried, elapsed, enough_s=max(shortest_s, aim_s / 2), most=most)
    per_operation = elapsed / tried
    frozen = frozen_count(per_operation, aim_s, shortest_s, most)
    return Calibration(
        treatment=name,
        count=frozen,
        warmup=0,
        batch_s=frozen * per_operation,
        open_s=open_s,
        granularity_s=granularity_s,
        clock_read_s=clock_read_s,
        settle=per_operation <= SETTLE_UP_TO_S,
    )


def _elapsed(subject: Subject, work: Work, observed: str) -> float:
    visit = subject.visit(work)
    return sum(observation.value for observation in visit.observations if observation.metric == observed)


def _with_warmup(trial: _Trial) -> _Trial:
    seen = warm_up(trial.processes)
    return replace(trial, calibration=replace(trial.calibration, warmup=seen.batches, settled=seen.settled))


def _rounds(trials: list[_Trial], allowed: tuple[int, int]) -> int:
    """Rounds per block of one cell, from the variances within and between its pilot processes."""
    if not trials:
        return allowed[0]
    parts = [variance_parts([process[len(process) // 2 :] for process in trial.processes]) for trial in trials]
    # Only a ratio of variances counts, so the treatments of a cell pool theirs.
    return rounds_per_block(
        statistics.fmean(within for within, _ in parts),
        statistics.fmean(between for _, between in parts),
        block_cost=sum(t.calibration.open_s + t.calibration.warmup * t.calibration.batch_s for t in trials),
        round_cost=sum(settled_batch_s(t.calibration) for t in trials),
        limits=allowed,
    )


def _empty_cost(spec: SubjectSpec, observed: str, emit: Emit, family: str) -> float | None:
    """Seconds of an empty operation in this family's loop; None where it cannot be measured."""
    subject = spec.subject()
    try:
        witnesses = subject.open()
        sized = _batch_size(family, subject, witnesses, 0.01, observed, 0.0)
        costs = [_elapsed(subject, Work(sized.count, settle=sized.count), observed) for _ in range(5)]
        subject.close()
    except (SubjectFailed, SubjectSkipped) as error:
        emit(_dropped(f"{family}: empty", error))
        return None
    finally:
        subject.kill()
    return statistics.median(costs) / sized.count


def _dropped(name: str, error: SubjectFailed | SubjectSkipped) -> Dropped:
    state = State.SKIPPED if isinstance(error, SubjectSkipped) else State.FAILED
    return Dropped(name, state, "pilot", error.message, error.hint)
