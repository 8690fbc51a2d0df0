"""The Go client beside warp: objects per second of 1 MB, at equal concurrency, on the same server.

    python -m benchmarks.s3.warp [--rounds 6] [--seconds 5] [--concurrency 4]

In every round both tools GET and PUT, in random order. warp hashes nothing that it fetches; our client hashes every
body. warp is built on first use (about 2 minutes).
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import tempfile

from benchmarks.output import heading, ratio, table, target
from benchmarks.rivals.calling import ToolFailed
from benchmarks.s3.served import GO, Served, observed, opened, served
from sectax.parts.cache import cache_folder
from sectax.stats.student import geometric_mean_interval

WARP = "v1.0.0"
SIZE = 1_000_000
OPERATIONS = ("get", "put")
FLOOR, GOAL = 0.95, 1.0
AT_ONCE = 400

_program = cache_folder() / "rivals" / f"warp-{WARP}" / "warp"
_AVERAGE = re.compile(r"Average: .*?([\d.]+) obj/s")


def set_up() -> None:
    """Build warp where it is not there. Raises `SystemExit` where Go fails, which has said why."""
    if not _program.exists():
        environment = os.environ | {"GOBIN": str(_program.parent)}
        subprocess.run(["go", "install", f"github.com/minio/warp@{WARP}"], env=environment, check=True)


def of_warp(on: Served, operation: str, concurrency: int, seconds: float) -> float:
    """Objects per second, as warp prints them.

    Raises:
        ToolFailed: it failed, or prints something else.
    """
    access = on.server.access
    words = [str(_program), operation, "--host", access.endpoint.removeprefix("https://"), "--tls", "--insecure"]
    words += ["--obj.size", f"{SIZE}B", "--concurrent", str(concurrency), "--duration", f"{seconds:g}s", "--no-color"]
    words += ["--objects", "50"] if operation == "get" else ["--disable-multipart"]
    environment = os.environ | {"WARP_ACCESS_KEY": access.access_key, "WARP_SECRET_KEY": access.secret_key}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    found = _AVERAGE.search(done.stdout)
    if done.returncode or found is None:
        raise ToolFailed(f"warp ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-300:]}")
    return float(found[1])


def of_ours(on: Served, operation: str, concurrency: int, seconds: float) -> float:
    """Objects per second of the Go client, over about so many seconds."""
    with opened(on.spec(GO, operation, SIZE, concurrency)) as subject:
        count = 4 * concurrency
        (first,) = observed(subject, count, "transfer")
        # Bodies to be put are made beforehand, and all of them are in memory. At the end of a batch some of its lanes
        # have nothing left to do: half an operation of each is lost, which warp leaves out of its averages.
        count = max(count, min(AT_ONCE, int(seconds * count / first.value)))
        moved, taken_s = 0, 0.0
        while taken_s < seconds:
            (seen,) = observed(subject, count, "transfer")
            moved, taken_s = moved + count, taken_s + seen.value
    return moved / taken_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--concurrency", type=int, default=4)
    asked = parser.parse_args()
    set_up()
    heading("The Go client beside warp: objects of 1 MB per second")
    tools = {"warp": of_warp, "ours": of_ours}
    rates: dict[tuple[str, str], list[float]] = {(name, operation): [] for operation in OPERATIONS for name in tools}
    with served() as on:
        for _ in range(asked.rounds):
            for name, operation in random.sample(list(rates), len(rates)):
                rates[name, operation].append(tools[name](on, operation, asked.concurrency, asked.seconds))
    rows, pairs = [], {}
    for operation in OPERATIONS:
        ours, warps = rates["ours", operation], rates["warp", operation]
        pairs[operation] = geometric_mean_interval([a / b for a, b in zip(ours, warps, strict=True)], 0.95)
        mean = [f"{sum(item) / len(item):.1f}" for item in (warps, ours)]
        rows.append([operation.upper(), *mean, ratio(pairs[operation])])
    table(["", "warp", "ours", "ours over warp"], rows, f"Objects per second, concurrency {asked.concurrency}")
    print(f"\n  load of the machine at the end {os.getloadavg()[0]:.1f}")
    for operation, interval in pairs.items():
        for word, bound in (("the floor", FLOOR), ("the goal", GOAL)):
            shown = f"{ratio(interval)} of warp's, at least {bound}"
            target(f"{operation.upper()} of 1 MB, {word}", interval.point, bound, shown, at_least=True)


if __name__ == "__main__":
    main()
