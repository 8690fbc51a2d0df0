"""The words of `--load KIND[:WORKERS]` and `--priority`, and the load that they mean."""

from __future__ import annotations

import contextlib
import os
from contextlib import AbstractContextManager
from dataclasses import dataclass

from benchmarks.load import Load
from benchmarks.load.kinds import KINDS, USUAL_WORKERS

# As far apart as a build at normal priority and a measurement under `nice`.
BETTER_BY = 10
_LONGEST_SESSION_S = 1800.0


@dataclass(frozen=True)
class Beside:
    """What runs beside a session.

    Attributes:
        kind: of benchmarks.load; empty for nothing.
        workers: how many.
        better: whether the load has the better priority.
    """

    kind: str = ""
    workers: int = 0
    better: bool = False

    def __str__(self) -> str:
        """As a table names it: `nothing`, `bursts:6`, `mixed:13, better priority`."""
        if not self.kind:
            return "nothing"
        return f"{self.kind}:{self.workers}{', better priority' if self.better else ''}"

    def load(self, seed: int) -> AbstractContextManager[Load | None]:
        """The load itself. Root raises its priority; any other user lowers sectax's (see `prefix`)."""
        if not self.kind:
            return contextlib.nullcontext()
        nice = -BETTER_BY if self.better and _is_root() else 0
        return Load(self.kind, self.workers, seconds=_LONGEST_SESSION_S, nice=nice, seed=seed)

    def prefix(self) -> list[str]:
        """Words before the measured program's."""
        return ["nice", "-n", str(BETTER_BY)] if self.better and not _is_root() else []


def read_beside(text: str, *, better: bool) -> Beside:
    """Raises ValueError for a kind that does not exist, or a number of workers that is not one."""
    kind, _, workers = text.partition(":")
    if kind not in KINDS:
        raise ValueError(f"there is no load {kind!r}: {', '.join(KINDS)}")
    if workers and not (workers.isascii() and workers.isdigit() and 1 <= int(workers) <= 64):
        raise ValueError(f"{workers!r} is not a number of workers from 1 to 64")
    return Beside(kind, int(workers) if workers else USUAL_WORKERS[kind], better)


def _is_root() -> bool:
    return os.geteuid() == 0
