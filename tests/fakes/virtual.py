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
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sectax.experiments.command import launcher, subject
from sectax.experiments.command.launchers import NOTHING
from sectax.hosts.process.host import LocalHost
from sectax.hosts.process.telemetry import TelemetryReading
from sectax.record import writer

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


class VirtualHost(LocalHost):
    """This machine, where launchers are `VirtualLauncher`s and nothing else happens."""

    def start(self, argv: Sequence[str], *, cwd: str | Path | None = None, **_: object) -> VirtualLauncher:  # type: ignore[override]
        return VirtualLauncher(cwd)

    def telemetry(self, child: object) -> VirtualTelemetry:  # type: ignore[override]
        return VirtualTelemetry()


class VirtualLauncher:
    """Stands in for the process of a launcher: its own loop answers, but what it executes takes virtual time."""

    def __init__(self, cwd: str | Path | None) -> None:
        self.pid = os.getpid()
        self.stderr_tail = b""
        self.saw_memory_kill = False
        self._cwd = cwd
        self._programs: dict[int, launcher.Program] = {}
        self._environment = dict(os.environb)
        self._answers: deque[str] = deque()
        self._process = TIME.noise.gauss(1.0, BETWEEN)

    def send(self, lines: bytes, deadline: float) -> None:
        launcher._programs, launcher._environment = self._programs, self._environment
        launcher._execute = self._execute
        for line in lines.decode().splitlines():
            request, *words = line.split()
            if request == "hello":
                self._answers.append("launcher 1 1 20")  # steps of a nanosecond, and 20 to read it
            elif request != "quit" and (answer := launcher._answer(request, words)) is not None:
                self._answers.append(answer)

    def receive_line(self, deadline: float) -> bytes:
        return self._answers.popleft().encode() + b"\n"

    def wait(self, deadline: float) -> int:
        return 0

    def close(self, grace: float) -> int:
        return 0

    def _execute(self, program: launcher.Program, deadline_ns: int, spin_ns: int) -> launcher.Ended:
        sleeps = os.path.basename(program.argv[0]) == b"sleep"
        nothing = program is self._programs.get(NOTHING)
        nominal = 0.0005 if nothing else float(program.argv[1]) if sleeps else 0.001
        wall_s = (nominal + spin_ns * 1e-9) * self._process * TIME.noise.gauss(1.0, WITHIN)
        TIME.now += wall_s
        ended = launcher.Ended()
        ended.wall_ns = round(wall_s * 1e9)
        # Of the fields of getrusage(2): half of it on a CPU, 2 MB at its peak, one voluntary switch.
        ended.usage = (wall_s / 2, 0.0, 2000, *[0] * 11, 1, 0)
        ended.status = 0 if sleeps or nothing else self._status(program)
        return ended

    def _status(self, program: launcher.Program) -> int:
        """As `wait` has it."""
        status = subprocess.run(
            program.argv,
            cwd=self._cwd,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ).returncode
        return -status if status < 0 else status << 8


class VirtualTelemetry:
    """A machine on which nothing else happens."""

    def read(self) -> TelemetryReading:
        return TelemetryReading(None, None, None, None, None, None)

    def close(self) -> None:
        pass


def install(seed: int) -> None:
    """For the rest of this process: commands run on virtual time, and so do the clocks that a run goes by."""
    TIME.noise.seed(seed)
    began = datetime.now(UTC) - timedelta(seconds=TIME.now)
    writer._now = lambda: (began + timedelta(seconds=TIME.now)).isoformat(timespec="milliseconds")
    time.monotonic = TIME.monotonic
    subject.host = lambda name: VirtualHost()
