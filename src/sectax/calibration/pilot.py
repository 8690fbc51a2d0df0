"""The pilot: tries every treatment in processes of its own, and reads how long its operations last.

What it measures is never part of a result. What is made of it stands in `engines.freeze`.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from sectax.calibration.freeze import Tried, freeze
from sectax.design.batches import MOST_OPERATIONS, Operation, next_count, shortest_batch
from sectax.engines.guarded import Guarded
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.metric import Metric
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import Subject, SubjectSpec, Witnesses, Work, gap_s, known_s
from sectax.model.treatment import Treatment
from sectax.model.trial import BlockEvent, Dropped, Opened, State

# Two processes are the fewest that show how processes differ, and a pilot should be short.
PROCESSES = 2
BATCHES_PER_PROCESS = 10
# A subject whose visits last seconds is tried with fewer of them.
LONGEST_PROCESS_S = 2.0
FEWEST_BATCHES = 4
# Where the plan fixes rounds and warm-up, a pilot finds out no more than how long an operation lasts: one process and a
# few batches are enough.
SIZING_S = 0.5
FEWEST_TO_SIZE = 2
# Other work on the machine can only lengthen a batch, so the fastest of a few readings says how long it lasts.
READINGS = 3
# A single operation that lasts so many times longer than a batch has to is long enough, whatever else runs.
CLEARLY_ENOUGH = 4
# Operations that take a caller longer than they last (a short function behind HTTP) make a visit longer than its batch.
# Past this the subjects of a round would no longer meet the same machine, so such a batch has fewer operations.
LONGEST_VISIT_S = 0.5

Emit = Callable[[BlockEvent], None]
Tick = Callable[[], None]


@dataclass(frozen=True)
class _Reading:
    """One batch: how long it lasted by the clock of the plan's first metric, and how long it took its caller."""

    elapsed_s: float
    spanned_s: float


def calibrate(
    plan: Plan,
    specs: Mapping[str, SubjectSpec],
    empties: Mapping[str, SubjectSpec],
    emit: Emit,
    left_s: Callable[[], float] = lambda: math.inf,
    tick: Tick = lambda: None,
    deciding: AbstractContextManager[None] | None = None,
) -> Calibrated:
    """Try every treatment, and freeze what the run needs to know of it.

    Args:
        specs: by treatment.
        empties: by family, a subject whose operation does nothing; its cost is printed beside short operations.
        emit: is called for every treatment that was opened or dropped.
        left_s: the seconds of the budget that are left when it is asked.
        tick: is called between one reading and the next.
        deciding: is entered while nothing is measured any more and the figures are worked out.
    Returns:
        Calibrations of the treatments that could be tried.
    """
    metric = plan.metrics[0]
    empty_s = {family: _empty_cost(spec, metric, emit, family) for family, spec in empties.items()}
    known = {treatment.id: known_s(specs[treatment.id]) for treatment in plan.treatments}
    tried: dict[str, Tried] = {name: _untried(seconds) for name, seconds in known.items() if seconds is not None}
    alone = frozenset(tried_alone(plan, specs))
    for treatment in plan.treatments:
        if treatment.id not in alone:
            continue
        try:
            tried[treatment.id] = _try(treatment, specs[treatment.id], plan, emit, tick)
        except (SubjectFailed, SubjectSkipped) as error:
            emit(_dropped(treatment.id, error))
    sources = {treatment.id: _source(treatment, plan, specs) for treatment in plan.treatments}
    with deciding or nullcontext():
        return freeze(plan, {name: tried[of] for name, of in sources.items() if of in tried}, empty_s, left_s())


def tried_alone(plan: Plan, specs: Mapping[str, SubjectSpec]) -> tuple[str, ...]:
    """The treatments that the pilot tries; the others have the subject of their baseline, or a length that is known."""
    return tuple(
        each.id for each in plan.treatments if _source(each, plan, specs) == each.id and known_s(specs[each.id]) is None
    )


def _source(treatment: Treatment, plan: Plan, specs: Mapping[str, SubjectSpec]) -> str:
    """Whose trial counts for this treatment: the baseline's where both have the same subject, otherwise its own."""
    baseline = plan.cell(treatment.cell).baseline
    return baseline if specs[treatment.id] == specs[baseline] else treatment.id


def _untried(operation_s: float) -> Tried:
    """What is known of an operation that the pilot leaves to the block: a visit has room for one."""
    return Tried(Operation(operation_s, 0.0, 1), 0.0, 0.0, 1.0, 0.0, 0.0, ((math.log(operation_s),),))


def _try(treatment: Treatment, spec: SubjectSpec, plan: Plan, emit: Emit, tick: Tick) -> Tried:
    metric, sizes_only = plan.metrics[0], not plan.warms_up and not plan.chooses_rounds
    # Operations with idle time between them tell nothing together that each alone does not.
    idle_s = gap_s(spec)
    most = 1 if idle_s else None
    opened_s: list[float] = []
    processes: list[list[_Reading]] = []
    count, witnesses = 0, Witnesses()
    for _ in range(1 if sizes_only else PROCESSES):
        subject = Guarded(treatment.id, spec)
        try:
            began = time.monotonic()
            witnesses = subject.open()
            opened_s.append(time.monotonic() - began)
            batch: list[_Reading] = []
            if not count:
                emit(Opened(treatment.id, witnesses, subject.first, opened_s[0]))
                shortest_s = _shortest_s(witnesses, metric)
                count, most, seen = _enough(subject, shortest_s, plan.batch_s, metric.observed, most)
                batches = _batches(min(max(each.spanned_s, each.elapsed_s) for each in seen), sizes_only=sizes_only)
                batch += seen if sizes_only else []
            while len(batch) < batches:
                tick()
                batch.append(_read(subject, count, metric.observed))
            processes.append(batch)
            subject.close()
        finally:
            subject.kill()
    readings = [reading for process in processes for reading in process]
    if any(reading.elapsed_s <= 0 for reading in readings):
        raise SubjectFailed(
            f"{treatment.id}: its clock stood still while {count} operations ran",
            "a clock with finer steps is needed; sectax doctor names this machine's",
            "pilot",
        )
    fastest_s = min(reading.elapsed_s for reading in readings)
    waits_s = min(max(0.0, reading.spanned_s - reading.elapsed_s - idle_s) for reading in readings)
    return Tried(
        operation=Operation(fastest_s / count, _shortest_s(witnesses, metric), most),
        # The first opening of all loads what every later one finds loaded.
        open_s=min(opened_s),
        waits_s=waits_s,
        pace=max(1.0, statistics.fmean(reading.spanned_s for reading in readings) / (fastest_s + waits_s)),
        granularity_s=_coarsest(witnesses, "granularity", metric),
        clock_read_s=_coarsest(witnesses, "read", metric),
        processes=tuple(tuple(math.log(each.elapsed_s / count) for each in process) for process in processes),
    )


def _batches(visit_s: float, *, sizes_only: bool) -> int:
    """How many batches a process of the pilot has, by how long a visit takes whoever makes it."""
    if sizes_only and visit_s > LONGEST_PROCESS_S:
        return 1  # what lasts for minutes is not done again to learn how long it lasts
    longest_s, fewest = (SIZING_S, FEWEST_TO_SIZE) if sizes_only else (LONGEST_PROCESS_S, FEWEST_BATCHES)
    return max(fewest, min(BATCHES_PER_PROCESS, int(longest_s / max(visit_s, 1e-9))))


def _enough(
    subject: Subject, shortest_s: float, aim_s: float, observed: str, most: int | None
) -> tuple[int, int | None, list[_Reading]]:
    """How many operations last long enough to judge by, how many a visit has room for, and the readings of so many."""
    enough_s = max(shortest_s, aim_s / 2)
    following: int | None = 1
    count, room, readings = 1, most, [_Reading(0.0, 0.0)]
    while following is not None:
        count = following
        readings = [_read(subject, count, observed)]
        while True:
            fastest = min(readings, key=lambda each: each.elapsed_s)
            room = _room(fastest, count, shortest_s) if most is None else most
            following = next_count(count, fastest.elapsed_s, enough_s, room or MOST_OPERATIONS)
            # A reading that was long because something else ran would end the search at too few operations.
            is_long = fastest.elapsed_s > LONGEST_VISIT_S or (
                count == 1 and fastest.elapsed_s > CLEARLY_ENOUGH * enough_s
            )
            if following is not None or len(readings) == READINGS or is_long:
                break
            readings.append(_read(subject, count, observed))
    return count, room, readings


def _room(reading: _Reading, count: int, shortest_s: float) -> int | None:
    """Operations that a visit has room for, at least as many as the clock needs; None where that says nothing."""
    if reading.elapsed_s <= 0:
        return None
    needed = math.ceil(shortest_s * count / reading.elapsed_s)
    return max(1, needed, int(LONGEST_VISIT_S * count / reading.spanned_s))


def _read(subject: Subject, count: int, observed: str, settle: int = 0) -> _Reading:
    began = time.monotonic()
    visit = subject.visit(Work(count, settle=settle))
    spanned_s = time.monotonic() - began
    return _Reading(sum(each.value for each in visit.observations if each.metric == observed), spanned_s)


def _coarsest(witnesses: Witnesses, name: str, metric: Metric) -> float:
    """The step of the clock that times the batches, or what reading it costs; 0 where the subject does not say.

    Where CPU time answers, wall time stands beside it, and the coarser of both clocks counts.
    """
    clocks = ("clock", "cpu_clock") if metric.cpu else ("clock",)
    return max(float(witnesses.get(f"{clock}_{name}_s", 0.0)) for clock in clocks)


def _shortest_s(witnesses: Witnesses, metric: Metric) -> float:
    return shortest_batch(_coarsest(witnesses, "granularity", metric), _coarsest(witnesses, "read", metric))


def _empty_cost(spec: SubjectSpec, metric: Metric, emit: Emit, family: str) -> float | None:
    """Seconds of an empty operation in this family's loop; None where it cannot be measured."""
    subject = Guarded(f"{family}: empty", spec)
    try:
        witnesses = subject.open()
        count, _, _ = _enough(subject, _shortest_s(witnesses, metric), 0.01, metric.observed, None)
        costs = [_read(subject, count, metric.observed, settle=count).elapsed_s for _ in range(5)]
        subject.close()
    except (SubjectFailed, SubjectSkipped) as error:
        emit(_dropped(f"{family}: empty", error))
        return None
    finally:
        subject.kill()
    return min(costs) / count


def _dropped(name: str, error: SubjectFailed | SubjectSkipped) -> Dropped:
    state = State.SKIPPED if isinstance(error, SubjectSkipped) else State.FAILED
    return Dropped(name, state, "pilot", error.message, error.hint)
