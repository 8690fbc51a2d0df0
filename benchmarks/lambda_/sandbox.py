"""The sandbox of a function instance: what it takes to make one, and whether memory buys the CPU share that it should.

    python -m benchmarks.lambda_.sandbox [--rounds 6] [--instances 40]

The work is a loop of a fixed number of turns that takes 20 to 300 ms of CPU time. Instances of all
memory sizes take turns, each with a full quota. Shown is elapsed time by the CPU time of the same work, so that the
machine's speed cancels, beside a quota of memory/1769 in periods of 20 ms. Short work is less than 1769/memory times as
long: the part that fits into its last period is not held back. Judged is the longest work alone, since this is the
kernel's own quota, which shorter work overruns; `benchmarks.lambda_.share` judges the exact one. Needs root.
"""

from __future__ import annotations

import argparse
import atexit
import functools
import math
import os
import select
import statistics
import sys
import time
from pathlib import Path

from benchmarks.output import heading, table, target
from lambda_local.sandbox import PERIOD_US, VCPU_MB, Counters, Instance, Limits, Mount, leave, vcpus
from lambda_local.work_folder import WorkFolder, new_folder

WORK_S = 0.3  # of the calibration
WORKS_S = (0.02, 0.05, 0.1, 0.3)
FULL_AGAIN_S = 0.05  # two periods and a half: the quota is full when work begins, as after an idle gap
FREEZES = 500

MEMORY_MB = (128, 512, 1024, VCPU_MB)
WITHIN = 0.03
# Calls: CPython 3.11 specialises a function's bytecode at its eighth, and runs this one 25 % faster from then on.
WARM_UP = 10
COLD_START_MS = 50.0  # of the 300 ms that a cold start may add to the runtime's own
_PYTHON = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info[1]}"

# Reads a number of turns per line and answers with the seconds that they took, elapsed and of CPU time.
_WORKER = """
import sys, time
def work(turns):
    while turns:
        turns -= 1
for line in sys.stdin:
    began, used = time.perf_counter(), time.process_time()
    work(int(line))
    print(time.perf_counter() - began, time.process_time() - used, flush=True)
"""
# stdin of a program in an instance is empty, so the worker takes a connection for it.
_CONNECT = "import os, socket; s = socket.create_connection(('127.0.0.1', 9001)); os.dup2(s.fileno(), 0)\n"


@functools.cache
def owner() -> WorkFolder:
    """The folder of this process."""
    folder = new_folder()
    atexit.register(leave, folder)
    return folder


class Worker:
    """An instance with a worker in it."""

    def __init__(self, memory_mb: int, cpu: float) -> None:
        base = Path(sys.base_prefix)
        mounts = [] if base.is_relative_to("/usr") else [Mount(base, str(base))]
        self.instance = Instance.create(owner(), "benchmark", Limits(memory_mb, cpu), mounts)
        reading, writing = os.pipe()
        with self.instance.listen("127.0.0.1", 9001) as server:
            argv = [str(_PYTHON), "-I", "-S", "-c", _CONNECT + _WORKER]
            self.instance.start(argv, {}, "/", writing, 2)
            os.close(writing)
            self._turns, _ = server.accept()
        self._answers = os.fdopen(reading)

    def work(self, turns: int) -> tuple[float, float]:
        """Seconds by the clocks inside: elapsed, and of CPU time."""
        self._turns.sendall(f"{turns}\n".encode())
        elapsed, used = self._answers.readline().split()
        return float(elapsed), float(used)

    def close(self) -> Counters:
        counters = self.instance.groups.counters()
        self._turns.close()
        self._answers.close()
        self.instance.destroy()
        return counters


def life(instances: int) -> dict[str, list[float]]:
    """Milliseconds of each step, for each instance."""
    taken: dict[str, list[float]] = {"create": [], "start": [], "destroy": []}
    for number in range(-3, instances):
        marks = [time.perf_counter()]
        instance = Instance.create(owner(), "benchmark", Limits(VCPU_MB, 1.0), [])
        marks.append(time.perf_counter())
        process = instance.start(["/bin/true"], {}, "/", 1, 2)
        marks.append(time.perf_counter())
        select.select([process], [], [])
        ended = time.perf_counter()
        instance.destroy()
        marks.append(marks[-1] + time.perf_counter() - ended)
        if number >= 0:
            for name, before, after in zip(taken, marks, marks[1:], strict=False):
                taken[name].append((after - before) * 1e3)
    taken["create + start"] = [a + b for a, b in zip(taken["create"], taken["start"], strict=True)]
    return taken


def freezing(times: int) -> list[float]:
    """Microseconds that the owner takes to freeze and thaw an instance with a program in it."""
    worker = Worker(VCPU_MB, 1.0)
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        worker.instance.groups.freezer.freeze()
        worker.instance.groups.freezer.thaw()
        taken.append((time.perf_counter() - began) * 1e6)
        worker.work(100)
    worker.close()
    return taken


def calibrated(worker: Worker) -> int:
    """The turns that take WORK_S of CPU time."""
    turns = 1_000_000
    for _ in range(WARM_UP):
        worker.work(turns // 100)
    typical = statistics.median(worker.work(turns)[1] for _ in range(5))
    return round(turns * WORK_S / typical)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--instances", type=int, default=40)
    arguments = parser.parse_args()

    heading("The sandbox of a function instance")
    taken = life(arguments.instances)
    rows = []
    for name, values in taken.items():
        deciles = statistics.quantiles(values, n=10, method="inclusive")
        rows.append([name, f"{statistics.median(values):.1f}", f"{deciles[8]:.1f}", f"{max(values):.1f}"])
    table(["ms", "p50", "p90", "max"], rows, f"{arguments.instances} instances, one after the other")
    added = statistics.median(taken["create + start"])
    target("create + start, p50", added, COLD_START_MS, f"{added:.1f} ms, at most {COLD_START_MS:g}")

    taken_us = freezing(FREEZES)
    deciles = statistics.quantiles(taken_us, n=10)
    table(["µs", "p50", "p90"], [["freeze + thaw", f"{deciles[4]:.0f}", f"{deciles[8]:.0f}"]], f"{FREEZES} times")

    shares(arguments.rounds)


def by_quota(used_s: float, memory_mb: int) -> float:
    """Seconds that work of so much CPU time lasts where it begins with a full quota, and its quota is exact.

    A quota of memory/1769 in every period: what fits into the last one is not held back.
    """
    period_s = PERIOD_US / 1e6
    quota_s = vcpus(memory_mb) * period_s
    if quota_s >= period_s:
        return used_s
    whole = math.ceil(used_s / quota_s) - 1  # periods that it uses up
    return whole * period_s + used_s - whole * quota_s


def shares(rounds: int) -> None:
    """Elapsed time by the CPU time of the same work, for each length of work and each memory size, by turns."""
    free = Worker(VCPU_MB, float(len(os.sched_getaffinity(0))))
    workers = {memory: Worker(memory, vcpus(memory)) for memory in MEMORY_MB}
    turns = calibrated(free)
    free.close()
    for worker in workers.values():
        for _ in range(WARM_UP):
            worker.work(turns // 1000)
    seen: dict[tuple[float, int], list[tuple[float, float]]] = {}
    for _ in range(rounds):
        for work_s in WORKS_S:
            for memory, worker in workers.items():
                time.sleep(FULL_AGAIN_S)
                seen.setdefault((work_s, memory), []).append(worker.work(round(turns * work_s / WORK_S)))
    throttled = {memory: worker.close() for memory, worker in workers.items()}
    rows, off = [], {}
    for (work_s, memory), times in seen.items():
        ratios = [elapsed / used for elapsed, used in times]
        promised = statistics.median(by_quota(used, memory) / used for _, used in times)
        off[work_s, memory] = statistics.median(elapsed / by_quota(used, memory) for elapsed, used in times) - 1
        numbers = (VCPU_MB / memory, promised, statistics.median(ratios), min(ratios), max(ratios))
        cells = [*(f"{number:.3f}" for number in numbers), f"{100 * off[work_s, memory]:+.1f} %"]
        rows.append([f"{1e3 * work_s:.0f} ms at {memory} MB", *cells])
    header = ["work", "1769/memory", "by the quota", "seen", "least", "most", "off"]
    table(header, rows, f"times as long as its CPU time, medians of {rounds} rounds")
    periods = ", ".join(
        f"{report.throttled_periods}/{report.periods} at {memory} MB" for memory, report in throttled.items()
    )
    print(f"\n  throttled periods: {periods}")
    for (work_s, memory), share in off.items():
        said = f"{100 * share:+.1f} % off what the quota gives, at most {100 * WITHIN:g}"
        if work_s == WORK_S:
            target(f"{1e3 * work_s:.0f} ms at {memory} MB", abs(share), WITHIN, said)


if __name__ == "__main__":
    main()
