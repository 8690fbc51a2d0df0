"""The Python probe beside pyperf of the same call: same interpreter, same libraries, same key.

    python -m benchmarks.probes.against_pyperf [--blocks 20] [--batches 10]

pyperf starts its own processes and lets nobody in between, so what takes turns is whole processes: in each block one
process of the probe and one worker of pyperf, in random order, each with as many batches of the same size. A block's
CPU time of an operation is the total over all operations (pyperf: the mean of the worker's values). Ratios are geometric
means over blocks, with Student's t in logs (95 %).

pyperf is not among the probe's libraries: it runs in the probe's interpreter with a PYTHONPATH that holds only it.
"""

from __future__ import annotations

import argparse
import os
import importlib.util
import json
import random
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.output import environment, heading, near_one, ratio, table
from benchmarks.probes.cases import BATCH_S, CASES, WITHIN, Case, fitting_count, one_processor, openssl_speed, probe_seconds
from benchmarks.probes.estimates import Times, between, microseconds
from sectax.experiments.jwt.keys import algorithm_inputs, make_keys, signing_input
from sectax.parts import probes

CALL = Path(__file__).with_name("pyperf_call.py")
PROBE, PYPERF = "Python probe", "pyperf"


class Pyperf:
    """pyperf, in the probe's interpreter."""

    def __init__(self, folder: Path, inputs: Mapping[str, str]) -> None:
        found = importlib.util.find_spec("pyperf")
        if found is None or found.origin is None:
            raise SystemExit("pyperf is not installed here\nhint: make dev")
        self._folder = folder
        self._python = probes.load("python").command()[0]
        self._inputs = inputs
        (folder / "path").mkdir()
        (folder / "path" / "pyperf").symlink_to(Path(found.origin).parent)

    def seconds(self, case: Case, count: int, batches: int) -> float:
        """Seconds per operation of one fresh worker process."""
        named = {"name": str(case), **case._asdict(), "signing_input": signing_input(case.algorithm)}
        case_file, result = self._folder / "case.json", self._folder / "result.json"
        case_file.write_text(json.dumps(named | algorithm_inputs(self._inputs, case.algorithm)))
        result.unlink(missing_ok=True)
        size = ["--processes", "1", "--warmups", "2", "--values", str(batches), "--loops", str(count)]
        command = [self._python, str(CALL), "--case", str(case_file), *size, "--quiet", "-o", str(result)]
        path = {"PYTHONPATH": str(self._folder / "path")}
        subprocess.run(command, env=environment() | path, stdout=subprocess.DEVNULL, check=True)
        (run,) = json.loads(result.read_text())["benchmarks"][0]["runs"]
        return float(sum(run["values"]) / len(run["values"]))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.probes.against_pyperf", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--blocks", type=int, default=20, help="fresh processes of each (20)")
    parser.add_argument("--batches", type=int, default=10, help="in each process (10)")
    parser.add_argument("--speed-seconds", type=int, default=2, help="of each of `openssl speed`'s tests (2)")
    given = parser.parse_args()

    os.sched_setaffinity(0, one_processor())
    heading("Python probe beside pyperf")
    blocks: dict[Case, list[Times]] = {case: [] for case in CASES}
    inputs = make_keys(sorted({case.algorithm for case in CASES}))
    with tempfile.TemporaryDirectory() as folder:
        pyperf = Pyperf(Path(folder), inputs)
        counts = {case: fitting_count("python", case, inputs)[0] for case in CASES}
        for _ in range(given.blocks):
            for case in random.sample(CASES, len(CASES)):
                ways = {
                    PROBE: lambda case=case: probe_seconds("python", case, inputs, counts[case], given.batches),
                    PYPERF: lambda case=case: pyperf.seconds(case, counts[case], given.batches),
                }
                blocks[case].append({way: ways[way]() for way in random.sample(list(ways), len(ways))})
    speed = openssl_speed(given.speed_seconds)

    table(
        ["µs per operation", PROBE, PYPERF, "probe / pyperf", "openssl speed"],
        [
            [
                str(case),
                *(microseconds(blocks[case], way) for way in (PROBE, PYPERF)),
                ratio(between(blocks[case], PROBE, PYPERF)),
                "–" if speed is None else f"{1e6 * speed[case]:.2f}",
            ]
            for case in CASES
        ],
        f"{given.blocks} blocks, {given.batches} batches of {1e3 * BATCH_S:g} ms in each process",
    )
    print(
        "\n  `openssl speed` measures the system's libcrypto, and makes a context ready once; cryptography has its own"
    )
    print("  libcrypto, of another version, makes a context in every call and hashes the text in it.\n")
    for case in CASES:
        near_one(str(case), between(blocks[case], PROBE, PYPERF), WITHIN)


if __name__ == "__main__":
    main()
