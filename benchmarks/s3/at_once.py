"""PUT of 1 MB with several at once: our client beside a plain loop in Go, by turns on the same server.

    python -m benchmarks.s3.at_once [--rounds 8] [--seconds 3] [--concurrency 8]

The plain loop (plain_loop.go) has as many goroutines, each of which puts one object after the other. How many were
under way at once is the sum of its latencies over the time that it took, and what our client witnesses of itself.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

from benchmarks.output import ROOT, heading, near_one, table, target
from benchmarks.s3.served import GO, Served, opened, served
from sectax.model.subject import Work
from sectax.stats.student import geometric_mean_interval

SIZE = 1_000_000
LEAST_OVERLAP = 0.9
NEAR = 0.1


class Seen(NamedTuple):
    """Median latency in seconds, and how many operations were under way at once."""

    latency_s: float
    in_flight: float


def built(folder: Path) -> Path:
    """The plain loop. Raises `SystemExit` where Go fails, which has said why."""
    client = ROOT / "clients" / "s3-go"
    shutil.copy(client / "go.sum", folder)
    lines = (client / "go.mod").read_text().splitlines()
    (folder / "go.mod").write_text("\n".join(line for line in lines if "sectax/kit" not in line))
    shutil.copy(Path(__file__).with_name("plain_loop.go"), folder / "main.go")
    if subprocess.run(["go", "build", "-mod=mod", "-o", "plain", "."], cwd=folder, check=False).returncode:
        raise SystemExit("the plain loop cannot be built")
    return folder / "plain"


def of_plain(on: Served, program: Path, at_once: int, seconds: float) -> Seen:
    spec = on.spec(GO, "put", SIZE)
    wanted = {
        "Endpoint": spec.access.endpoint,
        "Access": spec.access.access_key,
        "Secret": spec.access.secret_key,
        "Authority": spec.access.ca_pem,
        "Bucket": spec.buckets[0],
        "Prefix": spec.prefix,
        "Bytes": SIZE,
        "AtOnce": at_once,
        "Seconds": seconds,
    }
    done = subprocess.run([program], input=json.dumps(wanted), stdout=subprocess.PIPE, text=True, check=True)
    said = json.loads(done.stdout)
    latencies = [latency for lane in said["latencies"] for latency in lane]
    return Seen(median(latencies), sum(latencies) / said["seconds"])


def of_ours(on: Served, at_once: int, seconds: float) -> Seen:
    latencies: list[float] = []
    in_flight: list[float] = []
    taken_s = 0.0
    with opened(on.spec(GO, "put", SIZE, at_once)) as subject:
        while taken_s < seconds:
            visit = subject.visit(Work(10 * at_once))
            taken_s += next(seen.value for seen in visit.observations if seen.metric == "transfer")
            latencies += [seen.value for seen in visit.observations if seen.metric == "latency"]
            in_flight.append(visit.telemetry.get("load_in_flight", 1.0))
    return Seen(median(latencies), fmean(in_flight))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--concurrency", type=int, default=8)
    asked = parser.parse_args()
    heading(f"PUT of 1 MB, {asked.concurrency} at once, beside a plain loop in Go")
    both: dict[str, list[Seen]] = {"ours": [], "plain": []}
    with tempfile.TemporaryDirectory() as folder, served() as on:
        program = built(Path(folder))
        for _ in range(asked.rounds):
            for name in random.sample(list(both), 2):
                if name == "ours":
                    both[name].append(of_ours(on, asked.concurrency, asked.seconds))
                else:
                    both[name].append(of_plain(on, program, asked.concurrency, asked.seconds))
    rows = [
        [
            name,
            f"{1e3 * median(one.latency_s for one in seen):.1f}",
            " ".join(f"{1e3 * one.latency_s:.1f}" for one in seen),
            f"{min(one.in_flight for one in seen):.2f} to {max(one.in_flight for one in seen):.2f}",
        ]
        for name, seen in both.items()
    ]
    table(["", "latency, ms", "of every round", "under way at once"], rows)
    print(f"\n  load of the machine at the end {os.getloadavg()[0]:.1f}")
    pairs = zip(both["ours"], both["plain"], strict=True)
    interval = geometric_mean_interval([ours.latency_s / plain.latency_s for ours, plain in pairs], 0.95)
    near_one("median latency, ours over the plain loop's", interval, NEAR)
    least = min(one.in_flight for one in both["ours"]) / asked.concurrency
    shown = f"{100 * least:.0f} % of those asked for, at least {100 * LEAST_OVERLAP:g} %"
    target("under way at once", least, LEAST_OVERLAP, shown, at_least=True)


if __name__ == "__main__":
    main()
