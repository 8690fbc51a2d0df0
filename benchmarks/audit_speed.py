"""How long the audit takes: each published study as the program is called, and a large CSV with its peak of memory.

python -m benchmarks.audit_speed [--runs 5] [--rows 10000000]
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import chain, islice, repeat
from pathlib import Path

from benchmarks.output import environment, heading, table, target

PROGRAM = str(Path(sys.executable).with_name("sectax"))
STUDY_AT_MOST_S = 1.0
ROWS_AT_MOST_S = 15.0  # for ten million
ROWS_AT_MOST_MIB = 1024.0


def audited(*words: str) -> float:
    """Seconds from start to end of one audit."""
    began = time.perf_counter()
    subprocess.run(
        [PROGRAM, "audit", *words], env=environment(), capture_output=True, stdin=subprocess.DEVNULL, check=True
    )
    return time.perf_counter() - began


def published_studies(runs: int) -> None:
    """Every study, *runs* times after one that fills the caches."""
    from sectax import published

    rows, slowest = [], 0.0
    for study in published.ids():
        times = [audited(f"published:{study}") for _ in range(runs + 1)][1:]
        rows.append([study, f"{statistics.median(times):.2f}", f"{max(times):.2f}"])
        slowest = max(slowest, *times)
    table(["published study", "median, s", "most, s"], rows, f"{runs} calls of the program")
    print()
    target("audit of a study", slowest, STUDY_AT_MOST_S, f"{slowest:.2f} s at most, at most {STUDY_AT_MOST_S:g} s")


def rows_of_a_csv(rows: int) -> None:
    """A CSV of two arms with *rows* values, in a process of its own, so that the peak of memory is that process's."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        source = random.Random(1)
        values = [f"{source.lognormvariate(0, 0.1):.6f}" for _ in range(9973)]
        endless = chain.from_iterable(repeat(values))
        with path.open("w") as file:
            file.write("arm,elapsed\n")
            for number, value in enumerate(islice(endless, rows)):
                file.write(f"{'ab'[number & 1]},{value}\n")
        took = audited(str(path), "--value", "elapsed", "--unit", "ms", "--by", "arm")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print()
    bound = ROWS_AT_MOST_S * rows / 10_000_000
    target(f"audit of {rows} rows of CSV", took, bound, f"{took:.1f} s, at most {bound:g} s")
    target("its peak of memory", peak, ROWS_AT_MOST_MIB, f"{peak:.0f} MiB, at most {ROWS_AT_MOST_MIB:g} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.audit_speed", description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="calls for each study (5)")
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the CSV (10000000)")
    given = parser.parse_args()
    heading("Speed of the audit")
    published_studies(given.runs)
    rows_of_a_csv(given.rows)


if __name__ == "__main__":
    main()
