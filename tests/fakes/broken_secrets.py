"""The program with one thing broken around the experiment secrets: `python -m tests.fakes.broken_secrets FAULT WORDS…`

What is broken is outside sectax (the service, the agent, a clock); the words are those of the program itself.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sectax.cli.main import main
from sectax.experiments.secrets import layers
from sectax.experiments.secrets.backend import Backend

AFTER = (
    5  # questions for the backend's counters, of which every visit asks two: in the middle of the pilot's first visits
)


def backend_down() -> None:
    asked, calls = itertools.count(), Backend.calls

    def killed(self: Backend) -> Any:
        if next(asked) == AFTER:
            os.kill(self._child.pid, signal.SIGKILL)
        return calls(self)

    Backend.calls = killed  # type: ignore[method-assign]


def agent_not_ready() -> None:
    """The layer's program ends at once, as one does that cannot have its port."""
    made = layers.sidecar

    def broken(folder: Path, *words: Any) -> str:
        archive = Path(made(folder, *words))
        place = folder / "broken"
        shutil.unpack_archive(archive, place)
        (place / "bin" / "aws_secretsmanager_agent").write_text("#!/bin/sh\nexit 1\n")
        for path in place.glob("*/*"):
            path.chmod(0o755)
        return str(shutil.make_archive(str(place), "zip", place))

    layers.sidecar = broken


def agent_killed() -> None:
    from tests.experiments.test_secrets import agents

    asked, calls = itertools.count(), Backend.calls

    def killed(self: Backend) -> Any:
        if next(asked) > AFTER:
            for pid in agents(os.getpid()):
                os.kill(pid, signal.SIGKILL)
        return calls(self)

    Backend.calls = killed  # type: ignore[method-assign]


def clock_jumps() -> None:
    """The time of day goes forward by a day and back again; the function's own tests do so inside it."""
    real, jumps = time.time, itertools.cycle((0, 86_400, -86_400))
    time.time = lambda: real() + next(jumps)


MARKER = "5ec7a85ec7a85ec7"


def marked() -> None:
    """Every secret of the run begins with a marker that can be looked for."""
    make = Backend.__init__

    def made(self: Backend, *words: Any, **more: Any) -> None:
        make(self, *words, **more)
        self._marker = MARKER

    Backend.__init__ = made  # type: ignore[method-assign]


FAULTS: dict[str, Callable[[], None]] = {
    "down": backend_down,
    "agent not ready": agent_not_ready,
    "agent killed": agent_killed,
    "clock jumps": clock_jumps,
    "marked": marked,
}

if __name__ == "__main__":
    FAULTS[sys.argv[1]]()
    sys.argv[1:2] = []
    main()
