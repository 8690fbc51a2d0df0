"""Probes whose library is the system's OpenSSL beside `openssl speed`, for messages where the call hardly counts.

    python -m benchmarks.probes.against_openssl_speed [--blocks 12] [--batches 20]

In each block a fresh process of the probe and a second of `openssl speed` take turns, in random order. A probe's call does
more: it allocates the result and makes an object for every message, and of a cipher it reads the key, sets the nonce and makes
the tag, which `openssl speed -evp` leaves out. That is the same for every size, so it shows in small messages.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import subprocess
from typing import NamedTuple

from benchmarks.output import heading, near_one, ratio, table
from benchmarks.probes.cases import BATCH_S, batch_of, count_for, one_processor
from benchmarks.probes.estimates import Times, between, microseconds
from sectax.experiments.primitives.algorithms import SIZES
from sectax.experiments.primitives.experiment import primitive_subject
from sectax.experiments.primitives.inputs import new_inputs
from sectax.model.subject import Work

PROBE, SPEED = "probe", "openssl speed"
WITHIN = 0.03


class Case(NamedTuple):
    language: str
    family: str
    algorithm: str
    size: str
    speed: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.language} {self.family} {self.algorithm} {self.size}"


CASES = [
    Case(language, family, algorithm, size, speed)
    for language, family, algorithm, speed in (
        ("python", "hash", "sha-256", ("-evp", "sha256")),
        ("python", "hash", "sha3-256", ("-evp", "sha3-256")),
        ("python", "mac", "hmac-sha-256", ("-hmac", "sha256")),
        ("php", "aead-seal", "aes-256-gcm", ("-evp", "aes-256-gcm")),
    )
    for size in ("1KiB", "16KiB", "1MiB")
]


def speed_seconds(case: Case) -> float:
    """Seconds per message by `openssl speed`, which counts user time alone: its system time is added in proportion."""
    command = ["openssl", "speed", "-mr", "-seconds", "1", "-bytes", str(SIZES[case.size]), *case.speed]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    found = re.search(r"^\+F:.*:([\d.]+)$", said, re.MULTILINE)
    assert found is not None, said
    return SIZES[case.size] / float(found[1]) * (1 + system / user)


def probe_seconds(case: Case, inputs: dict[str, str], batches: int) -> float:
    """Seconds per operation of one fresh process, in CPU time too."""
    levels = {"language": case.language, "family": case.family, "algorithm": case.algorithm, "size": case.size}
    subject = primitive_subject(levels, inputs).subject()
    try:
        subject.open()
        batch = batch_of(subject)
        count = count_for(batch)
        batch(count)
        visits = [subject.visit(Work(count=count, settle=0)).observations for _ in range(batches)]
        subject.close()
    finally:
        subject.kill()
    return sum(observed[-1].value for observed in visits) / (batches * count)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.probes.against_openssl_speed", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--blocks", type=int, default=12, help="fresh processes of each (12)")
    parser.add_argument("--batches", type=int, default=20, help=f"of {1e3 * BATCH_S:g} ms in each process (20)")
    given = parser.parse_args()

    os.sched_setaffinity(0, one_processor())
    heading("Probes of the system's OpenSSL beside openssl speed")
    print(f"  openssl  {subprocess.run(['openssl', 'version'], capture_output=True, text=True, check=True).stdout.strip()}")
    inputs = new_inputs()
    blocks: dict[Case, list[Times]] = {case: [] for case in CASES}
    for _ in range(given.blocks):
        for case in random.sample(CASES, len(CASES)):
            made: dict[str, float] = {}
            for way in random.sample([PROBE, SPEED], 2):
                made[way] = speed_seconds(case) if way == SPEED else probe_seconds(case, inputs, given.batches)
            blocks[case].append(made)
    table(
        ["µs per message", PROBE, SPEED, "probe / openssl speed"],
        [
            [str(case), *(microseconds(blocks[case], way) for way in (PROBE, SPEED)), ratio(between(blocks[case], PROBE, SPEED))]
            for case in CASES
        ],
        f"{given.blocks} blocks, CPU time",
    )
    for case in CASES:
        # PHP gives every result in new memory, which costs more than 3 % of it.
        if case.size == "1MiB" and case.language != "php":
            near_one(str(case), between(blocks[case], PROBE, SPEED), WITHIN)


if __name__ == "__main__":
    main()
