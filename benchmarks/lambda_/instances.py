"""Why Durations of fresh instances of one function differ: the instance, its first events, or the processor.

    python -m benchmarks.lambda_.instances [--instances 8] [--rounds 30]

Every instance belongs to a copy of `functions/hmac_authorizer` at 1024 MB whose handler counts page faults and, after
every check of 1 MiB, hashes a block that lies in the processor's first cache. All are alive at once and visited by
turns, so what differs between their medians is the instance, and what differs between rounds is the machine. Shown
are, of CPU time per invocation: by the number of the event, CPU time and page faults; the standard deviation between
instances, beside that of halves of one instance's rounds; between rounds, before and after a division by the CPU time
of the hash in the same event. Needs root, or delegated control groups.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import random
import statistics
import time
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from benchmarks.output import heading, table
from sectax.experiments.hmac.levels import PAYLOADS
from sectax.experiments.hmac.subjects import FUNCTION, Events, new_inputs
from sectax.experiments.on_lambda import functions
from sectax.experiments.on_lambda.local_lambda import LocalLambda, measured

GAP_S = 0.01
FIRST = 8  # events of a new instance that are shown one by one and not counted
WRAPPER = """
import hashlib, resource, time
from hmac_authorizer.handler import lambda_handler
block, seen = bytes(16384), [0]
def handler(event, context):
    answer = lambda_handler(event, context)
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    begun = time.process_time_ns()
    for _ in range(64):
        hashlib.sha512(block).digest()
    told = {"hash_ns": time.process_time_ns() - begun, "faults": faults - seen[0]}
    seen[0] = faults
    return answer | told
"""


class Visit(NamedTuple):
    """One invocation: milliseconds of CPU time of the check with all around it, and of the hash; page faults."""

    cpu: float
    hash: float
    faults: int


def code() -> bytes:
    """The zip of the function with the wrapper in it."""
    content = io.BytesIO(functions.build(FUNCTION, "python").read_bytes())
    with zipfile.ZipFile(content, "a") as out:
        out.writestr("wrapper.py", WRAPPER)
    return content.getvalue()


def visit(client: Any, name: str, event: bytes) -> Visit:
    """Invoke one of them."""
    time.sleep(GAP_S)
    raw = client.invoke(FunctionName=name, Payload=event)
    answer, cpu_s = json.load(raw["Payload"]), measured(raw).cpu_time_s
    if answer.get("isAuthorized") is not True or cpu_s is None:
        raise SystemExit(f"the function answered {answer}")
    hash_ms = answer["hash_ns"] / 1e6
    return Visit(1e3 * cpu_s - hash_ms, hash_ms, answer["faults"])


def spread(values: Iterable[float]) -> float:
    """Standard deviation of the logs, per cent."""
    return 100 * statistics.stdev(math.log(value) for value in values)


def show(seen: Sequence[Sequence[Visit]]) -> None:
    """*seen*: one sequence of visits for each instance."""
    rows = []
    for number in range(FIRST):
        column = [visits[number] for visits in seen]
        faults = sorted(item.faults for item in column)
        cpu = statistics.median(item.cpu for item in column)
        rows.append([str(number + 1), f"{cpu:.2f}", f"{faults[0]} to {faults[-1]}"])
    table(["event", "CPU time, ms (median)", "page faults"], rows, f"The first events of {len(seen)} new instances")
    counted = [visits[FIRST:] for visits in seen]
    between = spread(statistics.median(visit.cpu for visit in visits) for visits in counted)
    halves = [
        math.log(
            statistics.median(visit.cpu for visit in visits[::2])
            / statistics.median(visit.cpu for visit in visits[1::2])
        )
        for visits in counted
    ]
    by_chance = 50 * statistics.fmean(half**2 for half in halves) ** 0.5
    rounds = list(zip(*counted, strict=True))
    single = spread(visit.cpu for visits in counted for visit in visits)
    divided = spread(visit.cpu / visit.hash for visits in counted for visit in visits)
    hashes = spread(visit.hash for visits in counted for visit in visits)
    rows = [
        ["medians of instances that are visited by turns", f"{between:.1f}"],
        ["the same by chance, from halves of their rounds", f"{by_chance:.1f}"],
        ["single invocations", f"{single:.1f}"],
        ["the hash in the same invocations", f"{hashes:.1f}"],
        ["single invocations, divided by that hash", f"{divided:.1f}"],
        ["medians of rounds", f"{spread(statistics.median(visit.cpu for visit in visits) for visits in rounds):.1f}"],
    ]
    table(["CPU time", "standard deviation, %"], rows, f"{len(rounds)} rounds")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lambda_.instances", description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=8, help="alive at once (8)")
    parser.add_argument("--rounds", type=int, default=30, help="visits of each that count (30)")
    given = parser.parse_args()
    if given.instances < 2 or given.rounds < 4:
        parser.error("at least two instances and four rounds are needed")
    heading("Fresh instances of one function")
    inputs = new_inputs()
    event = Events(inputs).of("hmac-sha512", PAYLOADS["1MiB"])
    runtime, content = functions.load(FUNCTION, "python").runtime, code()
    names = [f"instance-{number}" for number in range(given.instances)]
    with LocalLambda(instances=given.instances) as local:
        client = local.client()
        for name in names:
            client.create_function(
                FunctionName=name,
                Runtime=runtime,
                Handler="wrapper.handler",
                Role="arn:aws:iam::000000000000:role/local",
                Code={"ZipFile": content},
                MemorySize=1024,
                Timeout=60,
                Environment={"Variables": {"SHARED_KEY": inputs["shared_key"], "TREATMENT": "hmac-sha512"}},
            )
        seen: dict[str, list[Visit]] = {name: [] for name in names}
        for _ in range(FIRST + given.rounds):
            for name in random.sample(names, len(names)):
                seen[name].append(visit(client, name, event))
    show(list(seen.values()))


if __name__ == "__main__":
    main()
