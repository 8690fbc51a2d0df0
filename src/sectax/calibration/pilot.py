"""The pilot: tries every treatment in processes of its own, and reads how long its operations last.

What it measures is never part of a result. `calibration.freeze` turns it into batch sizes and rounds.
"""

from __future__ import annotations

import math
import statistics
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from sectax.calibration.freeze import PilotTimes, freeze
from sectax.calibration.warming import Warming, warmed
from sectax.design.batches import MOST_OPERATIONS, Operation, next_count, shortest_batch
from sectax.engines.cpu_sets import NO_CPU_SETS, CpuSets
from sectax.engines.guarded import Guarded
from sectax.model.errors import SubjectFailed, SubjectSkipped
from sectax.model.metric import Metric
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import (
    Subject,
    SubjectSpec,
    Witnesses,
    Work,
    fewest,
    gap_s,
    known_s,
    least_warmup_s,
    longest_warmup_s,
)
from sectax.model.treatment import Treatment
from sectax.model.trial import BlockEvent, Dropped, Opened, State

# Two processes are the fewest that show how processes differ, and a pilot should be short.
PROCESSES = 2
BATCHES_PER_PROCESS = 10
# Short ones are cheap, and many of them tell more of how neighbours resemble each other.
MOST_BATCHES, SHORT_PROCESS_S = 32, 0.06
# A subject whose visits last seconds is tried with fewer of them.
LONGEST_PROCESS_S = 2.0
FEWEST_BATCHES = 4
# Of longer operations a second process would cost the run more than it tells: a block has few of them either way.
SIZED_FROM_S = 0.05
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
# A warm-up is done in so many visits, so that a run that is interrupted or out of budget notices.
_WARMING_PARTS = 16

Emit = Callable[[BlockEvent], None]
Tick = Callable[[str, float], None]


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
    tick: Tick = lambda treatment, operation_s: None,
    deciding: AbstractContextManager[None] | None = None,
    lanes: CpuSets = NO_CPU_SETS,
) -> Calibrated:
    """Try every treatment, and freeze what the run needs to know of it.

    Args:
        specs: by treatment.
        empties: by family, a subject whose operation does nothing; its cost is printed beside short operations.
        emit: is called for every treatment that was opened or dropped.
        left_s: the seconds of the budget that are left when it is asked.
        tick: is called before every reading with the treatment and the seconds of one operation, 0 where they are not
            known yet, and once they are; what it raises ends the pilot.
        lanes: processors for opening and warming up.
        deciding: is entered while nothing is measured any more and the figures are worked out.
    Returns:
        Calibrations of the treatments that could be tried.
    """
    metric = plan.metrics[0]
    empty_s = {family: _empty_cost(spec, metric, emit, family) for family, spec in empties.items()}
    known_seconds = {treatment.id: known_s(specs[treatment.id]) for treatment in plan.treatments}
    tried: dict[str, PilotTimes] = {
        name: _left_to_block(seconds) for name, seconds in known_seconds.items() if seconds is not None
    }
    alone = frozenset(tried_alone(plan, specs))
    for cell in plan.cells:
        members = [treatment for treatment in plan.treatments if treatment.cell == cell.id and treatment.id in alone]
        tried |= _try_cell(
            [_Trying(treatment.id, specs[treatment.id], plan, _one_at_a_time(tick)) for treatment in members],
            emit,
            lanes.of([specs[treatment.id] for treatment in members]),
        )
    sources = {treatment.id: _source(treatment, plan, specs) for treatment in plan.treatments}
    with deciding or nullcontext():
        return freeze(
            plan, {name: tried[source] for name, source in sources.items() if source in tried}, empty_s, left_s()
        )


def tried_alone(plan: Plan, specs: Mapping[str, SubjectSpec]) -> tuple[str, ...]:
    """The treatments that the pilot tries; the others have the subject of their baseline, or a length that is known."""
    return tuple(
        treatment.id
        for treatment in plan.treatments
        if _source(treatment, plan, specs) == treatment.id and known_s(specs[treatment.id]) is None
    )


def _source(treatment: Treatment, plan: Plan, specs: Mapping[str, SubjectSpec]) -> str:
    """Whose trial counts for this treatment: the baseline's where both have the same subject, otherwise its own."""
    baseline = plan.cell(treatment.cell).baseline
    return baseline if specs[treatment.id] == specs[baseline] else treatment.id


def _left_to_block(operation_s: float) -> PilotTimes:
    """What is known of an operation that the pilot leaves to the block: a visit has room for one."""
    return PilotTimes(Operation(operation_s, 0.0, 1), 0.0, 0.0, 1.0, 0.0, 0.0, ((math.log(operation_s),),))


def _one_at_a_time(tick: Tick) -> Tick:
    lock = threading.Lock()

    def ticked(treatment: str, operation_s: float) -> None:
        with lock:
            tick(treatment, operation_s)

    return ticked


def _try_cell(members: list[_Trying], emit: Emit, lanes: CpuSets) -> dict[str, PilotTimes]:
    """Try the treatments of a cell as a block does: by turns, so that what they share is seen to be shared."""
    going = list(members)
    places = {trying.name: place for place, trying in enumerate(members)}
    by_name = {trying.name: trying for trying in members}

    def run_step(among: list[_Trying], step: Callable[[_Trying], None], lanes: CpuSets = NO_CPU_SETS) -> None:
        indices = {trying.name: places[trying.name] for trying in among if trying in going}
        for name, result in lanes.results(indices, lambda name: step(by_name[name])):
            trying = by_name[name]
            try:
                result()
            except (SubjectFailed, SubjectSkipped) as error:
                going.remove(trying)
                trying.subject.kill()
                emit(_dropped(trying.name, error))

    try:
        for number in range(PROCESSES):
            again = [trying for trying in going if number == 0 or not trying.is_done]
            # As in a block: their processes start side by side, so what that takes is waited for once.
            run_step(again, lambda trying: trying.start(lanes, places[trying.name]))
            run_step(again, _Trying.open, lanes)
            run_step(again, lambda trying: trying.say_opened(emit))
            run_step(again, _Trying.warm, lanes)
            lanes.gather(trying.subject for trying in again if trying in going)
            run_step(again, _Trying.size)
            for turn in range(max((trying.batches for trying in again), default=0)):
                run_step([trying for trying in again if turn < trying.batches], _Trying.take_turn)
            run_step(again, _Trying.close)
        trials: dict[str, PilotTimes] = {}
        run_step(members, lambda trying: trials.update({trying.name: trying.seen()}))
        return trials
    finally:
        for trying in members:
            trying.subject.kill()


class _Trying:
    """One treatment while it is tried.

    Attributes:
        sizes_only: whether no more is to be found out than how long an operation lasts.
        batches: turns that a process of it has.
    """

    def __init__(self, name: str, spec: SubjectSpec, plan: Plan, tick: Tick) -> None:
        self.name = name
        self.sizes_only = not plan.warms_up and not plan.chooses_rounds
        self.batches = 0
        self._spec, self._plan, self._tick = spec, plan, tick
        self._lanes = 1
        # Operations with idle time between them tell nothing together that each alone does not.
        self._idle_s = gap_s(spec)
        self._longest_warmup_s = longest_warmup_s(spec) if plan.warms_up else 0.0
        self._warming: Warming | None = None
        self._aim_s = plan.target_batch_s(plan.cell(plan.treatment(name).cell))
        self._most = 1 if self._idle_s else None
        self._fewest = fewest(spec)
        self._overlap = 1.0
        self._count = 0
        self._witnesses = Witnesses()
        self._opened_s: list[float] = []
        self._processes: list[list[_Reading]] = []
        self.subject = Guarded(name, spec)

    def start(self, lanes: CpuSets, index: int) -> None:
        self.subject, self._lanes = Guarded(self.name, self._spec), lanes.many
        lanes.start(self.subject, index)

    def open(self) -> None:
        began = time.monotonic()
        self._witnesses = self.subject.open()
        self._ended = time.monotonic()
        self._opened_s.append(self._ended - began)
        self._processes.append([])

    @property
    def is_done(self) -> bool:
        """Whether another process of it would tell too little."""
        return self.sizes_only or (self._warming is not None and self._warming.is_long)

    def say_opened(self, emit: Emit) -> None:
        if not self._count:
            emit(Opened(self.name, self._witnesses, self.subject.first, self._opened_s[0]))

    def warm(self) -> None:
        """Work a fresh process until it gets no faster: how long that takes is found out in the first one."""
        if self._warming is None:
            least_s = least_warmup_s(self._spec)
            self._warming = warmed(lambda count: self._read(count).elapsed_s, self._longest_warmup_s, least_s)
            return
        left = self._warming.operations
        while left > 0:
            part = min(left, -(-self._warming.operations // _WARMING_PARTS))
            self._read(part)
            left -= part

    def size(self) -> None:
        """In the first process, find out how many operations make a batch: when no other one is still starting."""
        if self._count:
            return
        plan = self._plan
        shortest_s = self._shortest_s()
        self._count, self._most, readings = _smallest_count(
            self._read, shortest_s, self._aim_s, self._most, self._fewest
        )
        fastest = min(readings, key=lambda reading: reading.elapsed_s)
        self._tick(self.name, fastest.elapsed_s / self._count)
        self.sizes_only |= not plan.warms_up and fastest.elapsed_s > SIZED_FROM_S and self._count == 1
        batches = _batches(
            min(max(reading.spanned_s, reading.elapsed_s) for reading in readings), sizes_only=self.sizes_only
        )
        if self.sizes_only:
            self._processes[-1] += readings
            batches = max(0, batches - len(readings))
        self.batches = batches

    def take_turn(self) -> None:
        self._processes[-1].append(self._read(self._count))

    def close(self) -> None:
        self.subject.close()
        self.subject.kill()

    def seen(self) -> PilotTimes:
        """What was found out. Raises `SubjectFailed` where its clock stood still."""
        metric, count = self._plan.metrics[0], self._count
        readings = [reading for process in self._processes for reading in process]
        if any(reading.elapsed_s <= 0 for reading in readings):
            raise SubjectFailed(
                f"{self.name}: its clock stood still while {count} operations ran",
                "a clock with finer steps is needed; sectax doctor names this machine's",
                "pilot",
            )
        fastest_s = min(reading.elapsed_s for reading in readings)
        waits_s = min(max(0.0, reading.spanned_s - reading.elapsed_s) for reading in readings)
        return PilotTimes(
            operation=Operation(fastest_s / count, self._shortest_s(), self._most, self._fewest),
            # The first opening of all loads what every later one finds loaded.
            open_s=min(self._opened_s) / self._lanes,
            waits_s=waits_s,
            pace=max(1.0, statistics.fmean(reading.spanned_s for reading in readings) / (fastest_s + waits_s)),
            granularity_s=_coarsest(self._witnesses, "granularity", metric),
            clock_read_s=_coarsest(self._witnesses, "read", metric),
            processes=tuple(
                tuple(math.log(reading.elapsed_s / count) for reading in process) for process in self._processes
            ),
            gap_s=self._idle_s,
            overlap=self._overlap,
            warming=self._warming or Warming(),
            lanes=self._lanes,
        )

    def _shortest_s(self) -> float:
        return _shortest_s(self._witnesses, self._plan.metrics[0], timed_alone=self._plan.times_one_by_one)

    def _read(self, count: int) -> _Reading:
        """One batch. What its pace made it wait for is no part of it: in a block others work meanwhile."""
        self._tick(self.name, 0.0)
        began = time.monotonic()
        visit, metric = self.subject.visit(Work(count)), self._plan.metrics[0].observed
        elapsed_s = visit.elapsed_s(metric)
        self._overlap = visit.summed_s(metric) / elapsed_s if elapsed_s > 0 else 1.0
        idle_s = max(0.0, self._ended + self._idle_s - began) if self._idle_s else 0.0
        self._ended = time.monotonic()
        return _Reading(elapsed_s, max(0.0, self._ended - began - idle_s))


def _batches(visit_s: float, *, sizes_only: bool) -> int:
    """How many batches a process of the pilot has, by how long a visit takes whoever makes it."""
    if sizes_only and visit_s > SIZING_S:
        return 1  # what lasts so long is not done again to learn how long it lasts
    visit = max(visit_s, 1e-9)
    longest_s, fewest = (SIZING_S, FEWEST_TO_SIZE) if sizes_only else (LONGEST_PROCESS_S, FEWEST_BATCHES)
    many = (
        BATCHES_PER_PROCESS if sizes_only else max(BATCHES_PER_PROCESS, min(MOST_BATCHES, int(SHORT_PROCESS_S / visit)))
    )
    return max(fewest, min(many, int(longest_s / visit)))


def _smallest_count(
    read: Callable[[int], _Reading], shortest_s: float, aim_s: float, most: int | None, first: int = 1
) -> tuple[int, int | None, list[_Reading]]:
    """How many operations last long enough to judge by, how many a visit has room for, and the readings of so many."""
    enough_s = max(shortest_s, aim_s / 2)
    following: int | None = first
    count, room, readings = first, most, [_Reading(0.0, 0.0)]
    while following is not None:
        count = following
        readings = [read(count)]
        while True:
            fastest = min(readings, key=lambda reading: reading.elapsed_s)
            room = _room_for_operations(fastest, count, shortest_s) if most is None else most
            following = next_count(count, fastest.elapsed_s, enough_s, room or MOST_OPERATIONS)
            # A reading that was long because something else ran would end the search at too few operations.
            is_long = fastest.elapsed_s > LONGEST_VISIT_S or (
                count == 1 and fastest.elapsed_s > CLEARLY_ENOUGH * enough_s
            )
            if following is not None or len(readings) == READINGS or is_long:
                break
            readings.append(read(count))
    return count, room, readings


def _room_for_operations(reading: _Reading, count: int, shortest_s: float) -> int | None:
    """Operations that a visit has room for, at least as many as the clock needs; None where that says nothing."""
    if reading.elapsed_s <= 0:
        return None
    needed = math.ceil(shortest_s * count / reading.elapsed_s)
    return max(1, needed, int(LONGEST_VISIT_S * count / reading.spanned_s))


def _elapsed_s(subject: Subject, count: int, metric: Metric, settle: int = 0) -> float:
    """Seconds of so many operations by the clock of the plan's first metric."""
    return subject.visit(Work(count, settle=settle)).elapsed_s(metric.observed)


def _coarsest(witnesses: Witnesses, name: str, metric: Metric) -> float:
    """The step of the clock that times the batches, or what reading it costs; 0 where the subject does not say.

    Where CPU time answers, wall time stands beside it, and the coarser of both clocks counts.
    """
    clocks = ("clock", "cpu_clock") if metric.cpu else ("clock",)
    return max(float(witnesses.get(f"{clock}_{name}_s", 0.0)) for clock in clocks)


def _shortest_s(witnesses: Witnesses, metric: Metric, *, timed_alone: bool = False) -> float:
    granularity_s, read_s = (_coarsest(witnesses, name, metric) for name in ("granularity", "read"))
    return shortest_batch(granularity_s, read_s, timed_alone=timed_alone)


def _empty_cost(spec: SubjectSpec, metric: Metric, emit: Emit, family: str) -> float | None:
    """Seconds of an empty operation in this family's loop; None where it cannot be measured."""
    subject = Guarded(f"{family}: empty", spec)
    try:
        witnesses = subject.open()
        count, _, _ = _smallest_count(
            lambda count: _Reading(*2 * (_elapsed_s(subject, count, metric),)),
            _shortest_s(witnesses, metric),
            0.01,
            None,
        )
        costs = [_elapsed_s(subject, count, metric, settle=count) for _ in range(5)]
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
