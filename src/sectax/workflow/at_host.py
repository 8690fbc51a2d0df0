"""The work of a run on the machine where its subjects are: the bench, the processor, the pilot and the blocks."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from sectax.engines.lanes import NONE, Lanes
from sectax.engines.serial import SerialEngine
from sectax.experiments.interface import Bench
from sectax.hosts.process.processors import among
from sectax.hosts.registry import host
from sectax.model import plan as placement
from sectax.model.environment import LOCAL_HOST
from sectax.model.plan import Calibrated
from sectax.model.subject import gap_s
from sectax.parts.cache import state_folder

if TYPE_CHECKING:
    from sectax.calibration.pilot import Emit, Tick


class Heard(Protocol):
    """Whoever is to know what happens beside the blocks."""

    def note(self, text: str) -> None:
        """For the record."""

    def say(self, text: str) -> None:
        """For the person who waits."""

    def waiting(self, what: str) -> AbstractContextManager[None]:
        """Something that is not timed takes as long as it takes."""


class AtHost:
    """Implements `Work` in this process, of one bench.

    `start` comes first; `release` gives its processors back, and the owner closes the bench.
    """

    def __init__(self, bench: Bench, inputs: Mapping[str, str], heard: Heard) -> None:
        self._bench = bench
        self._plan = bench.plan
        self._inputs = inputs
        self._heard = heard
        self._placed = contextlib.ExitStack()
        self._lanes = NONE

    def start(self) -> None:
        services, own = self._on_processors()
        with self._heard.waiting("setting up"), among(services):
            self._bench.start(self._inputs)
        self._placed.enter_context(among(own))

    def release(self) -> None:
        self._placed.close()

    def tried(self) -> int:
        from sectax.calibration.pilot import tried_alone

        return len(tried_alone(self._plan, self._bench.specs(self._inputs, None)))

    def calibrate(self, emit: Emit, left_s: Callable[[], float], tick: Tick) -> Calibrated:
        """Make the pilot. Arguments as of `pilot.calibrate`."""
        from sectax.calibration.pilot import calibrate  # numpy: a block of a process of its own needs none

        specs, empties = self._bench.specs(self._inputs, None), self._bench.empties()
        deciding = self._heard.waiting("planning the blocks")
        return calibrate(self._plan, specs, empties, emit, left_s, tick, deciding=deciding, lanes=self._lanes)

    def gaps(self, calibrated: Calibrated) -> dict[str, float]:
        """By treatment, the seconds from the end of an operation to its next one."""
        return {name: gap_s(spec) for name, spec in self._bench.specs(self._inputs, calibrated).items()}

    def block_s(self, calibrated: Calibrated, *, pace: float = 1.0) -> float:
        from sectax.calibration.time_budget import block_s

        return block_s(self._plan, calibrated, self.gaps(calibrated), pace=pace)

    def hosts(self) -> tuple[str, ...]:
        return (LOCAL_HOST,)

    def engine(self, calibrated: Calibrated) -> SerialEngine:
        return SerialEngine(self._bench.specs(self._inputs, calibrated), self._lanes)

    def _on_processors(self) -> tuple[Collection[int], Collection[int]]:
        """Keep subjects on one processor until `release`, where the plan wants that.

        Returns:
            The processors for services, and those for sectax and whatever it starts itself.
        """
        if not self._plan.one_processor:
            return os.sched_getaffinity(0), os.sched_getaffinity(0)
        claims = state_folder() / "processors"
        chosen = [
            self._placed.enter_context(host(name).on_one_processor(claims)) for name in (LOCAL_HOST, *self._plan.hosts)
        ]
        if any(processors is not None and processors.shared for processors in chosen):
            self._heard.note("another sectax measured on the same processor, which makes both slower and less sure")
            self._heard.say("another sectax measures on this machine: wait for it, or expect wider intervals")
        processor = chosen[0]
        if processor is None:
            return os.sched_getaffinity(0), os.sched_getaffinity(0)
        processors = " ".join(map(str, sorted(processor.others)))
        match self._plan.services_on:
            case placement.OTHERS:
                self._heard.note(
                    f"subjects took turns on processor {processor.number}, what serves them on {processors}"
                )
                return processor.others, {processor.number}
            case placement.SUBJECTS:
                self._heard.note(
                    f"subjects took turns on processor {processor.number}, sectax itself worked on {processors}"
                )
                return {processor.number}, processor.others
        self._lanes = Lanes(processor.number, sorted(processor.others - {processor.number}), claims)
        self._heard.note(f"subjects took turns on processor {processor.number}")
        return {processor.number}, {processor.number}
