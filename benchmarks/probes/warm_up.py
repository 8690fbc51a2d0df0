"""How the CPU time of an operation falls in a fresh process, by the seconds that it has worked.

    python -m benchmarks.probes.warm_up [--language java] [--seconds 4]

Beside it what the pilot makes of it: the seconds that a block works a process before anything counts.
"""

from __future__ import annotations

import argparse
import statistics

from benchmarks.output import heading, table
from benchmarks.probes.cases import Case, opened
from sectax.calibration.warming import Warming, warmed
from sectax.experiments.jwt.keys import make_keys
from sectax.experiments.on_probe.subject import BATCH_CPU
from sectax.model.subject import Work

ALGORITHMS = ("RS256", "HS256", "ES256", "EdDSA")
MARKS_S = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
VISIT_S = 0.004


def costs(language: str, case: Case, inputs: dict[str, str], seconds: float) -> list[float | None]:
    """The median CPU seconds of an operation between each mark and the one before it."""
    subject = opened(language, case, inputs)
    try:
        seen, count, worked_s = [], 1, 0.0
        while worked_s < seconds:
            spent_s = subject.visit(Work(count)).elapsed_s(BATCH_CPU)
            worked_s += spent_s
            seen.append((worked_s, spent_s / count))
            count = max(1, min(8 * count, round(VISIT_S * count / max(spent_s, 1e-6))))
    finally:
        subject.kill()
    between = zip((0.0, *MARKS_S), MARKS_S, strict=False)
    groups = [[cost for worked_s, cost in seen if low < worked_s <= high] for low, high in between]
    return [statistics.median(group) if group else None for group in groups]


def pilot(language: str, case: Case, inputs: dict[str, str]) -> Warming:
    subject = opened(language, case, inputs)
    try:
        return warmed(lambda count: subject.visit(Work(count)).elapsed_s(BATCH_CPU), 5.0)
    finally:
        subject.kill()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.probes.warm_up", description=__doc__.splitlines()[0])
    parser.add_argument("--language", default="java")
    parser.add_argument("--seconds", type=float, default=MARKS_S[-1], help="of CPU time for each operation (4)")
    given = parser.parse_args()

    heading(f"The warm-up of {given.language}")
    inputs = make_keys(ALGORITHMS)
    rows = []
    for case in [Case(algorithm, operation) for algorithm in ALGORITHMS for operation in ("sign", "verify")]:
        found = pilot(given.language, case, inputs)
        seen = costs(given.language, case, inputs, given.seconds)
        shown = ["" if cost is None else f"{1e6 * cost:.3g}" for cost in seen]
        rows.append([str(case), *shown, f"{found.seconds:.2f} s" if found.ended else f"over {found.seconds:.2f} s"])
    header = ["CPU µs per operation", *(f"to {mark:g} s" for mark in MARKS_S), "the pilot works it for"]
    table(header, rows, "medians of visits of about 4 ms, in one fresh process")


if __name__ == "__main__":
    main()
