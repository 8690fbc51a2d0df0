"""Does an operation cost the same in short turns as in long ones, where the others leave their caches behind?

    python -m benchmarks.turn_length [--seconds 40] [--language php]

Four algorithms take turns on one processor as in a block of `jwt`, each turn after a settling one of half its length:
1.5 ms as there, 4.5 ms, and 15 ms. Stretches of equal time with either length alternate. Prints the CPU time of an
operation over that in the longest turns, with an interval of 95 % over the stretches, and how much the log ratio to the
first algorithm varies from stretch to stretch: what the length is chosen for.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np

from benchmarks.duet import cpu_s, opened, pin
from benchmarks.output import heading, table
from sectax.experiments.on_probe.experiment import BATCH_S
from sectax.stats.student import mean_interval

ALGORITHMS = ("RS256", "HS256", "ES256", "EdDSA")
LENGTHS_S = (BATCH_S, 3 * BATCH_S, 10 * BATCH_S)
STRETCH_S = 0.3


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=40.0, help="in all (40)")
    parser.add_argument("--language", default="php", help="of the probe: php or python")
    given = parser.parse_args()
    subjects = {name: opened(name, given.language) for name in ALGORITHMS}
    processor = min(os.sched_getaffinity(0))
    for subject, _ in subjects.values():
        pin(subject, processor)
    operation_s = {name: min(cpu_s(subject, count) for _ in range(20)) for name, (subject, count) in subjects.items()}
    logs: dict[float, list[list[float]]] = {length: [] for length in LENGTHS_S}
    ends = time.monotonic() + given.seconds
    while time.monotonic() < ends:
        for length, found in logs.items():
            until, seen = time.monotonic() + STRETCH_S, []
            while time.monotonic() < until:
                turn = {name: max(1, round(length / operation_s[name])) for name in ALGORITHMS}
                seen.append([cpu_s(subject, turn[name]) for name, (subject, _) in subjects.items()])
            found.append(np.log(np.mean(seen, axis=0)).tolist())
    for subject, _ in subjects.values():
        subject.close()
    longest = np.array(logs[LENGTHS_S[-1]])
    rows = []
    for length, found in logs.items():
        for place, name in enumerate(ALGORITHMS):
            own = np.array(found)
            interval = mean_interval(own[:, place] - longest[:, place], 0.95)
            over = "1" if length == LENGTHS_S[-1] else f"{np.exp(interval.point):.3f}"
            if interval.low is not None and interval.high is not None and interval.low < interval.high:
                over += f" ({np.exp(interval.low):.3f} to {np.exp(interval.high):.3f})"
            ratio = (own[:, place] - own[:, 0]).std(ddof=1)
            rows.append([f"{1e3 * length:g} ms", name, over, f"{100 * ratio:.2f} %" if place else "–"])
    heading(f"An operation in turns of other lengths, {given.language}")
    table(["turn", "algorithm", "over the longest turns", "spread of the ratio"], rows)


if __name__ == "__main__":
    main()
