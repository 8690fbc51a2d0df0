"""The share of a processor as a caller of the local Lambda sees it: Durations of work, with and without an exact share.

    python -m benchmarks.lambda_.share [--rounds 5]

A function takes 20 to 300 ms of CPU time at four memory sizes, by turns, each after a rest of 0.1 s and then back to
back. After a rest its Duration is judged by what a quota of memory/1769 in periods of 20 ms gives for the CPU time of
its instance. Shown beside it: all CPU time together by all the time from the first event to the last answer, where they
follow each other back to back; work that waits, and work that fits into one quota. Needs root, or delegated control
groups.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks.lambda_.sandbox import MEMORY_MB, WITHIN, WORKS_S, by_quota
from benchmarks.lambda_.service import deploy
from benchmarks.output import heading, table, target
from lambda_local.sandbox import VCPU_MB, vcpus
from sectax.experiments.on_lambda.local_lambda import LocalLambda, measured

REST_S = 0.1
SHORT_S, SHORT_TURNS = 0.05, 3  # what is this long at most is repeated so many times as often
CHAIN = 8  # events back to back
WAITING, WAIT_S = 3, 0.1  # repetitions of work that waits
TINY_S = 0.0007  # with the runtime's own 0.4 ms less than the quota of 128 MB
FUNCTION = """
import time
def work(turns):
    while turns:
        turns -= 1
def handler(event, context):
    time.sleep(event["before"])
    began, used = time.perf_counter(), time.process_time()
    work(event["turns"])
    took, used = time.perf_counter() - began, time.process_time() - used
    time.sleep(event["after"])
    return [took, used]
"""


class Seen(NamedTuple):
    """Seconds: the Duration, CPU time of the instance, how long the caller waited, and the work by its own clocks."""

    duration: float
    cpu: float
    caller: float
    held: float
    took: float
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

    def work(self, memory: int, seconds: float, before: float = 0.0, after: float = 0.0) -> Seen:
        """Have the function of this memory take so much CPU time."""
        return self.call(memory, round(seconds * self._turns_per_s), before, after)

    def call(self, memory: int, turns: int, before: float = 0.0, after: float = 0.0) -> Seen:
        event = json.dumps({"turns": turns, "before": before, "after": after})
        began = time.perf_counter()
        raw = self._client.invoke(FunctionName=f"share-{memory}", Payload=event)
        caller = time.perf_counter() - began
        told, answer = measured(raw), json.load(raw["Payload"])
        if told.cpu_time_s is None or not isinstance(answer, list):
            raise SystemExit(f"the function answered {answer}, and its CPU time is {told.cpu_time_s}")
        return Seen(told.duration_s, told.cpu_time_s, caller, told.held_s or 0.0, *answer)


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


def off(seen: Sequence[Seen], memory: int) -> float:
    """How far Durations are from what the quota gives, as a share of it; the median."""
    return statistics.median(invocation.duration / by_quota(invocation.cpu, memory) for invocation in seen) - 1


def show_rested(free: dict[tuple[float, int], list[Seen]], exact: dict[tuple[float, int], list[Seen]]) -> None:
    rows = []
    for (work_s, memory), with_ in exact.items():
        without = free[work_s, memory]
        promised = statistics.median(by_quota(item.cpu, memory) for item in with_)
        rows.append(
            [
                f"{1e3 * work_s:.0f} ms at {memory} MB",
                *(
                    f"{1e3 * value:.1f}"
                    for value in (
                        promised,
                        statistics.median(invocation.duration for invocation in without),
                        statistics.median(invocation.duration for invocation in with_),
                        statistics.median(item.took for item in with_),
                        statistics.median(invocation.caller - invocation.duration for invocation in with_),
                    )
                ),
                f"{100 * off(without, memory):+.1f} %",
                f"{100 * off(with_, memory):+.1f} %",
            ]
        )
    header = [
        "ms",
        "by the quota",
        "Duration",
        "Duration, exact",
        "work's own clock",
        "caller's more",
        "off",
        "off, exact",
    ]
    table(header, rows, f"after a rest of {REST_S:g} s, medians of {len(min(exact.values(), key=len))} or more")


def show_waiting(functions: Functions) -> None:
    """Work that waits is held for its work alone, and what fits into one quota not at all."""
    rows = []
    for words, work_s, before, after in (
        (f"{1e3 * TINY_S:g} ms", TINY_S, 0.0, 0.0),
        (f"{1e3 * WAIT_S:.0f} ms of waiting, then 20 ms", 0.02, WAIT_S, 0.0),
        (f"20 ms, then {1e3 * WAIT_S:.0f} ms of waiting", 0.02, 0.0, WAIT_S),
        ("1 s of waiting, then 20 ms", 0.02, 1.0, 0.0),
    ):
        for memory in MEMORY_MB[:3]:
            seen = []
            for _ in range(WAITING):
                time.sleep(REST_S)
                seen.append(functions.work(memory, work_s, before, after))
            ideal = statistics.median(before + after + by_quota(item.cpu, memory) for item in seen)
            shown = (
                ideal,
                statistics.median(invocation.duration for invocation in seen),
                max(item.held for item in seen),
            )
            rows.append([f"{words} at {memory} MB", *(f"{1e3 * value:.1f}" for value in shown)])
    table(
        ["ms", "waiting + by the quota", "Duration, exact", "held, most"], rows, "waiting, and tiny work; medians of 5"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lambda_.share", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="turns of every work at every memory size (5)")
    given = parser.parse_args()
    heading("The share of a processor, by Duration")
    with LocalLambda() as local, LocalLambda(exact_share=True) as held:
        free, exact = Functions(local), Functions(held)
        show_rested(rested(free, given.rounds), seen := rested(exact, given.rounds))
        show_waiting(exact)
        chains = [chained(functions) for functions in (free, exact)]
    rows = [
        [f"{1e3 * work_s:.0f} ms at {memory} MB", *(f"{100 * share:.1f} %" for share in (vcpus(memory), *shares))]
        for (work_s, memory), shares in zip(
            chains[0], zip(*(chain.values() for chain in chains), strict=True), strict=True
        )
    ]
    table(["work", "memory/1769", "share", "share, exact"], rows, f"{CHAIN} events back to back")
    print()
    for (work_s, memory), item in seen.items():
        missed = off(item, memory)
        said = f"{100 * missed:+.1f} % off what the quota gives, at most {100 * WITHIN:g}"
        target(f"{1e3 * work_s:.0f} ms at {memory} MB", abs(missed), WITHIN, said)


if __name__ == "__main__":
    main()
