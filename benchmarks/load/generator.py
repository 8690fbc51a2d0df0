"""A load around a measurement: the command line's, as a context manager."""

from __future__ import annotations

import subprocess
import sys
from types import TracebackType

from benchmarks.load.kinds import KINDS, USUAL_WORKERS
from benchmarks.output import ROOT

_GRACE_S = 20.0


class LoadFailed(Exception):
    """The load could not be started, or did not last; with what it said."""


class Load:
    """Runs beside what stands in the `with`, for at most *seconds*; ends when this process dies, too."""

    def __init__(
        self, kind: str, workers: int | None = None, *, seconds: float = 600, nice: int = 0, seed: int = 1
    ) -> None:
        """Raises ValueError for a kind that does not exist."""
        if kind not in KINDS:
            raise ValueError(f"there is no load {kind!r}: {', '.join(KINDS)}")
        self.kind, self.workers = kind, workers or USUAL_WORKERS[kind]
        self.cpu_s: float | None = None  # used by the workers; known once they have ended
        words = [kind, "--workers", self.workers, "--seconds", seconds, "--nice", nice, "--seed", seed, "--with-stdin"]
        self._command = [sys.executable, "-m", "benchmarks.load", *map(str, words)]
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Load:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        assert self._process.stdout is not None
        if self._process.stdout.readline() != "ready\n":
            raise LoadFailed(f"the load did not start: {self._stop()[-300:]}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        said = self._stop()
        if kind is None and (self._process is None or self._process.returncode):
            raise LoadFailed(f"the load failed: {said[-300:]}")

    @property
    def pid(self) -> int:
        """Of the process whose children are the workers."""
        assert self._process is not None
        return self._process.pid

    def _stop(self) -> str:
        assert self._process is not None
        try:
            printed, said = self._process.communicate("", timeout=_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            printed, said = self._process.communicate()
        words = printed.split()
        self.cpu_s = float(words[1]) if words[:1] == ["used"] else None
        return said
