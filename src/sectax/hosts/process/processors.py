"""Binds a run to the least busy processor that no other sectax uses."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

_STAT = Path("/proc/stat")
# Long enough for ten ticks of the kernel's clock, which counts busy time.
_WATCH_S = 0.1
# Columns of idle time in proc_stat(5): idle and iowait.
_IDLE = (3, 4)


@dataclass(frozen=True)
class ChosenProcessor:
    """The subjects' processor, whether it is shared, and the other processors."""

    number: int
    shared: bool
    others: frozenset[int] = frozenset()


@contextlib.contextmanager
def on_one_processor(claims: Path) -> Iterator[ChosenProcessor]:
    """Bind this process and its children to one processor.

    Virtual processors are not equally busy, so different processors for baseline and treatment would show a cost that
    does not exist (docs/method-notes.md, 'One processor').

    Args:
        claims: folder with a lock file per processor, shared by all runs of this user.
    """
    allowed = os.sched_getaffinity(0)
    busy = _busy_shares(allowed)
    # The last of equally idle ones, since many kernels handle interrupts on the first.
    ranked = sorted(allowed, key=lambda number: (round(busy.get(number, 0.0), 1), -number))
    with contextlib.ExitStack() as held:
        chosen = next((number for number in ranked if _claimed(claims, number, held)), None)
        os.sched_setaffinity(0, {ranked[0] if chosen is None else chosen})
        try:
            number = ranked[0] if chosen is None else chosen
            yield ChosenProcessor(number, chosen is None, frozenset(allowed - {number} or allowed))
        finally:
            os.sched_setaffinity(0, allowed)


@contextlib.contextmanager
def pinned(numbers: Collection[int]) -> Iterator[None]:
    """Bind this process, and children started meanwhile, to these processors."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, numbers)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def move_threads(pid: int, processors: Collection[int]) -> None:
    """Bind all threads of a process to these processors, where permitted."""
    moved: set[str] = set()
    with contextlib.suppress(OSError):
        # Threads that are not moved yet may start others.
        while threads := set(os.listdir(f"/proc/{pid}/task")) - moved:
            for thread in threads:
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(int(thread), processors)
            moved |= threads


def unclaimed(claims: Path, numbers: Collection[int]) -> list[int]:
    """Those processors that no sectax uses now."""
    with contextlib.ExitStack() as held:
        return [number for number in sorted(numbers) if _claimed(claims, number, held)]


def _claimed(claims: Path, number: int, held: contextlib.ExitStack) -> bool:
    """Try to claim a processor; succeeds if locks do not work."""
    try:
        claims.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(claims / f"processor-{number}", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return False
    except OSError:
        os.close(fd)
        return True
    held.callback(os.close, fd)
    return True


def _busy_shares(numbers: set[int]) -> dict[int, float]:
    """Share of a short interval that each processor was busy; empty if unreadable."""
    before = _times(_STAT)
    if len(numbers) < 2 or not before:
        return {}
    time.sleep(_WATCH_S)
    after = _times(_STAT)
    shares = {}
    for number in numbers & before.keys() & after.keys():
        total, idle = (now - then for now, then in zip(after[number], before[number], strict=True))
        shares[number] = 1 - idle / total if total > 0 else 0.0
    return shares


def _times(stat: Path) -> dict[int, tuple[int, int]]:
    """Total and idle ticks of every processor."""
    try:
        lines = stat.read_text().splitlines()
    except OSError:
        return {}
    times = {}
    for line in lines:
        name, *ticks = line.split()
        if name.startswith("cpu") and name[3:].isdigit():
            counts = [int(tick) for tick in ticks[:8]]  # the others are included in user time
            times[int(name[3:])] = (sum(counts), sum(counts[column] for column in _IDLE))
    return times
