"""How the CPU time of an operation falls in a fresh process, by the seconds that it has worked.

    python -m benchmarks.probes.warm_up [--language java] [--seconds 2.4]

Beside it what the pilot makes of it: the seconds that a block works a process before anything counts. Both are of one
process for each operation, on one processor as in a run, which ends after 6 seconds of work at the latest.
"""

from __future__ import annotations

import argparse
import os
import statistics

from benchmarks.output import heading, table
from benchmarks.probes.cases import Case, opened
from sectax.calibration.warming import Warming, run_until_warm
from sectax.experiments.jwt.keys import make_keys
from sectax.experiments.on_probe.subject import BATCH_CPU
from sectax.model.subject import Work
from sectax.parts import probes

ALGORITHMS = ("RS256", "HS256", "ES256", "EdDSA")
MARKS_S = (0.05, 0.1, 0.2, 0.4, 0.8, 1.2, 1.6, 2.4)
VISIT_S = 0.004
LONGEST_S = 5.0


def watched(
    language: str, case: Case, inputs: dict[str, str], seconds: float
) -> tuple[list[float | None], Warming]:
    """The median CPU seconds of an operation between each mark and the one before it, and what the pilot finds."""
    subject = opened(language, case, inputs)
    seen: list[tuple[float, float]] = []

    def read(count: int) -> float:
        spent_s = subject.visit(Work(count)).elapsed_s(BATCH_CPU)
        seen.append(((seen[-1][0] if seen else 0.0) + spent_s, spent_s / count))
        return spent_s

    try:
        found = run_until_warm(read, LONGEST_S, probes.load(language).manifest.compiles_for_s)
        while seen[-1][0] < seconds:
            read(max(1, round(VISIT_S / seen[-1][1])))
    finally:
        subject.kill()
    between = zip((0.0, *MARKS_S), MARKS_S, strict=False)
    groups = [[cost for worked_s, cost in seen if low < worked_s <= high] for low, high in between]
    return [statistics.median(group) if group else None for group in groups], found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.probes.warm_up", description=__doc__.splitlines()[0])
    parser.add_argument("--language", default="java")
    parser.add_argument("--seconds", type=float, default=MARKS_S[-1], help="of CPU time for each operation (2.4)")
    given = parser.parse_args()

    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    heading(f"The warm-up of {given.language}")
    inputs = make_keys(ALGORITHMS)
    rows = []
    for case in [Case(algorithm, operation) for algorithm in ALGORITHMS for operation in ("sign", "verify")]:
        seen, found = watched(given.language, case, inputs, given.seconds)
        shown = ["" if cost is None else f"{1e6 * cost:.3g}" for cost in seen]
        rows.append([str(case), *shown, f"{found.seconds:.2f} s" if found.ended else f"over {found.seconds:.2f} s"])
    header = ["CPU µs per operation", *(f"to {mark:g} s" for mark in MARKS_S), "the pilot works it for"]
    table(header, rows, "medians of visits of 2 to 50 ms, in one fresh process")


if __name__ == "__main__":
    main()
