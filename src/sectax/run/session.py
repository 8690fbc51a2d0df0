"""One session of a run: pilot, blocks until the stopping rule, judgement."""

from __future__ import annotations

import contextlib
import math
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from sectax.analysis.findings import judge
from sectax.analysis.stopping import find_undecided
from sectax.calibration.freeze import resize_batches, resize_note
from sectax.calibration.time_budget import (
    WITHIN,
    BlockTimes,
    fewer_levels_hint,
    least_block_s,
    refuse_too_small,
    set_last_look,
    update_last_look,
)
from sectax.design.order import plan_block
from sectax.engines.engine import BlockFinished, BlockUpdate, EngineEvent
from sectax.experiments.interface import Bench
from sectax.model.analysed import Analysed
from sectax.model.errors import BudgetTooSmall, NothingMeasured, RecordNotWritable, SectaxError
from sectax.model.measured import Measured
from sectax.model.plan import ENOUGH_BLOCKS, FIRST_LOOK, Calibrated
from sectax.model.subject import Visit
from sectax.model.trial import BlockEvent, Dropped, Opened, PlannedBlock, Trial
from sectax.reports.words import names, plans
from sectax.run import private_inputs
from sectax.run.analyse import analyse_measured
from sectax.run.environment import SLOWED, machine_load, slowdown
from sectax.run.progress import Progress, ProgressLine, before_blocks, in_pilot, progress_line
from sectax.run.writer import SessionWriter
from sectax.text import units
from sectax.text.spans import typed

if TYPE_CHECKING:
    from sectax.run.local import LocalRunner

State = Literal["finished", "interrupted"]

# The signals that end a run in good order; the command line turns all of them into KeyboardInterrupt.
INTERRUPTING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class RunOutcome:
    """A run that has ended, with the error that ended it, if any."""

    path: Path
    state: State
    analysed: Analysed
    trouble: SectaxError | None = None

    @property
    def was_refused(self) -> bool:
        """Whether it ended before the first block, by its budget or without any failure to look at."""
        measured = self.analysed.measured
        by_budget = isinstance(self.trouble, BudgetTooSmall)
        return (
            isinstance(self.trouble, NothingMeasured) and not measured.blocks and (by_budget or not measured.failures)
        )


class BlockProgress:
    """How far the running block has come."""

    def __init__(self, blocks: Sequence[PlannedBlock]) -> None:
        self._number = blocks[0].number
        self._visits = sum(len(cell.visits) for block in blocks for cell in block.cells)
        self._visited = 0

    def update(self, event: EngineEvent) -> None:
        self._visited += isinstance(event, BlockUpdate) and isinstance(event.event, Trial)

    @property
    def share(self) -> float:
        return self._visited / max(1, self._visits)

    def bar(self) -> tuple[str, int, int]:
        """The label, how much is done, and of how much, for `Progress.at`."""
        return self.name(self._number), self._visited, self._visits

    def name(self, block: int) -> str:
        """The block's name in messages."""
        return f"block {block}"


@dataclass
class Session:
    """One session of a run on this machine, its steps in order."""

    bench: Bench
    inputs: Mapping[str, str]
    writer: SessionWriter
    progress: Progress
    runner: LocalRunner
    budget_s: float | None = None  # instead of the plan's

    block_progress: ClassVar[type[BlockProgress]] = BlockProgress

    def __post_init__(self) -> None:
        self.plan = self.bench.plan
        if self.budget_s is not None:
            own = replace(self.plan.stopping, budget_s=self.budget_s, extends=False)
            self.plan = replace(self.plan, stopping=own)
        self.began = time.monotonic()
        self.execution = self.runner.execution(self.bench, self.inputs, self)

    def say(self, text: str) -> None:
        self.progress.say(text)

    def note(self, text: str) -> None:
        self.writer.note(text)

    def waiting(self, what: str) -> contextlib.AbstractContextManager[None]:
        return self.progress.waiting(what)

    def run(self) -> RunOutcome:
        state: State = "interrupted"
        trouble: SectaxError | None = None
        try:
            for line in plans.plan(self.plan):
                self.progress.say(line)
            self.progress.say(f"recording to {self.writer.path}")
            self._say_busy()
            with contextlib.ExitStack() as placed:
                placed.callback(self.execution.release)
                self.execution.start()
                calibrated = self.writer.calibrated or self._calibrate()
                about_s = self.execution.block_s(calibrated, pace=calibrated.pace)
                frozen, *durations = plans.calibrated(self.plan, calibrated, about_s)
                self.progress.detail(frozen)
                for line in durations:
                    self.progress.say(line)
                done = len(self.writer.measured().blocks)
                once = 0.0 if done else self.plan.once_s(calibrated)
                left_s, elapsed_s = self._left_s(), self._elapsed_s()
                self._refuse_small_rest(about_s)
                self.progress.stands(before_blocks(self.plan, about_s, left_s, elapsed_s, once_s=once, done=done))
                self._blocks(calibrated, BlockTimes(about_s, once))
            state = "interrupted" if self._ended_before_first_look() else "finished"
        except KeyboardInterrupt:
            self.progress.say("interrupted: keeping what was measured")
        except SectaxError as error:
            # Whatever ended the run (full disk, failed hook, spent budget), its results are printed.
            trouble = error
        finally:
            with _uninterrupted():
                trouble = self._end(state) or trouble
        with self.progress.waiting("judging"):
            analysed = analyse_measured(self.writer.measured())
        return RunOutcome(self.writer.path, state, analysed, trouble)

    def _say_busy(self) -> None:
        """Warn if other work keeps the machine busy."""
        load = machine_load()
        if not load.busy:
            return
        longer = slowdown()
        cost = f"work takes about {longer:.1f} times as long" if longer > SLOWED else "results will be less precise"
        self.progress.say(f"warning: the machine is busy (load {load}): {cost}; stop other programs")

    def _end(self, state: State) -> SectaxError | None:
        """Clean up and close the file; return an error of that."""
        trouble: SectaxError | None = None
        try:
            with self.progress.waiting("cleaning up"):
                self.bench.close()
        except SectaxError as error:
            trouble = error
        finally:
            # If the file cannot be written, the reason was printed already, and its contents stay.
            with contextlib.suppress(RecordNotWritable):
                self.writer.end(state)
            if state == "finished":
                private_inputs.forget(self.writer.run_id)
        return trouble

    def _calibrate(self) -> Calibrated:
        total = self.execution.pilot_size()
        opened_s: dict[str, float] = {}  # treatment -> seconds of its first opening
        operation_times: dict[str, float] = {}  # treatment -> seconds of one operation
        began = time.monotonic()

        def tick(treatment: str, operation_s: float) -> None:
            if operation_s and not self.plan.cell(self.plan.treatment(treatment).cell).once:
                operation_times[treatment] = operation_s
            refuse()
            done = min(len(opened_s), total)
            self.progress.at(f"pilot {done}/{total}", done, total)

        def refuse(left_s: float = 0.0) -> None:
            open_s, operations_s = min(opened_s.values(), default=0.0), sum(operation_times.values())
            least_s = least_block_s(self.plan, open_s, operations_s, may_idle=self.bench.may_idle)
            # The treatments of the pilot so far, extrapolated to all of them.
            room = len(self.plan.treatments) / len(operation_times) if operation_times else 1.0
            refuse_too_small(self.plan, self._elapsed_s() + left_s, least_s, room=room)

        def emit(event: BlockEvent) -> None:
            recorded = self.writer.keep(0, event)
            if isinstance(recorded, Opened | Dropped):
                opened_s[recorded.treatment] = recorded.open_s if isinstance(recorded, Opened) else 0.0
            if isinstance(recorded, Dropped):
                name = names.subject(self.plan, recorded.treatment)
                self.progress.say(f"{name} {recorded.state}: {recorded.reason}")
            # The treatment that was opened last is still in the pilot.
            done = len(opened_s) - 1
            left_s = (time.monotonic() - began) / done * (total - done) if operation_times and 0 < done < total else 0.0
            if left_s:
                self.progress.stands(in_pilot(left_s, self._elapsed_s()))
            refuse(left_s / 2)

        calibrated = self.execution.calibrate(emit, self._left_s, tick)
        one_block_s, paced_s = (self.execution.block_s(calibrated, pace=pace) for pace in (1.0, calibrated.pace))
        once = self.plan.once_s(calibrated)
        calibrated = set_last_look(self.plan, calibrated, one_block_s, paced_s, self._elapsed_s(), once)
        self.writer.calibrate(calibrated)
        return calibrated

    def _left_s(self) -> float:
        """Seconds of the budget that are left; infinite without one."""
        budget_s = self.plan.stopping.budget_s
        return math.inf if budget_s is None else budget_s - self._elapsed_s()

    def _elapsed_s(self) -> float:
        return max(0.0, time.monotonic() - self.began)

    def _refuse_small_rest(self, block_s: float) -> None:
        """Refuse a budget of a resumed run that is too short for a first verdict."""
        missing = FIRST_LOOK - len(self.writer.measured().blocks)
        if self.budget_s is None or missing <= 0 or missing * block_s <= self._left_s():
            return
        enough_s = math.ceil(self._elapsed_s() + missing * block_s * WITHIN)
        raise BudgetTooSmall(
            f"a budget of {typed(self.budget_s)} is too short: a first verdict needs {missing} more blocks of about "
            f"{block_s:.1f} s",
            f"use at least --budget {enough_s}s",
        )

    def _ended_before_first_look(self) -> bool:
        """Whether a resumed run's budget ended before the first look."""
        return self.budget_s is not None and len(self.writer.measured().blocks) < FIRST_LOOK

    def _refuse_small_budget(self) -> None:
        budget_s = self.plan.stopping.budget_s
        if budget_s is not None and self._left_s() < 0 and not self.plan.stopping.extends:
            raise BudgetTooSmall(
                f"the budget of {typed(budget_s)} was spent before the pilot ended",
                f"use a longer --budget{fewer_levels_hint(self.plan)}",
            )

    def _blocks(self, calibrated: Calibrated, times: BlockTimes) -> None:
        measured = self.writer.measured()
        if not measured.blocks:
            self._refuse_small_budget()
        going = find_undecided(measured)
        ended = time.monotonic()
        while going and not self._is_budget_spent(measured, times):
            most = self.plan.last_look(measured.calibrated) - len(measured.blocks)
            calibrated = self._run_blocks(most, going.treatments, calibrated, times)
            done = len(self.writer.measured().blocks) - len(measured.blocks)
            began, ended = ended, time.monotonic()
            if done:
                times.ended((ended - began) / done)
            calibrated = self._with_real_blocks(calibrated, times)
            measured = self.writer.measured()
            findings = judge(measured)
            going = find_undecided(measured, findings)
            line = progress_line(measured, findings, going.comparisons, self._elapsed_s(), times.about_s)
            self._say_longer(times.longer_s(), line)
            self.progress.stands(line)

    def _with_real_blocks(self, calibrated: Calibrated, times: BlockTimes) -> Calibrated:
        done = len(self.writer.measured().blocks)
        recalibrated = update_last_look(self.plan, calibrated, done, times.shortest_s, self._left_s())
        if recalibrated is None:
            return calibrated
        self.writer.calibrate(recalibrated)
        return recalibrated

    def _say_longer(self, block_s: float | None, line: ProgressLine) -> None:
        """Announce the time again if blocks take longer than announced."""
        if block_s is not None:
            left = line.left.words()
            self.progress.say(f"a block takes about {units.seconds(block_s)} now, longer than announced: {left}")

    def _is_budget_spent(self, measured: Measured, times: BlockTimes) -> bool:
        done = len(measured.blocks)
        if done >= self.plan.last_look(measured.calibrated):
            return True
        if self.plan.stopping.extends and done < ENOUGH_BLOCKS:
            return False
        # A block that would end after the budget is not started.
        return bool(measured.blocks) and times.about_s * self._parallel_blocks() > self._left_s()

    def _run_blocks(self, most: int, live: frozenset[str], calibrated: Calibrated, times: BlockTimes) -> Calibrated:
        """Run the next block; a cluster runs one per host, and at most *most*.

        Returns:
            The calibration for the next block, which differs if batches turned out uneven.
        """
        blocks = self._plan_blocks(most, live, calibrated)
        self.writer.begin_block(*blocks)
        running = self.block_progress(blocks)
        fastest: dict[str, float] = {}
        began = time.monotonic()
        with contextlib.closing(self.execution.engine(calibrated).run(blocks)) as events:
            for event in events:
                running.update(event)
                self.progress.at(*running.bar())
                passed_s = (time.monotonic() - began) / len(blocks)
                if longer_s := times.overrun_s(passed_s, running.share):
                    done = len(self.writer.measured().blocks)
                    line = before_blocks(self.plan, longer_s, self._left_s(), self._elapsed_s(), passed_s, done=done)
                    self._say_longer(longer_s, line)
                    self.progress.stands(line)
                for recorded in self._record(event, running):
                    self._note_fastest(recorded, running.name(event.block), fastest)
        self.writer.finish_whole()
        recalibrated = resize_batches(self.plan, calibrated, fastest)
        if recalibrated is None:
            return calibrated
        self.writer.calibrate(recalibrated)
        self.writer.note(resize_note(blocks[-1].number))
        return recalibrated

    def _plan_blocks(self, most: int, live: frozenset[str], calibrated: Calibrated) -> list[PlannedBlock]:
        """Plan the next block."""
        return [plan_block(self.plan, calibrated, self.writer.next_block_number(), live)]

    def _parallel_blocks(self) -> int:
        """Number of blocks that run at the same time."""
        return 1

    def _record(self, event: EngineEvent, running: BlockProgress) -> Sequence[BlockEvent]:
        """Record an event of the engine; return what was recorded of the block."""
        match event:
            case BlockUpdate(number, update):
                recorded = self.writer.keep(number, update)
                return [] if recorded is None else [recorded]
            case BlockFinished(number, seconds):
                self.writer.finish_block(number, seconds)
        return []

    def _note_fastest(self, event: BlockEvent, block: str, fastest: dict[str, float]) -> None:
        """Report a dropped treatment, and keep the fastest operation of every treatment."""
        if isinstance(event, Dropped):
            self.progress.say(f"{block}: {event.treatment} {event.state}: {event.reason}")
        elif isinstance(event, Trial) and (operation_s := self._operation_s(event)):
            fastest[event.treatment] = min(operation_s, fastest.get(event.treatment, math.inf))

    def _operation_s(self, trial: Trial) -> float:
        """Seconds per operation of a visit, by the first metric's clock, or 0."""
        observed = self.plan.metrics[0].observed
        operations = 0
        for observation in trial.observations:
            if observation.metric == observed and observation.unit == "s":
                operations += observation.count
        return Visit(trial.observations, trial.telemetry).elapsed_s(observed) / operations if operations else 0.0


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ignore a second Ctrl-C or TERM while the results of the first one are written."""
    previous = {number: signal.signal(number, signal.SIG_IGN) for number in INTERRUPTING}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
