"""What sectax adds to a run of sysbench: the same test bare and through sectax, in turns, by sysbench's own clock.

    python -m benchmarks.confidential.own_cost [--pairs 40] [--seconds 1]

'ratio' is the time through sectax over the time without it, with Student's t interval over pairs; each pair is measured
in both orders. 'own CPU time' is what sectax's process uses while sysbench runs, as a share of that time: it needs no
quiet machine, and is what could take anything away from sysbench.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import time

from benchmarks.output import heading, near_one, table, target
from sectax.experiments.confidential.output import read_result
from sectax.experiments.confidential.subject import SysbenchSpec, SysbenchSubject
from sectax.experiments.confidential.sysbench_tests import TESTS
from sectax.model.subject import Work
from sectax.stats.student import geometric_mean_interval

AT_MOST = 0.005
TESTED = ("sysbench-cpu", "sysbench-memory-write", "sysbench-threads")
_BLOCK = 64 * 2**20
_LONGEST_S = 120
_FOLDER = "/var/tmp"  # noqa: S108 - where sectax runs it too


def bare(test: str, count: int) -> float:
    words = TESTS[test].arguments(count, _BLOCK, _LONGEST_S)
    # In a session of its own, as sectax starts it: the kernel shares processors out between sessions.
    done = subprocess.run(
        ["sysbench", *words], capture_output=True, text=True, check=True, cwd=_FOLDER, start_new_session=True
    )
    return read_result(done.stdout).total_s


def own_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def through(subject: SysbenchSubject, count: int) -> tuple[float, float]:
    """Seconds by sysbench's clock, and the share of the visit in which this process ran."""
    cpu_s, began = own_cpu_s(), time.monotonic()
    (observed, *_) = subject.visit(Work(count)).observations
    passed_s = time.monotonic() - began
    return observed.value, (own_cpu_s() - cpu_s) / passed_s


def measure(test: str, pairs: int, seconds: float) -> None:
    count = max(1, int(seconds / (bare(test, 20) / 20)))
    subject = SysbenchSpec("local", test, _BLOCK, _LONGEST_S).subject()
    subject.open()
    ratios: list[float] = []
    shares: list[float] = []
    try:
        for pair in range(pairs):
            if pair % 2:
                with_it, share = through(subject, count)
                without = bare(test, count)
            else:
                without = bare(test, count)
                with_it, share = through(subject, count)
            ratios.append(with_it / without)
            shares.append(share)
    finally:
        subject.kill()
    heading(f"sysbench {test}, {count} operations, {pairs} pairs")
    interval = geometric_mean_interval(ratios, 0.95)
    table(
        ("ratio", "95 % interval", "own CPU time"),
        [
            (
                f"{interval.point:.4f}",
                f"{interval.low:.4f} to {interval.high:.4f}" if interval.low and interval.high else "none",
                f"{100 * max(shares):.3f} % at most",
            )
        ],
    )
    near_one(f"sysbench {test} through sectax over bare", interval, AT_MOST)
    target(f"own CPU time during sysbench {test}", max(shares), AT_MOST, f"{100 * max(shares):.3f} %")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.confidential.own_cost",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one batch")
    given = parser.parse_args()
    if shutil.which("sysbench") is None:
        print("not measured: sysbench is not installed")
        return 0
    for test in TESTED:
        measure(test, given.pairs, given.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
