"""The PHP probe beside a C program that makes the same EVP calls on the same libcrypto.

    python -m benchmarks.probes.against_c [--blocks 20] [--rounds 8]

Each block starts fresh processes of both; in each round both run a batch, in random order. A block's CPU
time of an operation is the total over all operations. Ratios are geometric means over blocks, with Student's t in logs (95 %).

The C program also makes the calls as `openssl speed` makes them: with a context that was made ready once, and no
hashing. What PHP seems to lose against `openssl speed` is what lies between these two columns of C.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from benchmarks.output import heading, near_one, ratio, table
from benchmarks.probes.c_program import CProgram, built, libcrypto_of
from benchmarks.probes.cases import BATCH_S, CASES, WITHIN, Batch, Case, batch_of, count_for, one_processor, opened, openssl_speed
from benchmarks.probes.estimates import Times, between, microseconds
from sectax.experiments.jwt.keys import make_keys, signing_input

PHP, C, READY, DIGEST = "PHP probe", "C, same calls", "C, made ready", "C, digest alone"


class Keys:
    """Fresh keys, in memory for the probe and in files for the C program."""

    def __init__(self, folder: Path) -> None:
        self.inputs = make_keys(sorted({case.algorithm for case in CASES}))
        self._folder = folder
        for name, text in self.inputs.items():
            (folder / name).write_text(text)

    def c_program(self, algorithm: str) -> CProgram:
        private, public = (self._folder / f"{algorithm}.{part}_key_pem" for part in ("private", "public"))
        return CProgram(private, public, signing_input(algorithm))


def one_block(case: Case, keys: Keys, rounds: int, counts: dict[str, int]) -> Times:
    """Seconds per operation of every arm, in fresh processes; `counts` are frozen by the first block."""
    subject = opened("php", case, keys.inputs)
    try:
        with keys.c_program(case.algorithm) as program:
            arms: Mapping[str, Batch] = {
                PHP: batch_of(subject),
                C: partial(program.batch, case.operation),
                READY: partial(program.batch, f"{case.operation}-ready"),
                DIGEST: partial(program.batch, "digest"),
            }
            for arm, batch in arms.items():
                if arm not in counts:
                    counts[arm] = count_for(batch)
                batch(counts[arm])
            total = dict.fromkeys(arms, 0.0)
            for _ in range(rounds):
                for arm in random.sample(list(arms), len(arms)):
                    total[arm] += arms[arm](counts[arm])
        subject.close()
    finally:
        subject.kill()
    return {arm: total[arm] / (rounds * counts[arm]) for arm in arms}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.probes.against_c", description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=20, help="fresh processes of each (20)")
    parser.add_argument("--rounds", type=int, default=8, help="batches of each in a block (8)")
    parser.add_argument("--speed-seconds", type=int, default=2, help="of each of `openssl speed`'s tests (2)")
    given = parser.parse_args()

    os.sched_setaffinity(0, one_processor())
    heading("PHP probe beside C")
    php = shutil.which("php")
    if php is None:
        print("  php is not installed")
        return
    print(f"  libcrypto  of php: {libcrypto_of(php)}, of the C program: {libcrypto_of(str(built()))}")

    blocks: dict[Case, list[Times]] = {case: [] for case in CASES}
    with tempfile.TemporaryDirectory() as folder:
        keys = Keys(Path(folder))
        with keys.c_program("RS256") as program:
            print(f"  version    {program.version}, read from the library")
        speed = [openssl_speed(given.speed_seconds)]
        counts: dict[Case, dict[str, int]] = {case: {} for case in CASES}
        for _ in range(given.blocks):
            for case in random.sample(CASES, len(CASES)):
                blocks[case].append(one_block(case, keys, given.rounds, counts[case]))
        speed.append(openssl_speed(given.speed_seconds))

    table(
        ["µs per operation", PHP, C, READY, DIGEST, "openssl speed"],
        [
            [
                str(case),
                *(microseconds(blocks[case], program) for program in (PHP, C, READY, DIGEST)),
                " and ".join(f"{1e6 * said[case]:.2f}" for said in speed if said is not None) or "–",
            ]
            for case in CASES
        ],
        f"{given.blocks} blocks of {given.rounds} batches of {1e3 * BATCH_S:g} ms (openssl speed: before and after)",
    )
    table(
        ["ratio of times", f"{PHP} / {C}", f"{C} / {READY}"],
        [[str(case), ratio(between(blocks[case], PHP, C)), ratio(between(blocks[case], C, READY))] for case in CASES],
    )
    print("\n  The last column is why `openssl speed` shows a shorter time: it makes its context ready once and hashes")
    print("  nothing; PHP, and the C program that does as PHP does, make a context and hash the text in every call.\n")
    for case in CASES:
        near_one(str(case), between(blocks[case], PHP, C), WITHIN)


if __name__ == "__main__":
    main()
