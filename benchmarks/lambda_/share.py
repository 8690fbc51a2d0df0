"""The share of a processor as a caller of the local Lambda sees it: how long work lasts, alone and back to back.

    python -m benchmarks.lambda_.share [--rounds 5]

A function takes 20 to 300 ms of CPU time at four memory sizes, by turns, each after a rest of 0.1 s and then back to
back. After a rest its Duration is shown beside what a quota of memory/1769 in periods of 20 ms gives for the CPU time
of its instance. Where events follow each other back to back: all CPU time by the time from the first event to the last
answer. Needs root, or delegated control groups.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import Any, NamedTuple

from benchmarks.lambda_.sandbox import MEMORY_MB, WORKS_S, by_quota
from benchmarks.lambda_.service import deploy
from benchmarks.output import heading, table
from lambda_local.sandbox import VCPU_MB, vcpus
from sectax.experiments.on_lambda.local_lambda import LocalLambda, measured

REST_S = 0.1
SHORT_S, SHORT_TURNS = 0.05, 3  # what is this long at most is repeated so many times as often
CHAIN = 8  # events back to back
FUNCTION = """
import time
def work(turns):
    while turns:
        turns -= 1
def handler(event, context):
    used = time.process_time()
    work(event["turns"])
    return time.process_time() - used
"""


class Seen(NamedTuple):
    """Seconds: the Duration, CPU time of the instance, and the work by the function's own clock of CPU time."""

    duration: float
    cpu: float
    used: float


class Functions:
    """One function at every memory size."""

    def __init__(self, local: LocalLambda) -> None:
        self._client: Any = local.client()
        for memory in MEMORY_MB:
            deploy(self._client, f"share-{memory}", memory, FUNCTION)
        for _ in range(10):  # CPython specialises a function's bytecode
            for memory in MEMORY_MB:
                self.call(memory, 100)
        turns = 1_000_000
        self._turns_per_s = turns / statistics.median(self.call(VCPU_MB, turns).used for _ in range(5))

    def work(self, memory: int, seconds: float) -> Seen:
        """Have the function of this memory take so much CPU time."""
        return self.call(memory, round(seconds * self._turns_per_s))

    def call(self, memory: int, turns: int) -> Seen:
        raw = self._client.invoke(FunctionName=f"share-{memory}", Payload=json.dumps({"turns": turns}))
        told, used = measured(raw), json.load(raw["Payload"])
        if told.cpu_time_s is None or not isinstance(used, float):
            raise SystemExit(f"the function answered {used}, and its CPU time is {told.cpu_time_s}")
        return Seen(told.duration_s, told.cpu_time_s, used)


def rested(functions: Functions, rounds: int) -> dict[tuple[float, int], list[Seen]]:
    """Work after a rest, by its length and the memory; shorter work is cheaper to repeat."""
    seen: dict[tuple[float, int], list[Seen]] = {}
    for turn in range(SHORT_TURNS * rounds):
        for work_s in WORKS_S:
            if work_s > SHORT_S and turn % SHORT_TURNS:
                continue
            for memory in MEMORY_MB:
                time.sleep(REST_S)
                seen.setdefault((work_s, memory), []).append(functions.work(memory, work_s))
    return seen


def chained(functions: Functions) -> dict[tuple[float, int], float]:
    """The share of a processor in CHAIN events back to back: CPU time by the time from first to last."""
    shares = {}
    for work_s in WORKS_S[:2]:
        for memory in MEMORY_MB[:3]:
            time.sleep(REST_S)
            began, used = time.perf_counter(), 0.0
            for _ in range(CHAIN):
                used += functions.work(memory, work_s).cpu
            shares[work_s, memory] = used / (time.perf_counter() - began)
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lambda_.share", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="turns of every work at every memory size (5)")
    given = parser.parse_args()
    heading("The share of a processor, by Duration")
    with LocalLambda() as local:
        functions = Functions(local)
        seen = rested(functions, given.rounds)
        shares = chained(functions)
    rows = []
    for (work_s, memory), works in seen.items():
        duration = statistics.median(work.duration for work in works)
        promised = statistics.median(by_quota(work.cpu, memory) for work in works)
        off = statistics.median(work.duration / by_quota(work.cpu, memory) for work in works) - 1
        ends = f"{1e3 * promised:.1f}", f"{1e3 * duration:.1f}", f"{100 * off:+.1f} %"
        rows.append([f"{1e3 * work_s:.0f} ms at {memory} MB", *ends])
    table(["ms", "by the quota", "Duration", "off"], rows, f"after a rest of {REST_S:g} s, medians")
    rows = [
        [f"{1e3 * work_s:.0f} ms at {memory} MB", f"{100 * vcpus(memory):.1f} %", f"{100 * share:.1f} %"]
        for (work_s, memory), share in shares.items()
    ]
    table(["work", "memory/1769", "share"], rows, f"{CHAIN} events back to back")


if __name__ == "__main__":
    main()
