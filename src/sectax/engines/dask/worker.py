"""Functions run by Dask workers: facts, and jobs in fresh processes.

They do not raise, and arguments are `Sealed`: Dask logs the arguments of failed tasks.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sectax import __version__
from sectax.hosts.process.child import Child
from sectax.hosts.process.errors import ChildError, ChildSilent
from sectax.hosts.process.host import host_circumstances, host_identity
from sectax.hosts.process.processors import move_threads
from sectax.hosts.registry import host
from sectax.parts.cache import state_folder

# A job's answer is one line; a block of a million observations is shorter.
LINE_LIMIT = 256 * 1024 * 1024
# Interval at which a worker checks whether its job was cancelled.
_POLL_S = 0.5


class Sealed:
    """Bytes that may contain a key: no log, dashboard or message shows them."""

    __slots__ = ("content",)

    def __init__(self, content: bytes) -> None:
        self.content = content

    def __repr__(self) -> str:
        return f"<{len(self.content)} sealed bytes>"

    def __reduce__(self) -> tuple[type[Sealed], tuple[bytes]]:
        return Sealed, (self.content,)


@dataclass(frozen=True)
class JobFailure:
    reason: str


def worker_facts() -> dict[str, str]:
    python = {"sectax": __version__, "sectax.folder": os.getcwd()}
    return host_identity() | host_circumstances() | {"host.name": platform.node()} | python


def run_job(job: Sealed, module: str, lock: str, limit_s: float) -> Sealed | JobFailure:
    """Run a job in a fresh process, once no other one runs on this host.

    Args:
        module: program that reads the job as a line from stdin, and writes its answer as a line.
        lock: name of the host's lock.
        limit_s: time limit, including waiting for other jobs.
    """
    deadline = time.monotonic() + limit_s
    before = os.sched_getaffinity(0)
    wanted = is_wanted()
    try:
        with host_lock(lock, deadline, wanted):
            return _answer(job, module, deadline, wanted)
    except JobAbandoned as error:
        return JobFailure(str(error))
    except (ChildError, OSError) as error:
        return JobFailure(f"its process ended: {error}" if isinstance(error, ChildError) else f"{error.strerror}")
    finally:
        move_threads(os.getpid(), before)


class JobAbandoned(Exception):
    """A job was not done; the message is the reason."""


def _answer(job: Sealed, module: str, deadline: float, wanted: Callable[[], bool]) -> Sealed:
    child: Child = host().start([sys.executable, "-m", module], line_limit=LINE_LIMIT)
    with child:
        child.send(job.content + b"\n", deadline)
        while True:
            try:
                return Sealed(child.receive_line(min(deadline, time.monotonic() + _POLL_S)).rstrip(b"\n"))
            except ChildSilent:
                if not wanted():
                    raise JobAbandoned("it was cancelled") from None
                if time.monotonic() >= deadline:
                    raise JobAbandoned("it exceeded its time limit") from None


@contextlib.contextmanager
def host_lock(lock: str, deadline: float, wanted: Callable[[], bool]) -> Iterator[None]:
    """Hold this host's lock, shared by all runs of this user. Raises `JobAbandoned`."""
    folder: Path = state_folder() / "hosts"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(folder / lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not wanted() or time.monotonic() >= deadline:
                    raise JobAbandoned("another run measures on this host") from None
                time.sleep(0.05)
        yield
    finally:
        os.close(fd)


def is_wanted() -> Callable[[], bool]:
    """Function that checks whether this thread's task is still wanted."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state == "executing"

    return wanted
