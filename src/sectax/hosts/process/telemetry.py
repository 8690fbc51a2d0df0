"""Kernel telemetry of a process: CPU time, queue delay, throttling, steal.

Readings are taken before and after every batch, so they must be cheap: files stay open and are read with `pread`, and
only threads that have run are read. Unreadable values are missing, never zero.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from sectax.hosts.process.cgroups import ENOUGH, SharedCounters, cgroup_folders, number_after, open_counter

# Limit of open status files; a JVM starts dozens of threads that never run, and open files are limited.
_STATUSES_KEPT = 4
# The last CPU in /proc/PID/stat, counted after the name in parentheses (field 39 in proc_pid_stat(5)).
_LAST_CPU = 36


class ThreadReading(NamedTuple):
    """One thread since its start; None means unreadable."""

    run_ns: int | None
    delay_ns: int | None
    voluntary: int | None
    involuntary: int | None


@dataclass(frozen=True, slots=True)
class TelemetryReading:
    """Counters at one time, for differences."""

    cpu_time_ns: int | None
    threads: dict[int, ThreadReading] | None
    steal_ticks: int | None
    throttled_ns: int | None
    throttled_periods: int | None
    frequency_hz: float | None


_NOTHING = TelemetryReading(None, None, None, None, None, None)


class TelemetryReader:
    """Reads the counters of one process; to be closed."""

    def __init__(self, pid: int, root: Path = Path("/")) -> None:
        """Args: process; root of the file system, for tests."""
        self._pid = pid
        self._proc = root / f"proc/{pid}"
        # The clock ID that clock_getcpuclockid(3) returns: CPU time of all threads, including ended ones.
        self._cpu_clock = (~pid << 3) | 2
        self._schedstats: dict[int, int] = {}
        self._statuses: dict[int, int] = {}
        self._threads: dict[int, ThreadReading] = {}
        self._last = _NOTHING
        self._number = 0  # of threads, in the last status read
        self._unreadable = False  # some thread is unreadable, so sums would be too small
        self._shared: SharedCounters | None = SharedCounters.of(root, tuple(cgroup_folders(pid, "cpu", root)))
        self._cpus = root / "sys/devices/system/cpu"
        self._has_frequency = (self._cpus / "cpu0/cpufreq/scaling_cur_freq").exists()

    def close(self) -> None:
        fds = [*self._schedstats.values(), *self._statuses.values()]
        self._schedstats, self._statuses = {}, {}
        self._shared = None
        for fd in fds:
            os.close(fd)

    def read(self, allow_cached: bool = False) -> TelemetryReading:
        """Read the counters; never raises.

        Args:
            allow_cached: whether shared counters may be a millisecond old, as between visits that follow each other.
        """
        if self._shared is None:
            return _NOTHING
        last = self._last
        cpu_time_ns = self._read_cpu_time()
        if cpu_time_ns is not None and cpu_time_ns == last.cpu_time_ns:
            threads, frequency_hz = last.threads, last.frequency_hz  # no thread has run
        else:
            threads, busiest = self._read_threads()
            frequency_hz = self._read_frequency(busiest) if self._has_frequency else None
        self._last = TelemetryReading(cpu_time_ns, threads, *self._shared.read(allow_cached), frequency_hz)
        return self._last

    def processors(self) -> int:
        """Number of processors available to the process; all if it has ended."""
        try:
            return len(os.sched_getaffinity(self._pid))
        except OSError:
            return os.cpu_count() or 1

    def _read_cpu_time(self) -> int | None:
        try:
            return time.clock_gettime_ns(self._cpu_clock)
        except OSError:
            return None

    def _read_threads(self) -> tuple[dict[int, ThreadReading] | None, int]:
        """All threads, and the ID of the busiest one since the last reading."""
        busiest, longest = self._pid, 0
        alive = number = len(self._threads)
        for tid, before in self._threads.items():
            now = self._read_thread(tid, before)
            if now is None:
                alive -= 1
            elif now is not before:
                self._threads[tid] = now
                number = self._number  # only running threads start others
                if (now.run_ns or 0) - (before.run_ns or 0) > longest:
                    busiest, longest = tid, (now.run_ns or 0) - (before.run_ns or 0)
        if alive != number or not alive:
            self._find_threads()
        return (dict(self._threads) if self._threads and not self._unreadable else None), busiest

    def _find_threads(self) -> None:
        try:
            present = {int(name) for name in os.listdir(self._proc / "task")}
        except OSError:
            present = set()
        for tid in self._threads.keys() - present:
            del self._threads[tid]
            for files in (self._schedstats, self._statuses):
                if tid in files:
                    os.close(files.pop(tid))
        self._unreadable = False
        for tid in present - self._threads.keys():
            schedstat = open_counter(self._proc / f"task/{tid}/schedstat")
            if schedstat is not None:
                self._schedstats[tid] = schedstat
            if len(self._statuses) < _STATUSES_KEPT:
                status = open_counter(self._proc / f"task/{tid}/status")
                if status is not None:
                    self._statuses[tid] = status
            reading = self._read_thread(tid, None)
            if reading is not None:
                self._threads[tid] = reading
            elif (self._proc / f"task/{tid}").exists():  # too many open files
                self._unreadable = True

    def _read_thread(self, tid: int, before: ThreadReading | None) -> ThreadReading | None:
        """Read a thread; returns *before* if it has not run since, None if it has ended."""
        run_ns = delay_ns = None
        schedstat = self._schedstats.get(tid)
        if schedstat is not None:
            try:
                # "time spent on the cpu, time spent waiting on a runqueue, number of timeslices", nanoseconds
                # (Documentation/scheduler/sched-stats.rst)
                run, delay, _ = os.pread(schedstat, ENOUGH, 0).split()
            except (OSError, ValueError):
                return None
            run_ns, delay_ns = int(run), int(delay)
            if before is not None and before.run_ns == run_ns:
                return before
        status = self._read_status(tid)
        if status is None:
            return None
        self._number = number_after(status, b"\nThreads:") or 0
        return ThreadReading(
            run_ns,
            delay_ns,
            number_after(status, b"\nvoluntary_ctxt_switches:"),
            number_after(status, b"\nnonvoluntary_ctxt_switches:"),
        )

    def _read_status(self, tid: int) -> bytes | None:
        open_fd = self._statuses.get(tid)
        fd = open_counter(self._proc / f"task/{tid}/status") if open_fd is None else open_fd
        if fd is None:
            return None
        try:
            return os.pread(fd, ENOUGH, 0)
        except OSError:
            return None
        finally:
            if open_fd is None:
                os.close(fd)

    def _read_frequency(self, tid: int) -> float | None:
        with contextlib.suppress(OSError, ValueError, IndexError):
            stat = (self._proc / f"task/{tid}/stat").read_bytes()
            cpu = int(stat[stat.rindex(b")") + 1 :].split()[_LAST_CPU])
            return int((self._cpus / f"cpu{cpu}/cpufreq/scaling_cur_freq").read_bytes()) * 1000.0
        return None


def difference(before: TelemetryReading, after: TelemetryReading) -> dict[str, float]:
    """Difference of two readings of a process. Unreadable keys are absent.

    Keys:
        cpu_time_s: CPU time of all threads.
        run_queue_delay_s: time that ready threads waited for a CPU, without threads that ended in between.
        voluntary_switches, involuntary_switches: likewise.
        steal_s: time that the hypervisor ran other guests, on all CPUs, in kernel ticks.
        throttled_s, throttled_periods: sum over the process's CPU cgroup and its visible ancestors.
        frequency_hz: of the busiest thread's last CPU, at *after*.
    """
    threads = _thread_difference(before.threads, after.threads)
    run_queue_delay_s = None if threads.delay_ns is None else threads.delay_ns * 1e-9
    candidates: dict[str, float | None] = {
        "cpu_time_s": _subtract(before.cpu_time_ns, after.cpu_time_ns, 1e-9),
        "run_queue_delay_s": run_queue_delay_s,
        "voluntary_switches": threads.voluntary,
        "involuntary_switches": threads.involuntary,
        "steal_s": _subtract(before.steal_ticks, after.steal_ticks, 1.0 / os.sysconf("SC_CLK_TCK")),
        "throttled_s": _subtract(before.throttled_ns, after.throttled_ns, 1e-9),
        "throttled_periods": _subtract(before.throttled_periods, after.throttled_periods),
        "frequency_hz": after.frequency_hz,
    }
    return {name: float(value) for name, value in candidates.items() if value is not None}


def _thread_difference(
    before: dict[int, ThreadReading] | None, after: dict[int, ThreadReading] | None
) -> ThreadReading:
    if before is None or after is None:
        return ThreadReading(None, None, None, None)
    sums: list[int | None] = [0, 0, 0, 0]
    for tid, now in after.items():
        earlier = before.get(tid)
        if earlier is now:
            continue
        if earlier is not None and (earlier.run_ns or 0) > (now.run_ns or 0):
            earlier = None  # the ID was reused
        for index, value in enumerate(now):
            start = 0 if earlier is None else earlier[index]
            total = sums[index]
            sums[index] = None if value is None or start is None or total is None else total + value - start
    return ThreadReading(*sums)


def _subtract(before: int | None, after: int | None, unit: float = 1.0) -> float | None:
    return None if before is None or after is None else (after - before) * unit


class NoTelemetry:
    """Implements `sectax.hosts.registry.Telemetry` without any counters."""

    def __init__(self, processors: int = 1) -> None:
        self._processors = processors

    def read(self, allow_cached: bool = False) -> TelemetryReading:
        return _NOTHING

    def processors(self) -> int:
        return self._processors

    def close(self) -> None:
        """Do nothing."""


class SharedTelemetry:
    """Counters of the machine only (steal), for a program started by another program."""

    def __init__(self, inner: TelemetryReader) -> None:
        self._inner = inner

    def read(self, allow_cached: bool = False) -> TelemetryReading:
        return replace(self._inner.read(allow_cached), cpu_time_ns=None, threads=None, frequency_hz=None)

    def processors(self) -> int:
        return self._inner.processors()

    def close(self) -> None:
        self._inner.close()
