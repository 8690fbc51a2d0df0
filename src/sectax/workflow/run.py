"""A run from its plan to its last block: everything is decided by the plan and the record, nothing by chance."""

from __future__ import annotations

import contextlib
import math
import os
import secrets
import signal
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from sectax.analysis.findings import judge
from sectax.analysis.stopping import still_open
from sectax.calibration.freeze import sized_again, sized_again_note
from sectax.calibration.time_budget import (
    WITHIN,
    BlockTimes,
    least_block_s,
    or_fewer,
    refuse_too_small,
    with_last_look,
    with_real_blocks,
)
from sectax.design.order import plan_block
from sectax.engines.engine import Arrived, Ended, Happened, Lost
from sectax.experiments import registry
from sectax.experiments.interface import Bench, Request
from sectax.model.analysed import Analysed
from sectax.model.errors import NothingMeasured, RecordNotWritable, SectaxError, WrongUse
from sectax.model.measured import Measured
from sectax.model.plan import ENOUGH_BLOCKS, FIRST_LOOK, Calibrated
from sectax.model.subject import Visit
from sectax.model.trial import BlockEvent, Dropped, Opened, PlannedBlock, Trial
from sectax.record.appender import refuse_held, refuse_new
from sectax.record.reader import RunReader
from sectax.reports.words import names, plans
from sectax.text import units
from sectax.text.spans import typed
from sectax.workflow import private_inputs
from sectax.workflow.analyse import analyse_measured
from sectax.workflow.environment import SLOWED, machine_load, slowdown
from sectax.workflow.ledger import Ledger
from sectax.workflow.planned import planned
from sectax.workflow.progress_line import Progress, ProgressLine, before_blocks, in_pilot, progress_line
from sectax.workflow.site import On, Site, site_of
from sectax.workflow.waves import Running, next_hosts

State = Literal["finished", "interrupted"]

# What ends a run in good order; the command line turns all of them into KeyboardInterrupt.
INTERRUPTING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Outcome:
    """A run that has ended: `state` is finished or interrupted, `trouble` what a person must be told besides."""

    path: Path
    state: State
    analysed: Analysed
    trouble: SectaxError | None = None

    @property
    def was_refused(self) -> bool:
        """Whether it turned out to be impossible before there was anything to report, as with too small a budget."""
        measured = self.analysed.measured
        return isinstance(self.trouble, NothingMeasured) and not measured.blocks and not measured.failures


def start(
    name: str,
    request: Request,
    path: Path,
    progress: Progress,
    command_line: str = "",
    *,
    commit: str | None = None,
    on: On | None = None,
) -> Outcome:
    """Plan and run an experiment, recording into a new file.

    Args:
        command_line: what the user called, for whoever wants to repeat it.
        commit: what is measured, where that is a checkout; None for what the current folder has.
        on: the hosts of a cluster; None for this machine.
    """
    refuse_new(path)
    experiment = registry.load(name)
    with site_of(on, progress, experiment, request.options) as site:
        with progress.waiting("getting ready"):
            machine = site.machine(experiment, request, progress.say)
            bench = planned(experiment, request, machine)
            plan = bench.plan
            private_inputs.sweep()
            inputs = bench.inputs() | dict(request.secrets)
            run_id = secrets.token_hex(8)
            private_inputs.keep(run_id, inputs)
            try:
                environment = site.environment(bench, command_line, commit)
                ledger = Ledger.create(path, plan, environment, run_id=run_id)
            except BaseException:
                private_inputs.forget(run_id)
                raise
        outcome = _Session(bench, inputs, ledger, progress, site).run()
        if outcome.was_refused:
            # It would be refused again, and the file would be in the way of a better budget.
            outcome.path.unlink(missing_ok=True)
            private_inputs.forget(run_id)
        return outcome


def resume(
    path: Path,
    progress: Progress,
    budget_s: float | None = None,
    on: On | None = None,
) -> Outcome:
    """Go on with an interrupted run: finished blocks stay, the interrupted one is abandoned and redone.

    Args:
        budget_s: the most seconds of this session; None for those that the run began with.
        on: the hosts of a cluster, the same as before or others; None for this machine.
    Raises:
        WrongUse: a budget for a run that no time ends: it is finished, or its number of blocks is fixed.
        RecordNotWritable: another sectax is measuring into the file.
    """
    refuse_held(path)
    with RunReader.open(path) as reader:
        plan, measured = reader.plan(), reader.measured()
    if budget_s is not None and measured.state == "finished":
        reason = "the error level is shared over a number of looks that was fixed at its first one"
        raise WrongUse(f"{path} is finished: {reason}", "begin another run with a longer --budget")
    if budget_s is not None and plan.stopping.fixed_blocks is not None:
        raise WrongUse(f"the run has {plan.stopping.fixed_blocks} blocks, however long they take", "leave out --budget")
    if measured.state == "finished":
        progress.say("this run is finished; there is nothing to continue")
        return Outcome(path, "finished", analyse_measured(measured))
    experiment = registry.load(plan.experiment)
    with site_of(on, progress, experiment, plan.options) as site:
        bench = experiment.bench(plan)
        environment = site.environment(bench)
        site.refuse_other(measured, environment)
        ledger = Ledger.reopen(path, environment)
        inputs = private_inputs.recall(ledger.run_id)
        if inputs is None:
            inputs = bench.inputs()
            private_inputs.keep(ledger.run_id, inputs)
            if inputs:
                ledger.note("the keys of the earlier session are gone: this session made new ones")
        return _Session(bench, inputs, ledger, progress, site, budget_s).run()


@dataclass
class _Session:
    """One session of one run: what it knows, and the steps in their order."""

    bench: Bench
    inputs: Mapping[str, str]
    ledger: Ledger
    progress: Progress
    site: Site
    budget_s: float | None = None  # instead of the plan's

    def __post_init__(self) -> None:
        self.plan = self.bench.plan
        if self.budget_s is not None:
            own = replace(self.plan.stopping, budget_s=self.budget_s, extends=False)
            self.plan = replace(self.plan, stopping=own)
        self.began = time.monotonic()
        self.work = self.site.begin(self.bench, self.inputs, self)

    def say(self, text: str) -> None:
        self.progress.say(text)

    def note(self, text: str) -> None:
        self.ledger.note(text)

    def waiting(self, what: str) -> contextlib.AbstractContextManager[None]:
        return self.progress.waiting(what)

    def run(self) -> Outcome:
        state: State = "interrupted"
        trouble: SectaxError | None = None
        try:
            for line in plans.plan(self.plan):
                self.progress.say(line)
            self.progress.say(f"recording to {self.ledger.path}")
            self._say_busy()
            with contextlib.ExitStack() as placed:
                placed.callback(self.work.release)
                self.work.start()
                calibrated = self.ledger.calibrated or self._calibrate()
                about_s = self.work.block_s(calibrated, pace=calibrated.pace)
                frozen, *durations = plans.calibrated(self.plan, calibrated, about_s)
                self.progress.detail(frozen)
                for line in durations:
                    self.progress.say(line)
                done = len(self.ledger.measured().blocks)
                once = 0.0 if done else self.plan.once_s(calibrated)
                left_s, elapsed_s = self._left_s(), self._elapsed_s()
                self._refuse_small_rest(about_s)
                self.progress.stands(before_blocks(self.plan, about_s, left_s, elapsed_s, once_s=once, done=done))
                self._blocks(calibrated, BlockTimes(about_s, once))
            state = "interrupted" if self._may_go_on() else "finished"
        except KeyboardInterrupt:
            self.progress.say("interrupted: keeping what was measured")
        except SectaxError as error:
            # The record cannot go on, a hook failed, the budget was spent: what was measured is printed all the same.
            trouble = error
        finally:
            with _uninterrupted():
                trouble = self._end(state) or trouble
        with self.progress.waiting("judging"):
            analysed = analyse_measured(self.ledger.measured())
        return Outcome(self.ledger.path, state, analysed, trouble)

    def _say_busy(self) -> None:
        """Say that other work keeps the machine busy, and what that will cost."""
        load = machine_load()
        if not load.busy:
            return
        longer = slowdown()
        cost = f"what computes takes about {longer:.1f} times as long" if longer > SLOWED else "figures are less sure"
        self.progress.say(f"warning: the machine is busy (load {load}): {cost}; end what else is running")

    def _end(self, state: State) -> SectaxError | None:
        """Clean up and close the file, whatever ended the session; what went wrong with that is given back."""
        trouble: SectaxError | None = None
        try:
            with self.progress.waiting("cleaning up"):
                self.bench.close()
        except SectaxError as error:
            trouble = error
        finally:
            # Where the file could not be written the reason was said already, and what stands in it stays.
            with contextlib.suppress(RecordNotWritable):
                self.ledger.end(state)
            if state == "finished":
                private_inputs.forget(self.ledger.run_id)
        return trouble

    def _calibrate(self) -> Calibrated:
        total = self.work.tried()
        opened_s: dict[str, float] = {}  # treatment -> seconds of its first opening
        operation_s_of: dict[str, float] = {}  # treatment -> seconds of one operation
        began = time.monotonic()

        def tick(treatment: str, operation_s: float) -> None:
            if operation_s and not self.plan.cell(self.plan.treatment(treatment).cell).once:
                operation_s_of[treatment] = operation_s
            refuse()
            done = min(len(opened_s), total)
            self.progress.at(f"pilot {done}/{total}", done, total)

        def refuse(left_s: float = 0.0) -> None:
            open_s, operations_s = min(opened_s.values(), default=0.0), sum(operation_s_of.values())
            least_s = least_block_s(self.plan, open_s, operations_s, may_idle=self.bench.may_idle)
            # What has been tried takes so many times less, about, than all of them.
            room = len(self.plan.treatments) / len(operation_s_of) if operation_s_of else 1.0
            refuse_too_small(self.plan, self._elapsed_s() + left_s, least_s, room=room)

        def emit(event: BlockEvent) -> None:
            recorded = self.ledger.keep(0, event)
            if isinstance(recorded, Opened | Dropped):
                opened_s[recorded.treatment] = recorded.open_s if isinstance(recorded, Opened) else 0.0
            if isinstance(recorded, Dropped):
                name = names.subject(self.plan, recorded.treatment)
                self.progress.say(f"{name} {recorded.state}: {recorded.reason}")
            # The one that was opened last is still being tried; where none was tried yet, or all were elsewhere, this
            # says nothing.
            done = len(opened_s) - 1
            left_s = (time.monotonic() - began) / done * (total - done) if operation_s_of and 0 < done < total else 0.0
            if left_s:
                self.progress.stands(in_pilot(left_s, self._elapsed_s()))
            refuse(left_s / 2)

        calibrated = self.work.calibrate(emit, self._left_s, tick)
        one_block_s, paced_s = (self.work.block_s(calibrated, pace=pace) for pace in (1.0, calibrated.pace))
        once = self.plan.once_s(calibrated)
        calibrated = with_last_look(self.plan, calibrated, one_block_s, paced_s, self._elapsed_s(), once)
        self.ledger.calibrate(calibrated)
        return calibrated

    def _left_s(self) -> float:
        """Seconds of the budget that are left; infinite without one."""
        budget_s = self.plan.stopping.budget_s
        return math.inf if budget_s is None else budget_s - self._elapsed_s()

    def _elapsed_s(self) -> float:
        return max(0.0, time.monotonic() - self.began)

    def _refuse_small_rest(self, block_s: float) -> None:
        """Refuse a budget of this session in which a run that was begun comes to no first verdict."""
        missing = FIRST_LOOK - len(self.ledger.measured().blocks)
        if self.budget_s is None or missing <= 0 or missing * block_s <= self._left_s():
            return
        enough_s = math.ceil(self._elapsed_s() + missing * block_s * WITHIN)
        raise NothingMeasured(
            f"a budget of {typed(self.budget_s)} is too short: {missing} blocks of about {block_s:.1f} s are missing "
            "for a first verdict",
            f"give at least --budget {enough_s}s",
        )

    def _may_go_on(self) -> bool:
        """Whether a session's own budget ended before the first look, which fixes how many there are."""
        return self.budget_s is not None and len(self.ledger.measured().blocks) < FIRST_LOOK

    def _refuse_small_budget(self) -> None:
        budget_s = self.plan.stopping.budget_s
        if budget_s is not None and self._left_s() < 0 and not self.plan.stopping.extends:
            raise NothingMeasured(
                f"the budget of {typed(budget_s)} is over before the pilot ends",
                f"give a longer --budget{or_fewer(self.plan)}",
            )

    def _blocks(self, calibrated: Calibrated, times: BlockTimes) -> None:
        measured = self.ledger.measured()
        if not measured.blocks:
            self._refuse_small_budget()
        going = still_open(measured)
        ended = time.monotonic()
        while going and not self._is_budget_spent(measured, times):
            most = self.plan.last_look(measured.calibrated) - len(measured.blocks)
            calibrated = self._wave(most, going.treatments, calibrated, times)
            done = len(self.ledger.measured().blocks) - len(measured.blocks)
            began, ended = ended, time.monotonic()
            if done:
                times.ended((ended - began) / done)
            calibrated = self._with_real_blocks(calibrated, times)
            measured = self.ledger.measured()
            findings = judge(measured)
            going = still_open(measured, findings)
            line = progress_line(measured, findings, going.comparisons, self._elapsed_s(), times.about_s)
            self._say_longer(times.longer_s(), line)
            self.progress.stands(line)

    def _with_real_blocks(self, calibrated: Calibrated, times: BlockTimes) -> Calibrated:
        done = len(self.ledger.measured().blocks)
        recalibrated = with_real_blocks(self.plan, calibrated, done, times.shortest_s, self._left_s())
        if recalibrated is None:
            return calibrated
        self.ledger.calibrate(recalibrated)
        return recalibrated

    def _say_longer(self, block_s: float | None, line: ProgressLine) -> None:
        """Announce the time again, where blocks turn out to take longer."""
        if block_s is not None:
            left = line.left.words()
            self.progress.say(f"a block takes about {units.seconds(block_s)} now, longer than announced: {left}")

    def _is_budget_spent(self, measured: Measured, times: BlockTimes) -> bool:
        done = len(measured.blocks)
        if done >= self.plan.last_look(measured.calibrated):
            return True
        if self.plan.stopping.extends and done < ENOUGH_BLOCKS:
            return False
        # A block that would end after the budget is not begun.
        return bool(measured.blocks) and times.about_s * len(self.work.hosts()) > self._left_s()

    def _wave(self, most: int, live: frozenset[str], calibrated: Calibrated, times: BlockTimes) -> Calibrated:
        """Run one block on every host, and at most *most*; on this machine that is one.

        Returns:
            The calibration for the next ones: another where batches turned out uneven.
        """
        blocks = self._planned(most, live, calibrated)
        self.ledger.begin_block(*blocks)
        running = Running(blocks)
        fastest: dict[str, float] = {}
        began = time.monotonic()
        with contextlib.closing(self.work.engine(calibrated).run(blocks)) as news:
            for update in news:
                running.heard(update)
                self.progress.at(*running.bar())
                passed_s = (time.monotonic() - began) / len(blocks)
                if longer_s := times.overrun_s(passed_s, running.share):
                    done = len(self.ledger.measured().blocks)
                    line = before_blocks(self.plan, longer_s, self._left_s(), self._elapsed_s(), passed_s, done=done)
                    self._say_longer(longer_s, line)
                    self.progress.stands(line)
                match update:
                    case Happened(number, event):
                        recorded = self.ledger.keep(number, event)
                        self._look_at([] if recorded is None else [recorded], running.name(number), fastest)
                    case Arrived(number, events, seconds, more):
                        recorded_events = self.ledger.keep_whole(number, events, seconds, more=more)
                        self._look_at(recorded_events, running.name(number), fastest)
                    case Ended(number, seconds):
                        self.ledger.finish_block(number, seconds)
                    case Lost(number, reason):
                        self.ledger.finish_whole()
                        self.ledger.abandon_block(number)
                        self.ledger.note(f"{running.name(number)} was lost: {reason}")
                        self.progress.say(f"{running.name(number)} is lost: {reason}")
        self.ledger.finish_whole()
        recalibrated = sized_again(self.plan, calibrated, fastest)
        if recalibrated is None:
            return calibrated
        self.ledger.calibrate(recalibrated)
        self.ledger.note(sized_again_note(blocks[-1].number))
        return recalibrated

    def _look_at(self, recorded: Iterable[BlockEvent], block: str, fastest: dict[str, float]) -> None:
        """Say what was dropped, and keep the fastest operation of every treatment."""
        for event in recorded:
            if isinstance(event, Dropped):
                self.progress.say(f"{block}: {event.treatment} {event.state}: {event.reason}")
            elif isinstance(event, Trial) and (operation_s := self._operation_s(event)):
                fastest[event.treatment] = min(operation_s, fastest.get(event.treatment, math.inf))

    def _planned(self, most: int, live: frozenset[str], calibrated: Calibrated) -> list[PlannedBlock]:
        """The next block of every host. What one block alone measures stands in the first of them."""
        number, blocks = self.ledger.next_block_number(), self.ledger.measured().hosts
        done = {host: len(blocks.get(host, ())) for host in self.work.hosts()}
        once = {treatment.id for treatment in self.plan.treatments if self.plan.cell(treatment.cell).once}
        planned = []
        for place, host in enumerate(next_hosts(done, most, self.plan.seed, number)):
            block = plan_block(self.plan, calibrated, number + place, live - once if place else live)
            planned.append(replace(block, host=host))
        return planned

    def _operation_s(self, trial: Trial) -> float:
        """Seconds per operation of a visit, by the clock of the first metric; 0 where it observed none."""
        observed = self.plan.metrics[0].observed
        operations = 0
        for observation in trial.observations:
            if observation.metric == observed and observation.unit == "s":
                operations += observation.count
        return Visit(trial.observations, trial.telemetry).elapsed_s(observed) / operations if operations else 0.0


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """A second Ctrl-C, or a supervisor's second TERM, must not cost what the first one left to be kept."""
    previous = {number: signal.signal(number, signal.SIG_IGN) for number in INTERRUPTING}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def default_path(name: str) -> Path:
    """A file name of the present time in the present folder, that does not exist yet."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    path = Path(f"sectax-{name}-{stamp}.sectax")
    return path if not path.exists() else Path(f"sectax-{name}-{stamp}-{os.getpid()}.sectax")
