"""The pilot: finds how long the operations of every treatment take.

Its measurements are never part of a result. `calibration.freeze` computes sizes and rounds from them.
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
from sectax.calibration.time_budget import PROCESSES
from sectax.calibration.warming import Warming, run_until_warm
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

BATCHES_PER_PROCESS = 10
# Short batches are cheap, and more of them give a better estimate of their autocorrelation.
MOST_BATCHES, SHORT_PROCESS_S = 32, 0.06
# Fewer batches if a visit takes seconds.
LONGEST_PROCESS_S = 2.0
FEWEST_BATCHES = 4
# For longer operations a second process is not worth its time: a block has few of them anyway.
SIZED_FROM_S = 0.05
# If the plan fixes rounds and warm-up, only the duration of an operation is needed: one process, few batches.
SIZING_S = 0.5
FEWEST_TO_SIZE = 2
# Interference only lengthens a batch, so take the fastest of a few readings.
READINGS = 3
# One operation this many times longer than the minimum batch is long enough despite interference.
CLEARLY_ENOUGH = 4
# A caller may need longer than the operation lasts (a short function behind HTTP), so a visit is longer than its batch.
# Over this limit the subjects of a round would run under different conditions, so such batches get fewer operations.
LONGEST_VISIT_S = 0.5
# Warm-up is split into visits, so that an interrupt or the end of the budget is noticed.
_WARMING_PARTS = 16

Emit = Callable[[BlockEvent], None]
Tick = Callable[[str, float], None]


@dataclass(frozen=True)
class _Reading:
    """Seconds of a batch: by the first metric's clock, and as its caller waited."""

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
    cpu_sets: CpuSets = NO_CPU_SETS,
) -> Calibrated:
    """Run the pilot and fix the sizes of the run.

    Args:
        specs: by treatment.
        empties: by family, a subject whose operation does nothing.
        emit: receives an event for every treatment that was opened or dropped.
        left_s: returns the remaining seconds of the budget.
        tick: called before every reading with the treatment and the seconds of one operation (0 if unknown), and again
            when they are known; an exception from it ends the pilot.
        cpu_sets: processors for opening and warming up.
        deciding: context of the computation after the last measurement.
    Returns:
        Calibrations of all treatments that did not fail.
    """
    metric = plan.metrics[0]
    empty_s = {family: _empty_cost(spec, metric, emit, family) for family, spec in empties.items()}
    known_seconds = {treatment.id: known_s(specs[treatment.id]) for treatment in plan.treatments}
    times: dict[str, PilotTimes] = {
        name: _known_times(seconds) for name, seconds in known_seconds.items() if seconds is not None
    }
    piloted = frozenset(pilot_treatments(plan, specs))
    for cell in plan.cells:
        members = [treatment for treatment in plan.treatments if treatment.cell == cell.id and treatment.id in piloted]
        times |= _pilot_cell(
            [_Pilot(treatment.id, specs[treatment.id], plan, _one_at_a_time(tick)) for treatment in members],
            emit,
            cpu_sets.of([specs[treatment.id] for treatment in members]),
        )
    sources = {treatment.id: _source(treatment, plan, specs) for treatment in plan.treatments}
    with deciding or nullcontext():
        return freeze(
            plan, {name: times[source] for name, source in sources.items() if source in times}, empty_s, left_s()
        )


def pilot_treatments(plan: Plan, specs: Mapping[str, SubjectSpec]) -> tuple[str, ...]:
    """The treatments that the pilot runs: one per subject of unknown duration."""
    return tuple(
        treatment.id
        for treatment in plan.treatments
        if _source(treatment, plan, specs) == treatment.id and known_s(specs[treatment.id]) is None
    )


def _source(treatment: Treatment, plan: Plan, specs: Mapping[str, SubjectSpec]) -> str:
    """The treatment whose readings apply: the baseline if the subject is the same."""
    baseline = plan.cell(treatment.cell).baseline
    return baseline if specs[treatment.id] == specs[baseline] else treatment.id


def _known_times(operation_s: float) -> PilotTimes:
    """The times of an operation of known duration; a visit has one."""
    return PilotTimes(Operation(operation_s, 0.0, 1), 0.0, 0.0, 1.0, 0.0, 0.0, ((math.log(operation_s),),))


def _one_at_a_time(tick: Tick) -> Tick:
    lock = threading.Lock()

    def ticked(treatment: str, operation_s: float) -> None:
        with lock:
            tick(treatment, operation_s)

    return ticked


def _pilot_cell(members: list[_Pilot], emit: Emit, cpu_sets: CpuSets) -> dict[str, PilotTimes]:
    """Run a cell's treatments by turns, as a block does, to share interference."""
    alive = list(members)
    indices = {pilot.name: index for index, pilot in enumerate(members)}
    by_name = {pilot.name: pilot for pilot in members}

    def run_step(pilots: list[_Pilot], step: Callable[[_Pilot], None], cpu_sets: CpuSets = NO_CPU_SETS) -> None:
        chosen = {pilot.name: indices[pilot.name] for pilot in pilots if pilot in alive}
        for name, result in cpu_sets.results(chosen, lambda name: step(by_name[name])):
            pilot = by_name[name]
            try:
                result()
            except (SubjectFailed, SubjectSkipped) as error:
                alive.remove(pilot)
                pilot.subject.kill()
                emit(_dropped(pilot.name, error))

    try:
        for number in range(PROCESSES):
            pilots = [pilot for pilot in alive if number == 0 or not pilot.is_done]
            # As in a block: processes start in parallel.
            run_step(pilots, lambda pilot: pilot.start(cpu_sets, indices[pilot.name]))
            run_step(pilots, _Pilot.open, cpu_sets)
            run_step(pilots, lambda pilot: pilot.emit_opened(emit))
            run_step(pilots, _Pilot.warm, cpu_sets)
            cpu_sets.gather(pilot.subject for pilot in pilots if pilot in alive)
            run_step(pilots, _Pilot.size)
            for turn in range(max((pilot.batches for pilot in pilots), default=0)):
                run_step([pilot for pilot in pilots if turn < pilot.batches], _Pilot.take_turn)
            run_step(pilots, _Pilot.close)
        times: dict[str, PilotTimes] = {}
        run_step(members, lambda pilot: times.update({pilot.name: pilot.times()}))
        return times
    finally:
        for pilot in members:
            pilot.subject.kill()


class _Pilot:
    """The pilot of one treatment.

    Attributes:
        sizes_only: whether only the duration of an operation is needed.
        batches: turns of each process.
    """

    def __init__(self, name: str, spec: SubjectSpec, plan: Plan, tick: Tick) -> None:
        self.name = name
        self.sizes_only = not plan.warms_up and not plan.chooses_rounds
        self.batches = 0
        self._spec, self._plan, self._tick = spec, plan, tick
        self._parallel = 1
        # With idle gaps, a batch of several operations shows no more than one of a single operation.
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

    def start(self, cpu_sets: CpuSets, index: int) -> None:
        self.subject, self._parallel = Guarded(self.name, self._spec), cpu_sets.many
        cpu_sets.start(self.subject, index)

    def open(self) -> None:
        began = time.monotonic()
        self._witnesses = self.subject.open()
        self._ended = time.monotonic()
        self._opened_s.append(self._ended - began)
        self._processes.append([])

    @property
    def is_done(self) -> bool:
        """Whether a second process is not worth its time."""
        return self.sizes_only or (self._warming is not None and self._warming.is_long)

    def emit_opened(self, emit: Emit) -> None:
        if not self._count:
            emit(Opened(self.name, self._witnesses, self.subject.first, self._opened_s[0]))

    def warm(self) -> None:
        """Warm up a fresh process; the first one finds how many operations that takes."""
        if self._warming is None:
            least_s = least_warmup_s(self._spec)
            self._warming = run_until_warm(lambda count: self._read(count).elapsed_s, self._longest_warmup_s, least_s)
            return
        left = self._warming.operations
        while left > 0:
            part = min(left, -(-self._warming.operations // _WARMING_PARTS))
            self._read(part)
            left -= part

    def size(self) -> None:
        """Find the operations per batch, after all processes of the cell started."""
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

    def times(self) -> PilotTimes:
        """The readings of all processes; `SubjectFailed` if the clock did not advance."""
        metric, count = self._plan.metrics[0], self._count
        readings = [reading for process in self._processes for reading in process]
        if any(reading.elapsed_s <= 0 for reading in readings):
            raise SubjectFailed(
                f"{self.name}: its clock did not advance while {count} operations ran",
                "use a clock with a finer resolution; sectax doctor shows those of this machine",
                "pilot",
            )
        fastest_s = min(reading.elapsed_s for reading in readings)
        waits_s = min(max(0.0, reading.spanned_s - reading.elapsed_s) for reading in readings)
        return PilotTimes(
            operation=Operation(fastest_s / count, self._shortest_s(), self._most, self._fewest),
            # The minimum, since the first opening also fills caches.
            open_s=min(self._opened_s) / self._parallel,
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
            parallel=self._parallel,
        )

    def _shortest_s(self) -> float:
        return _shortest_s(self._witnesses, self._plan.metrics[0], timed_alone=self._plan.times_one_by_one)

    def _read(self, count: int) -> _Reading:
        """Run one batch; the idle gap does not count, as others run during it."""
        self._tick(self.name, 0.0)
        began = time.monotonic()
        visit, metric = self.subject.visit(Work(count)), self._plan.metrics[0].observed
        elapsed_s = visit.elapsed_s(metric)
        self._overlap = visit.summed_s(metric) / elapsed_s if elapsed_s > 0 else 1.0
        idle_s = max(0.0, self._ended + self._idle_s - began) if self._idle_s else 0.0
        self._ended = time.monotonic()
        return _Reading(elapsed_s, max(0.0, self._ended - began - idle_s))


def _batches(visit_s: float, *, sizes_only: bool) -> int:
    """The number of batches per process of the pilot, for visits of this duration."""
    if sizes_only and visit_s > SIZING_S:
        return 1  # one reading is enough for long operations
    visit = max(visit_s, 1e-9)
    longest_s, fewest = (SIZING_S, FEWEST_TO_SIZE) if sizes_only else (LONGEST_PROCESS_S, FEWEST_BATCHES)
    many = (
        BATCHES_PER_PROCESS if sizes_only else max(BATCHES_PER_PROCESS, min(MOST_BATCHES, int(SHORT_PROCESS_S / visit)))
    )
    return max(fewest, min(many, int(longest_s / visit)))


def _smallest_count(
    read: Callable[[int], _Reading], shortest_s: float, aim_s: float, most: int | None, first: int = 1
) -> tuple[int, int | None, list[_Reading]]:
    """Shortest reliable and longest possible batch, and the reading of the former."""
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
            # Repeat: a reading lengthened by interference would end the search at too few operations.
            is_long = fastest.elapsed_s > LONGEST_VISIT_S or (
                count == 1 and fastest.elapsed_s > CLEARLY_ENOUGH * enough_s
            )
            if following is not None or len(readings) == READINGS or is_long:
                break
            readings.append(read(count))
    return count, room, readings


def _room_for_operations(reading: _Reading, count: int, shortest_s: float) -> int | None:
    """Operations that fit into a visit; None if the reading is zero."""
    if reading.elapsed_s <= 0:
        return None
    needed = math.ceil(shortest_s * count / reading.elapsed_s)
    return max(1, needed, int(LONGEST_VISIT_S * count / reading.spanned_s))


def _elapsed_s(subject: Subject, count: int, metric: Metric, settle: int = 0) -> float:
    return subject.visit(Work(count, settle=settle)).elapsed_s(metric.observed)


def _coarsest(witnesses: Witnesses, name: str, metric: Metric) -> float:
    """A property of the coarser clock of the subject in seconds, 0 if unknown."""
    clocks = ("clock", "cpu_clock") if metric.cpu else ("clock",)
    return max(float(witnesses.get(f"{clock}_{name}_s", 0.0)) for clock in clocks)


def _shortest_s(witnesses: Witnesses, metric: Metric, *, timed_alone: bool = False) -> float:
    granularity_s, read_s = (_coarsest(witnesses, name, metric) for name in ("granularity", "read"))
    return shortest_batch(granularity_s, read_s, timed_alone=timed_alone)


def _empty_cost(spec: SubjectSpec, metric: Metric, emit: Emit, family: str) -> float | None:
    """Seconds of an empty operation in this family's loop, or None."""
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
