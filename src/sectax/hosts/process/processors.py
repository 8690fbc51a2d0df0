"""Which processor a run stays on: the least busy one, and not one that another sectax measures on."""

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
# Columns of a processor's line in proc_stat(5) that are idle time: idle and iowait.
_IDLE = (3, 4)


@dataclass(frozen=True)
class Chosen:
    """The processor of the subjects, whether another sectax measures on it too, and the processors that are left."""

    number: int
    shared: bool
    others: frozenset[int] = frozenset()


@contextlib.contextmanager
def on_one_processor(claims: Path) -> Iterator[Chosen]:
    """Keep this process, and with it those that it starts, on one of the processors that it may use.

    Processors that are shared with other machines are not equally busy, so a process that stays on another one than
    its baseline shows a cost that does not exist (docs/method-notes.md, 'One processor').

    Args:
        claims: a folder of this user in which every sectax locks a file for the processor that it measures on. The
            kernel releases the lock when it ends, however it ends.
    """
    allowed = os.sched_getaffinity(0)
    busy = _busy_shares(allowed)
    # Among equally idle ones the last, since many kernels serve interrupts on the first.
    ranked = sorted(allowed, key=lambda number: (round(busy.get(number, 0.0), 1), -number))
    with contextlib.ExitStack() as held:
        chosen = next((number for number in ranked if _claimed(claims, number, held)), None)
        os.sched_setaffinity(0, {ranked[0] if chosen is None else chosen})
        try:
            number = ranked[0] if chosen is None else chosen
            # Where there is no other one, all work is done on the only one.
            yield Chosen(number, chosen is None, frozenset(allowed - {number} or allowed))
        finally:
            os.sched_setaffinity(0, allowed)


@contextlib.contextmanager
def among(numbers: Collection[int]) -> Iterator[None]:
    """Keep this process, and those that it starts meanwhile, on these processors."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, numbers)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def move_threads(pid: int, processors: Collection[int]) -> None:
    """Keep all threads of a process of this user on these processors; what cannot be moved stays."""
    moved: set[str] = set()
    with contextlib.suppress(OSError):
        # A thread that is not moved yet may start others, which begin where it is.
        while threads := set(os.listdir(f"/proc/{pid}/task")) - moved:
            for thread in threads:
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(int(thread), processors)
            moved |= threads


def unclaimed(claims: Path, numbers: Collection[int]) -> list[int]:
    """Those of these processors that no sectax measures on now."""
    with contextlib.ExitStack() as held:
        return [number for number in sorted(numbers) if _claimed(claims, number, held)]


def _claimed(claims: Path, number: int, held: contextlib.ExitStack) -> bool:
    """Whether the processor is ours now. Where no file can be locked nobody can be noticed, and that is no trouble."""
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
    """The share of a short while that each processor worked for anybody; empty where it cannot be read."""
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
    """Of every processor its ticks in all, and those that it was idle."""
    try:
        lines = stat.read_text().splitlines()
    except OSError:
        return {}
    times = {}
    for line in lines:
        name, *ticks = line.split()
        if name.startswith("cpu") and name[3:].isdigit():
            counts = [int(tick) for tick in ticks[:8]]  # what follows is counted in user time already
            times[int(name[3:])] = (sum(counts), sum(counts[place] for place in _IDLE))
    return times
