"""Starts the workers of a load, and sees to it that they end."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.load.kinds import KINDS, Share

_PR_SET_PDEATHSIG = 1
_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class _Told(Exception):
    """A signal said to end."""


def supervise(kind: str, workers: int, seconds: float, nice: int, seed: int, *, with_stdin: bool) -> None:
    """Run a load until its time is over, a signal comes, or, with *with_stdin*, stdin ends.

    Says `ready` once all workers were started, and at the end how much CPU time they used.
    """
    began = time.monotonic()
    processors = tuple(sorted(os.sched_getaffinity(0)))
    children: list[int] = []
    try:
        with _told_by_signals():
            for number in range(workers):
                share = Share(number, workers, began, began + seconds, seed, processors)
                children.append(_start(kind, share, nice))
            print("ready", flush=True)
            _wait(began + seconds, children, with_stdin=with_stdin)
    except _Told:
        pass
    finally:
        failed = _end(children)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"used {used.ru_utime + used.ru_stime:.2f} s of CPU time in {time.monotonic() - began:.2f} s", flush=True)
    if failed:
        raise SystemExit(f"{failed} of {workers} workers of the load ended early; what they said stands above")


@contextlib.contextmanager
def _told_by_signals() -> Iterator[None]:
    def tell(number: int, frame: object) -> None:
        raise _Told

    previous = {number: signal.signal(number, tell) for number in _ENDING}
    try:
        yield
    finally:
        # From here on the workers are being ended: a second signal must not stop that.
        for number in previous:
            signal.signal(number, signal.SIG_IGN)


def _start(kind: str, share: Share, nice: int) -> int:
    supervisor = os.getpid()
    if (pid := os.fork()) != 0:
        return pid
    status = 1
    try:
        for number in _ENDING:
            signal.signal(number, signal.SIG_DFL)
        _end_with(supervisor)
        # Should all else fail.
        signal.alarm(math.ceil(share.until - time.monotonic()) + 1)
        _compete(nice)
        KINDS[kind](share)
        status = 0
    except (OSError, SystemExit) as error:
        print(f"{kind}, worker {share.number}: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(status)


def _end_with(supervisor: int) -> None:
    """Die when the supervisor does, also of SIGKILL."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != supervisor:
        os._exit(1)


def _compete(nice: int) -> None:
    """A session of its own, at the priority asked for.

    Kernels with autogroups (sched(7)) share processors among sessions first. sectax gives each probe a session of its
    own, so workers that shared one would count as a single competitor, and `nice` would mean nothing to the probe.
    """
    os.setsid()
    os.nice(nice)
    autogroup = Path("/proc/self/autogroup")
    if nice and autogroup.exists():
        with contextlib.suppress(OSError):  # the kernel lets users other than root write it every 100 ms at most
            autogroup.write_text(str(nice))


def _wait(until: float, children: list[int], *, with_stdin: bool) -> None:
    while (left := until - time.monotonic()) > 0:
        if not with_stdin:
            time.sleep(left)
        elif select.select([sys.stdin], [], [], left)[0] and not os.read(sys.stdin.fileno(), 4096):
            return


def _end(children: list[int]) -> int:
    """Kill each worker with what it started, and say how many had failed before."""
    failed = 0
    for pid in children:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            failed += status != 0
            continue
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return failed
