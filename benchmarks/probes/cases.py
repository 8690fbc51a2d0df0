"""The operations that are measured, and the shipped probe made ready for one of them."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from typing import NamedTuple

from sectax.experiments.jwt.experiment import signature_subject
from sectax.model.subject import Work
from sectax.experiments.on_probe.subject import BATCH_CPU, ProbeSubject

BATCH_S = 0.020  # as the default preset's
WITHIN = 0.03  # the target: a ratio so near to 1


class Case(NamedTuple):
    """One operation with one algorithm."""

    algorithm: str
    operation: str

    def __str__(self) -> str:
        return f"{self.algorithm} {self.operation}"


CASES = [Case(algorithm, operation) for algorithm in ("RS256", "ES256") for operation in ("sign", "verify")]
# What `openssl speed` calls them.
SPEED = {"RS256": "rsa2048", "ES256": "ecdsap256"}

# Runs a batch of so many operations, after as many that settle, and gives its seconds of CPU time: what other programs
# take of the machine is no part of a comparison with another tool.
Batch = Callable[[int], float]


def one_processor() -> set[int]:
    """The processor that both sides of a comparison work on, as the subjects of a run do.

    A virtual machine's processors share cores with others that are busy unequally: where the kernel placed them, the
    PHP probe was 5 % slower than C, and on one processor not at all.
    """
    return {max(os.sched_getaffinity(0))}


def opened(language: str, case: Case, inputs: Mapping[str, str]) -> ProbeSubject:
    """A fresh process of the probe, greeted, made ready and witnessed as in a run of sectax."""
    levels = {"language": language, "key_use": "parsed-once", "layer": "primitive", **case._asdict()}
    subject = signature_subject(levels, inputs).subject()
    subject.open()
    return subject


def batch_of(subject: ProbeSubject) -> Batch:
    return lambda count: subject.visit(Work(count=count, settle=count)).elapsed_s(BATCH_CPU)


def count_for(batch: Batch) -> int:
    """Operations that fill a batch of the usual length."""
    count = 1
    while (seconds := batch(count)) < BATCH_S / 2:
        count *= 2
    return max(1, round(count * BATCH_S / seconds))


def warm_up(subject: ProbeSubject, seconds: float) -> int:
    """Work a process for so many seconds of CPU time; how many operations that were."""
    count, operations, worked_s = 1, 0, 0.0
    while worked_s < seconds:
        spent_s = subject.visit(Work(count)).elapsed_s(BATCH_CPU)
        worked_s, operations = worked_s + spent_s, operations + count
        count = max(1, min(8 * count, round(count * 10 * BATCH_S / max(spent_s, 1e-6))))
    return operations


def probe_seconds(
    language: str, case: Case, inputs: Mapping[str, str], count: int, batches: int, warmup: int = 0
) -> float:
    """CPU seconds per operation of one fresh process of the probe, once it has done *warmup* of them."""
    subject = opened(language, case, inputs)
    try:
        for done in range(0, warmup, 10 * count):
            subject.visit(Work(min(10 * count, warmup - done)))
        batch = batch_of(subject)
        batch(count)
        seconds = sum(batch(count) for _ in range(batches)) / (batches * count)
        subject.close()
    finally:
        subject.kill()
    return seconds


def fitting_count(language: str, case: Case, inputs: Mapping[str, str], warm_s: float = 0.0) -> tuple[int, int]:
    """Operations of a batch, and of a warm-up of so many seconds of CPU time."""
    subject = opened(language, case, inputs)
    try:
        warmup = warm_up(subject, warm_s)
        return count_for(batch_of(subject)), warmup
    finally:
        subject.kill()


def openssl_speed(seconds: int) -> dict[Case, float] | None:
    """CPU seconds per operation as the system's `openssl speed` says; None where there is no such program."""
    command = ["openssl", "speed", "-mr", "-seconds", str(seconds), *SPEED.values()]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    # "+F2:2:2048:4095.5:56970.6" and "+F4:3:256:50750.0:16994.3": signs and verifies a second.
    found = dict(re.findall(r"^\+F([24]):\d+:\d+:(.*)$", said, re.MULTILINE))
    if found.keys() != {"2", "4"}:
        return None
    rates = {"RS256": found["2"].split(":"), "ES256": found["4"].split(":")}
    return {case: 1 / float(rates[case.algorithm][case.operation == "verify"]) for case in CASES}
