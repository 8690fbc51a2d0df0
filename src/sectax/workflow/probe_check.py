"""Runs the conformance suite on a probe, with the keys and the referee of the experiment `jwt`."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator

from sectax.experiments.jwt.algorithms import ALGORITHMS
from sectax.experiments.jwt.keys import make_keys
from sectax.experiments.jwt.subjects import referee_of, subject_inputs
from sectax.subjects.probe.conformance import Case, CheckResult, check_probe_stepwise
from sectax.toolchain import probes


def check(words: list[str]) -> Iterator[CheckResult]:
    """Check a registered probe, where `words` is its name alone, or any command line, run in this folder."""
    if len(words) == 1 and words[0] in probes.names():
        probe = probes.load(words[0])
        argv, folder = probe.command(), str(probe.folder)
    else:
        argv, folder = tuple(words), os.getcwd()
    return check_probe_stepwise(argv, folder, cases=_cases())


def _cases() -> list[Case]:
    """Every operation of `jwt`, as far as a probe has it."""
    keys = make_keys(ALGORITHMS)
    return [
        _case(operation, {"algorithm": algorithm, "layer": layer, "key_use": key_use}, keys)
        for operation, algorithm, layer, key_use in itertools.product(
            ("sign", "verify"), ALGORITHMS, ("primitive", "library"), ("parsed-once", "parsed-per-call")
        )
    ]


def _case(operation: str, parameters: dict[str, str], keys: dict[str, str]) -> Case:
    inputs, referee = subject_inputs(parameters["algorithm"], keys), referee_of(parameters["algorithm"], keys)
    # A tampered token to verify: every operation must then be counted as a failure.
    spoiled = inputs | {"token": referee.tampered()[0]} if operation == "verify" else None
    return Case(operation, parameters, inputs, referee, spoiled)
