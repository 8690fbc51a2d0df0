"""What a byte costs in the MAC of the function at 1769 MB, beside the same call in a plain Python process.

    python -m benchmarks.hmac_mac [--blocks 12] [--rounds 12]

The function is `functions/hmac_authorizer` in the local Lambda, which says itself how long its call of
`hmac.new(key, data, "sha512").hexdigest().encode()` took. The plain process is a bare one of the same interpreter: it
is sent the same event through a pipe, parses it, makes the bytes of its data as the function does, and times the
call; then it times the call on the same bytes again, which is what timeit's loop shows.

Each block has a new instance and a new process. In each round every size is visited twice by either, in random order
and then in the mirrored one. A block's time is the mean of its visits; a + b·size is fitted to a block's times, with
the size that of the data (Base64 text, 4/3 of the payload). Ratios of b are geometric means over blocks, with
Student's t in logs (95 %). Needs root, or delegated control groups.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.output import heading, near_one, ratio, table
from lambda_local.runtimes.registry import find
from lambda_local.sandbox.limits import VCPU_MB
from sectax.experiments.advice import line
from sectax.experiments.hmac.levels import PAYLOADS
from sectax.experiments.hmac.subjects import FUNCTION, Events, new_inputs
from sectax.experiments.on_lambda import functions
from sectax.experiments.on_lambda.local_lambda import LocalLambda, measured
from sectax.stats.student import PointInterval, geometric_mean_interval, mean_interval

SIZES = ("100KiB", "500KiB", "1MiB", "3MiB")
WITHIN = 0.05
# Rounds that are not counted: a new instance's first calls touch memory that it did not have before.
WARM_UP = 2
IN_FUNCTION, PLAIN, AGAIN = "function", "plain", "plain, again"

# Reads events, each after a line with its length, and answers with the nanoseconds of the call and of its repetition.
# `answer` lets go of an event before the next one comes, as Lambda's runtime client does.
_PLAIN = """
import hmac, json, os, sys, time
shared_key, clock = os.environ["SHARED_KEY"].encode(), time.perf_counter_ns
def answer(content):
    event = json.loads(content)
    salt, data = event["key"].encode(), event["data"].encode()
    key = hmac.new(shared_key, salt, "sha512").hexdigest().encode()
    begun = clock()
    mac = hmac.new(key, data, "sha512").hexdigest().encode()
    first = clock() - begun
    begun = clock()
    hmac.new(key, data, "sha512").hexdigest().encode()
    print(first, clock() - begun, mac.decode() == event["token"], flush=True)
while length := sys.stdin.buffer.readline():
    answer(sys.stdin.buffer.read(int(length)))
"""

Times = Mapping[str, Sequence[float]]  # arm -> seconds of a call at each size, means over a block


class Fit(NamedTuple):
    """One arm's a + b·size in one block: seconds, and seconds per byte of data."""

    fixed: float
    per_byte: float


def fitted(sizes: Sequence[int], times: Times) -> dict[str, Fit]:
    """Each arm's line in a block."""
    return {arm: Fit(*line(np.array(sizes, dtype=np.float64), np.array(own))) for arm, own in times.items()}


class Deployed:
    """The function in the local Lambda. Counts the quota's periods, and those in which it ran out."""

    def __init__(self, client: Any, shared_key: str) -> None:
        function = functions.load(FUNCTION, "python")
        self.runtime = function.runtime
        self.periods = self.throttled = 0
        self.instances: set[str] = set()
        self._client = client
        client.create_function(
            FunctionName=FUNCTION,
            Runtime=function.runtime,
            Handler=function.handler,
            Role="arn:aws:iam::000000000000:role/local",
            Code={"ZipFile": functions.build(FUNCTION, "python").read_bytes()},
            MemorySize=VCPU_MB,
            Timeout=60,
            Environment={
                "Variables": {
                    "SHARED_KEY": shared_key,
                    "TREATMENT": "hmac-sha512",
                    "PAYLOAD": "opaque",
                    "ANATOMY": "1",
                }
            },
        )

    def renew(self, block: int) -> None:
        """Have the next event meet a new instance: another configuration retires the one that there is."""
        self._client.update_function_configuration(FunctionName=FUNCTION, Description=f"block {block}")

    def visit(self, event: bytes) -> dict[str, float]:
        """Seconds of the MAC by the function's own clock."""
        raw = self._client.invoke(FunctionName=FUNCTION, Payload=event)
        answer, met = json.load(raw["Payload"]), measured(raw)
        if answer.get("isAuthorized") is not True:
            raise SystemExit(f"the function answered {answer}")
        self.periods += met.periods or 0
        self.throttled += met.throttled_periods or 0
        self.instances.add(met.instance)
        return {IN_FUNCTION: answer["anatomy"]["mac_ns"] / 1e9}


class Plain:
    """A bare Python process that makes the same call."""

    def __init__(self, program: Path, shared_key: str) -> None:
        self._process = subprocess.Popen(
            [program, "-I", "-S", "-c", _PLAIN],
            env={"SHARED_KEY": shared_key},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> Plain:
        return self

    def __exit__(self, *why: object) -> None:
        self._process.communicate()

    def visit(self, event: bytes) -> dict[str, float]:
        """Seconds of the first call on the data's bytes, and of the second."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"%d\n%b" % (len(event), event))
        self._process.stdin.flush()
        match self._process.stdout.readline().split():
            case [first, again, b"True"]:
                return {PLAIN: int(first) / 1e9, AGAIN: int(again) / 1e9}
        raise SystemExit("the plain process ended, or found another token")


def one_block(function: Deployed, plain: Plain, events: Sequence[bytes], rounds: int) -> Times:
    """Mean seconds of each arm at each size."""
    sums = {arm: np.zeros(len(events)) for arm in (IN_FUNCTION, PLAIN, AGAIN)}
    for turn in range(-WARM_UP, rounds):
        for size in random.sample(range(len(events)), len(events)):
            order: list[Deployed | Plain] = random.sample([function, plain], 2)
            for subject in (*order, *reversed(order)):
                for arm, seconds in subject.visit(events[size]).items():
                    if turn >= 0:
                        sums[arm][size] += seconds
    return {arm: (total / (2 * rounds)).tolist() for arm, total in sums.items()}


def between(values: Sequence[Mapping[str, float]], arm: str, other: str) -> PointInterval:
    """The ratio of two arms over blocks."""
    return geometric_mean_interval([value[arm] / value[other] for value in values], 0.95)


def microseconds(interval: PointInterval) -> str:
    """`3.1 (2.0 to 4.2)`."""
    if interval.low is None or interval.high is None:
        return f"{interval.point:.1f}"
    return f"{interval.point:.1f} ({interval.low:.1f} to {interval.high:.1f})"


def show(sizes: Sequence[int], blocks: Sequence[Times]) -> None:
    """The lines of each arm, the times at each size, and whether the target is reached."""
    fits = [fitted(sizes, times) for times in blocks]
    slopes = [{arm: fit.per_byte for arm, fit in item.items()} for item in fits]
    rows = []
    for arm in blocks[0]:
        per_byte = geometric_mean_interval([1e9 * slope[arm] for slope in slopes], 0.95)
        fixed = mean_interval([1e6 * fit[arm].fixed for fit in fits], 0.95)
        beside = "–" if arm == IN_FUNCTION else ratio(between(slopes, IN_FUNCTION, arm))
        rows.append([arm, ratio(per_byte), microseconds(fixed), beside])
    table(
        ["a + b·size", "b, ns per byte of data", "a, µs", "function's b / this b"],
        rows,
        "The call's time by the bytes of data",
    )
    rows = []
    for index, (name, size) in enumerate(zip(SIZES, sizes, strict=True)):
        times = [{arm: own[index] for arm, own in block.items()} for block in blocks]
        means = [geometric_mean_interval([1e6 * time_s[arm] for time_s in times], 0.95).point for arm in blocks[0]]
        ratios = [ratio(between(times, IN_FUNCTION, other)) for other in (PLAIN, AGAIN)]
        rows.append([name, str(size), *(f"{mean:.1f}" for mean in means), *ratios])
    header = ["payload", "data, bytes", *(f"{arm}, µs" for arm in blocks[0]), "function / plain", "function / again"]
    table(header, rows, f"The call at each size, {len(blocks)} blocks")
    print()
    near_one("b of the function / b of the same call in a plain process", between(slopes, IN_FUNCTION, PLAIN), WITHIN)
    near_one("b of the function / b of the call on the same bytes again", between(slopes, IN_FUNCTION, AGAIN), WITHIN)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hmac_mac", description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=12, help="new instances and processes (12)")
    parser.add_argument("--rounds", type=int, default=12, help="in each block, every size visited twice (12)")
    given = parser.parse_args()
    if min(given.blocks, given.rounds) < 1:
        parser.error("at least one block and one round are needed")

    heading("The MAC in the function beside the same call in a plain process")
    inputs = new_inputs()
    events = [Events(inputs).of("hmac-sha512", PAYLOADS[size]) for size in SIZES]
    sizes = [len(json.loads(event)["data"]) for event in events]
    with LocalLambda() as local:
        function = Deployed(local.client(), inputs["shared_key"])
        program = find(function.runtime).source("/var/lang") / "bin" / function.runtime
        blocks = []
        for number in range(given.blocks):
            function.renew(number)
            with Plain(program, inputs["shared_key"]) as plain:
                blocks.append(one_block(function, plain, events, given.rounds))
    print(
        f"  {len(function.instances)} instances of {VCPU_MB} MB; "
        f"their quota ran out in {function.throttled} of {function.periods} periods"
    )
    show(sizes, blocks)


if __name__ == "__main__":
    main()
