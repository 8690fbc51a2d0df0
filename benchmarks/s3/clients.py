"""boto3 beside the Go client: latency and CPU time of the same operations; and the memory of a GET of 100 MB.

    python -m benchmarks.s3.clients [--rounds 8] [--operations 60]

Both clients are open at once in every round, and work in random order on the same server over TLS.
"""

from __future__ import annotations

import argparse
import os
import random
from statistics import median

from benchmarks.output import heading, ratio, table, target
from benchmarks.s3.served import GO, PYTHON, opened, served
from sectax.model.subject import Work
from sectax.stats.student import PointInterval, geometric_mean_interval

OPERATIONS = ("get", "put")
SIZES = {"10 KB": 10_000, "1 MB": 1_000_000}
LARGE = 100_000_000
MOST_MEMORY = 20e6

_Times = list[tuple[float, float]]  # latency and CPU time of one operation, in seconds, by round


def over(ours: _Times, others: _Times, place: int) -> PointInterval:
    return geometric_mean_interval([a[place] / b[place] for a, b in zip(ours, others, strict=True)], 0.95)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--operations", type=int, default=60)
    asked = parser.parse_args()
    heading("boto3 beside aws-sdk-go-v2")
    rows = []
    with served() as on:
        for operation in OPERATIONS:
            for size, size_bytes in SIZES.items():
                seen: dict[str, _Times] = {GO: [], PYTHON: []}
                for _ in range(asked.rounds):
                    for client in random.sample(list(seen), len(seen)):
                        with opened(on.spec(client, operation, size_bytes)) as subject:
                            visit = subject.visit(Work(asked.operations, settle=5))
                        latency = median(
                            observation.value for observation in visit.observations if observation.metric == "latency"
                        )
                        cpu = next(
                            observation for observation in visit.observations if observation.metric == "client_cpu"
                        )
                        seen[client].append((latency, cpu.value / cpu.count))
                milliseconds = [f"{1e3 * median(one[0] for one in seen[item]):.2f}" for item in (GO, PYTHON)]
                more = f"{1e3 * median(b[1] - a[1] for a, b in zip(seen[GO], seen[PYTHON], strict=True)):.2f}"
                latencies, cpus = (ratio(over(seen[PYTHON], seen[GO], place)) for place in (0, 1))
                rows.append([f"{operation.upper()} {size}", *milliseconds, latencies, cpus, more])
        with opened(on.spec(GO, "get", LARGE)) as subject:
            visit = subject.visit(Work(3))
            memory = max(
                observation.value for observation in visit.observations if observation.metric == "client_memory"
            )
    header = ["", "Go, ms", "boto3, ms", "boto3 over Go", "CPU time, boto3 over Go", "CPU time more, ms"]
    table(header, rows, "Latency to the last byte, and CPU time of the client")
    print(f"\n  load of the machine at the end {os.getloadavg()[0]:.1f}")
    shown = f"{memory / 1e6:.1f} MB, at most {MOST_MEMORY / 1e6:g}"
    target("memory of the Go client at a GET of 100 MB", memory, MOST_MEMORY, shown)


if __name__ == "__main__":
    main()
