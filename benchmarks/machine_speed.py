"""How the speed of this machine wanders: PHP processes that work in short batches without a pause, on one processor.

    python -m benchmarks.machine_speed [--batches 3000] [--seconds 20]

First how the batch times of one operation resemble each other at growing distances. Where neighbours resemble each
other and distant ones do not, arms that take turns quickly share the machine's speed, and those that take turns slowly
do not.

Then two unlike operations by turns: how much slower each is while the machine is slow, and how busy its other
processors and how large its steal were meanwhile. Where these are idle, the slowness comes from outside the (virtual)
machine, as from a neighbour on the sibling thread of the core; where the factors differ, the ratio of the two
operations depends on that neighbour, and no pairing takes it out.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.output import heading, table
from sectax.experiments.jwt.experiment import signature_subject
from sectax.experiments.jwt.keys import make_keys
from sectax.model.subject import Subject, Work

LEVELS = {"language": "php", "operation": "sign", "key_use": "parsed-once", "layer": "primitive"}
DISTANCES = (1, 2, 5, 10, 20, 50, 100, 300)
# About a millisecond of ES256 in PHP.
OPERATIONS = 40
SETTLING = 100
UNLIKE = ("RS256", "HS256")
WINDOW_S = 0.25
# A window is slow where the first of the two operations takes so many times longer than in the fastest tenth of them.
SLOW = 1.12


def signer(algorithm: str) -> Subject:
    subject = signature_subject(LEVELS | {"algorithm": algorithm}, make_keys([algorithm])).subject()
    subject.open()
    return subject


def operation_s(subject: Subject, count: int) -> float:
    return subject.visit(Work(count=count)).observations[0].value / count


def batch_times(batches: int) -> NDArray[np.float64]:
    """Seconds per operation of batches that follow each other, shape (batches,), the warm-up left out."""
    subject = signer("ES256")
    times = [operation_s(subject, OPERATIONS) for _ in range(batches + SETTLING)]
    subject.close()
    return np.array(times[SETTLING:])


@dataclass(frozen=True)
class Window:
    """A short while: the median seconds of each operation, and shares of the time of processors."""

    operations_s: tuple[float, float]
    others_busy: float
    steal: float


def windows(seconds: float) -> list[Window]:
    """What two unlike operations take, by turns on one processor, and what the others did meanwhile."""
    allowed = os.sched_getaffinity(0)
    own = min(allowed)
    os.sched_setaffinity(0, {own})
    try:
        subjects = [signer(algorithm) for algorithm in UNLIKE]
        counts = [max(1, round(0.0045 / min(operation_s(subject, 10) for _ in range(20)))) for subject in subjects]
        made = []
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            before, times, window_ends = _ticks(own), [], time.monotonic() + WINDOW_S
            while time.monotonic() < window_ends:
                times.append([operation_s(item, count) for item, count in zip(subjects, counts, strict=True)])
            busy, steal, passed = np.array(_ticks(own)) - np.array(before)
            first, second = np.median(times, axis=0)
            made.append(Window((first, second), busy / max(1, passed), steal / max(1, passed)))
        for subject in subjects:
            subject.close()
        return made
    finally:
        os.sched_setaffinity(0, allowed)


def _ticks(own: int) -> tuple[int, int, int]:
    """Busy ticks of the processors beside this one, steal of all, and the ticks that passed; see proc_stat(5)."""
    busy = steal = passed = 0
    for line in Path("/proc/stat").read_text().splitlines():
        name, *rest = line.split()
        if not name.startswith("cpu") or name == "cpu":
            continue
        ticks = [int(item) for item in rest[:8]]
        steal += ticks[7]
        if name == f"cpu{own}":
            passed = sum(ticks)
        else:
            busy += sum(ticks) - ticks[3] - ticks[4]
    return busy, steal, passed


def show_unlike(seconds: float) -> None:
    seen = windows(seconds)
    times = np.array([reading.operations_s for reading in seen])
    fast_s = np.quantile(times[:, 0], 0.1)
    slow = times[:, 0] > SLOW * fast_s
    rows = []
    for name, chosen in (("fast", ~slow), ("slow", slow)):
        if chosen.any():
            medians = np.median(times[chosen], axis=0)
            here = [item for item, is_chosen in zip(seen, chosen, strict=True) if is_chosen]
            rows.append(
                [
                    f"{name}, {100 * chosen.mean():.0f} % of windows",
                    *(f"{1e6 * median:.2f}" for median in medians),
                    f"{medians[0] / medians[1]:.1f}",
                    f"{100 * np.mean([item.others_busy for item in here]):.0f} %",
                    f"{100 * np.mean([item.steal for item in here]):.1f} %",
                ]
            )
    changes = int(np.count_nonzero(np.diff(slow.astype(int))))
    table(["", *(f"{item}, µs" for item in UNLIKE), "ratio", "other processors busy", "steal"], rows)
    print(f"{len(seen)} windows of {WINDOW_S:g} s, {changes} changes between fast and slow")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--batches", type=int, default=3000, help="of about 1 ms each, in each of three processes")
    parser.add_argument("--seconds", type=float, default=20, help="of the two operations by turns")
    arguments = parser.parse_args()
    heading("How the speed of this machine wanders")
    distances = [far for far in DISTANCES if far < arguments.batches]
    rows = []
    for process in range(3):
        times = batch_times(arguments.batches)
        logs = np.log(times) - np.log(times).mean()
        alike = [float((logs[far:] * logs[:-far]).mean() / logs.var()) for far in distances]
        spread = f"{100 * times.std() / times.mean():.1f} %"
        rows.append([str(process + 1), f"{1e6 * np.median(times):.2f}", spread, *(f"{item:.2f}" for item in alike)])
    table(["process", "median, µs", "spread", *(f"{far} ms" for far in distances)], rows)
    show_unlike(arguments.seconds)


if __name__ == "__main__":
    main()
