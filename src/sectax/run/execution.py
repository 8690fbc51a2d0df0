"""Run the pilot and the blocks of a plan in this process."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from sectax.engines.cpu_sets import NO_CPU_SETS, CpuSets
from sectax.engines.engine import Engine
from sectax.engines.serial import SerialEngine
from sectax.experiments.interface import Bench
from sectax.hosts.process.processors import pinned
from sectax.hosts.registry import host
from sectax.model import plan as placement
from sectax.model.environment import LOCAL_HOST
from sectax.model.plan import Calibrated
from sectax.model.subject import gap_s
from sectax.parts.cache import state_folder

if TYPE_CHECKING:
    from sectax.calibration.pilot import Emit, Tick


class EventSink(Protocol):
    """Receives notes, messages and waiting times of a session."""

    def note(self, text: str) -> None:
        """Add a note to the record."""

    def say(self, text: str) -> None:
        """Print a message for the user."""

    def waiting(self, what: str) -> AbstractContextManager[None]:
        """Show *what* is happening until the context ends."""


class LocalExecution:
    """Runs a plan in this process, in the order of its methods.

    The owner of the bench closes it.
    """

    def __init__(self, bench: Bench, inputs: Mapping[str, str], sink: EventSink) -> None:
        self._bench = bench
        self._plan = bench.plan
        self._inputs = inputs
        self._sink = sink
        self._pinned = contextlib.ExitStack()
        self._lanes = NO_CPU_SETS

    def start(self) -> None:
        """Start the services that the subjects need, and pin both to their processors."""
        services, own = self._pin()
        with self._sink.waiting("setting up"), pinned(services):
            self._bench.start(self._inputs)
        self._pinned.enter_context(pinned(own))

    def release(self) -> None:
        """Release the processors."""
        self._pinned.close()

    def pilot_size(self) -> int:
        """Number of treatments that the pilot runs."""
        from sectax.calibration.pilot import pilot_treatments

        return len(pilot_treatments(self._plan, self._bench.specs(self._inputs, None)))

    def calibrate(self, emit: Emit, left_s: Callable[[], float], tick: Tick) -> Calibrated:
        """Run the pilot. For the arguments see `pilot.calibrate`."""
        from sectax.calibration.pilot import calibrate  # numpy: a process that runs one block needs none

        specs, empties = self._bench.specs(self._inputs, None), self._bench.empties()
        deciding = self._sink.waiting("planning the blocks")
        return calibrate(self._plan, specs, empties, emit, left_s, tick, deciding=deciding, cpu_sets=self._lanes)

    def gaps(self, calibrated: Calibrated) -> dict[str, float]:
        """Seconds between one operation's end and the next start, by treatment."""
        return {name: gap_s(spec) for name, spec in self._bench.specs(self._inputs, calibrated).items()}

    def block_s(self, calibrated: Calibrated, *, pace: float = 1.0) -> float:
        """Expected seconds of a block, divided by the number of parallel hosts."""
        from sectax.calibration.time_budget import block_s

        return block_s(self._plan, calibrated, self.gaps(calibrated), pace=pace)

    def hosts(self) -> tuple[str, ...]:
        """Names of the hosts that can run a block now."""
        return (LOCAL_HOST,)

    def engine(self, calibrated: Calibrated) -> Engine:
        """The engine that runs the blocks."""
        return SerialEngine(self._bench.specs(self._inputs, calibrated), self._lanes)

    def _pin(self) -> tuple[Collection[int], Collection[int]]:
        """Keep subjects on one processor until `release`, if the plan asks for it.

        Returns:
            The processors for services, and those for sectax and the processes that it starts.
        """
        if not self._plan.one_processor:
            return os.sched_getaffinity(0), os.sched_getaffinity(0)
        claims = state_folder() / "processors"
        chosen = [
            self._pinned.enter_context(host(name).on_one_processor(claims)) for name in (LOCAL_HOST, *self._plan.hosts)
        ]
        if any(processors is not None and processors.shared for processors in chosen):
            self._sink.note("another sectax measured on the same processor: both are slower and less precise")
            self._sink.say("another sectax is measuring on this machine: wait for it, or expect wider intervals")
        processor = chosen[0]
        if processor is None:
            return os.sched_getaffinity(0), os.sched_getaffinity(0)
        others = " ".join(map(str, sorted(processor.others)))
        match self._plan.services_on:
            case placement.OTHERS:
                self._sink.note(f"subjects ran on processor {processor.number}, their services on {others}")
                return processor.others, {processor.number}
            case placement.SUBJECTS:
                self._sink.note(f"subjects ran on processor {processor.number}, sectax on {others}")
                return {processor.number}, processor.others
        self._lanes = CpuSets(processor.number, sorted(processor.others - {processor.number}), claims)
        self._sink.note(f"subjects ran on processor {processor.number}")
        return {processor.number}, {processor.number}
