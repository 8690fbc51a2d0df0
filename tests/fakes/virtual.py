"""Commands on a clock of their own: what they take is drawn from a seed, and no real time is in it.

Everything else of a run is real: the pilot, the blocks, what is recorded, judged and reported. So a test may assert a
verdict on any machine, however busy. `sleep SECONDS` takes so many virtual seconds, at once; every other program is
really executed, for its status and for what it writes, and takes a virtual millisecond.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace

from sectax.subjects.command import subject
from sectax.subjects.command.launchers import Launcher
from sectax.subjects.command.requests import Clock, Done, Execution, NotPrepared
from sectax.subjects.command.slots import NOTHING

# Relative spreads of a process and of its executions, as on a calm machine.
BETWEEN, WITHIN = 0.005, 0.01


@dataclass
class VirtualTime:
    """`time.monotonic` of a run that takes no time: it goes on with each execution, and a little with each look."""

    now: float = 1000.0
    noise: random.Random = field(default_factory=lambda: random.Random(1))

    def monotonic(self) -> float:
        self.now += 10e-6
        return self.now


TIME = VirtualTime()


class VirtualLauncher:
    """Stands in for `RunningLauncher`, which speaks to a process that executes and times programs."""

    def __init__(self, launcher: Launcher, cwd: str | None, env: Mapping[str, str]) -> None:
        self.child = SimpleNamespace(pid=os.getpid(), stderr_tail=b"")
        self._cwd = cwd
        self._environment = os.environ | dict(env)
        self._argv: dict[int, list[str]] = {}
        self._process = TIME.noise.gauss(1.0, BETWEEN)

    def clock(self) -> Clock:
        return Clock(granularity_s=1e-9, read_s=20e-9)

    def define(self, definition: bytes) -> None:
        """Reads what `requests.program` has written."""
        _, slot, _, _, _, _, *argv = definition.decode().split()
        self._argv[int(slot)] = [bytes.fromhex(word[1:]).decode() for word in argv]

    def run(
        self,
        slot: int,
        times: int = 1,
        *,
        prepare: int | None = None,
        strict: bool = True,
        deadline_s: float,
        spin_s: float = 0.0,
    ) -> Done:
        executions: list[Execution] = []
        for _ in range(times):
            if prepare is not None and (status := self._status(prepare)):
                return Done(tuple(executions), NotPrepared(prepare, status))
            executions.append(self._execution(slot, spin_s))
            if strict and executions[-1].status:
                break
        return Done(tuple(executions), None)

    def _execution(self, slot: int, spin_s: float) -> Execution:
        argv = self._argv[slot]
        sleeps = os.path.basename(argv[0]) == "sleep"
        nominal = 0.0005 if slot == NOTHING else float(argv[1]) if sleeps else 0.001
        wall_s = (nominal + spin_s) * self._process * TIME.noise.gauss(1.0, WITHIN)
        TIME.now += wall_s
        return Execution(
            wall_s=wall_s,
            cpu_s=wall_s / 2,
            peak_memory=2_000_000,
            voluntary_switches=1,
            involuntary_switches=0,
            status=0 if sleeps or slot == NOTHING else self._status(slot),
            left=False,
        )

    def _status(self, slot: int) -> int:
        return subprocess.run(
            self._argv[slot],
            cwd=self._cwd,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ).returncode

    def quit(self) -> None:
        pass

    def kill(self) -> None:
        pass


class VirtualTelemetry:
    """A machine on which nothing else happens."""

    def __init__(self, pid: int) -> None:
        pass

    def read(self) -> None:
        return None

    def close(self) -> None:
        pass


def install(seed: int) -> None:
    """For the rest of this process: commands run on virtual time, and so does the clock that a run goes by."""
    TIME.noise.seed(seed)
    time.monotonic = TIME.monotonic
    subject.RunningLauncher = VirtualLauncher  # type: ignore[misc,assignment]
    subject.TelemetryReader = VirtualTelemetry  # type: ignore[misc,assignment]
