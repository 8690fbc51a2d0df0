"""A real Dask scheduler and real workers, as `dask scheduler` and `dask worker` start them, with their logs."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

DASK = [sys.executable, "-m", "dask"]
_COMES_S = 60.0


class RealCluster:
    """One scheduler and its workers on loopback. Leaving it ends them."""

    def __init__(self, folder: Path, *, tls: Sequence[str] = (), host: str = "127.0.0.1", prefix: Sequence[str] = ()):
        self.folder = folder
        self._tls = tuple(tls)
        self._host = host
        self._prefix = tuple(prefix)
        self._environment = os.environ | {
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
            "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false",
            "SECTAX_STATE": str(folder / "state"),
        }
        self.port = 0
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self.logs: list[Path] = []

    @property
    def on(self) -> str:
        """What `--on` is given."""
        return f"dask://{self._host}:{self.port}"

    def __enter__(self) -> Self:
        self.start_scheduler()
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers, *([self.scheduler] if self.scheduler else [])):
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def start_scheduler(self) -> None:
        """Start it; a second one takes the place of the first, at the same port."""
        log = self.folder / f"scheduler-{len(self.logs)}.log"
        words = ["scheduler", "--host", self._host, "--port", str(self.port), "--dashboard-address", ":0"]
        self.scheduler = self._start([*words, *self._tls], log)
        said = _wait_for(log, "Scheduler at:", self.scheduler)
        self.port = int(said.partition("Scheduler at:")[2].split()[0].rpartition(":")[2])

    def add_worker(self, *words: str, prefix: Sequence[str] = (), wait: bool = True) -> subprocess.Popen[bytes]:
        """Start a worker, behind the words of another program where it is to live on a machine of its own."""
        log = self.folder / f"worker-{len(self.logs)}.log"
        address = f"{'tls' if self._tls else 'tcp'}://{self._host}:{self.port}"
        own = ["worker", address, "--no-dashboard", "--nthreads", "4", "--memory-limit", "0", *self._tls, *words]
        local = self.folder / f"scratch-{len(self.logs)}"
        worker = self._start([*own, "--local-directory", str(local)], log, prefix)
        self.workers.append(worker)
        if wait:
            _wait_for(log, "Registered to:", worker)
        return worker

    def said(self) -> str:
        """All that scheduler and workers have written."""
        return "".join(log.read_text(errors="replace") for log in self.logs)

    def _start(self, words: Sequence[str], log: Path, prefix: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        self.logs.append(log)
        with log.open("wb") as out:
            return subprocess.Popen(
                [*(prefix or self._prefix), *DASK, *words],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=self._environment,
            )


def _wait_for(log: Path, text: str, process: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + _COMES_S
    while time.monotonic() < deadline:
        said = log.read_text(errors="replace")
        if text in said:
            return said
        assert process.poll() is None, said
        time.sleep(0.05)
    raise AssertionError(f"{log} never said {text!r}: {log.read_text(errors='replace')}")


@contextlib.contextmanager
def two_workers(folder: Path) -> Iterator[RealCluster]:
    """A scheduler and two workers of this machine, which are one host."""
    with RealCluster(folder) as cluster:
        cluster.add_worker("--no-nanny", wait=False)
        cluster.add_worker("--no-nanny")
        for log in cluster.logs[1:]:
            _wait_for(log, "Registered to:", cluster.workers[0])
        yield cluster
