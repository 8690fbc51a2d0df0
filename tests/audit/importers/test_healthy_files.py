"""Outputs of tools that did everything well, made up at random: none may be accused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sectax.audit.importers.columns import Columns
from sectax.audit.registry import review
from sectax.model.finding import Severity
from tests.audit.importers.samples import read

SEEDS = range(20)
CHECKS = ("faster-than-physics", "unsupported-quantile")


def accused(text: str, columns: Columns | None = None) -> list[tuple[str, str]]:
    """(severity, check) of the warnings of the checks that look at counts."""
    return [
        (warning.severity.value, outcome.check)
        for outcome in review(read(text, columns=columns))
        if outcome.check in CHECKS
        for warning in outcome.warnings
        if warning.severity is not Severity.NOTE
    ]


def go(rng: np.random.Generator) -> str:
    """Two benchmarks of unlike speed, ten counts of each, as many operations in each as fill a second."""
    lines = ["goos: linux", "pkg: example"]
    for name in ("Plain", "Signed"):
        seconds = 10 ** rng.uniform(-8, -3)
        for _ in range(10):
            taken = seconds * rng.lognormal(0, 0.02)
            lines.append(f"Benchmark{name}-2\t{round(1 / taken)}\t{1e9 * taken:.4g} ns/op")
    return "\n".join([*lines, "PASS", ""])


def pyperf(rng: np.random.Generator) -> str:
    benchmarks = []
    for name in ("plain", "signed"):
        seconds = 10 ** rng.uniform(-7, -3)
        loops = 2 ** int(np.ceil(np.log2(0.1 / seconds)))
        runs = [{"values": (seconds * rng.lognormal(0, 0.02, 3)).tolist()} for _ in range(20)]
        benchmarks.append({"metadata": {"name": name, "loops": loops}, "runs": runs})
    return json.dumps({"benchmarks": benchmarks, "version": "1.0"})


def table(rng: np.random.Generator) -> str:
    rows = [f"{side},{rng.lognormal(0, 0.05):.6f}" for _ in range(150) for side in ("none", "signed")]
    return "\n".join(["arm,elapsed", *rows, ""])


def memory(rng: np.random.Generator) -> str:
    """sysbench's memory test to its end with 1 KiB blocks, and then with 1 MiB: a thousandth of the operations."""
    outputs = []
    for operations in (10485760, 10240):
        seconds = rng.uniform(1.0, 1.4)
        outputs.append(
            "sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)\n\n"
            "Running memory speed test with the following options:\n"
            f"  block size: {10485760 // operations}KiB\n  total size: 10240MiB\n\n"
            f"Total operations: {operations} ({operations / seconds:.2f} per second)\n\n"
            f"10240.00 MiB transferred ({10240 / seconds:.2f} MiB/sec)\n\n"
            f"General statistics:\n    total time:                          {seconds:.4f}s\n"
            f"    total number of events:              {operations}\n"
        )
    return "\n".join(outputs)


@pytest.mark.parametrize("make", [go, pyperf])
def test_counts_that_were_fitted_to_a_time_accuse_nobody(make: object) -> None:
    found = [each for seed in SEEDS for each in accused(make(np.random.default_rng(seed)))]  # type: ignore[operator]

    assert found == []


def test_a_csv_with_its_single_values_carries_its_median() -> None:
    columns = Columns("elapsed", "ms", ("arm",), "none")

    assert [each for seed in SEEDS for each in accused(table(np.random.default_rng(seed)), columns)] == []


def test_memory_in_larger_blocks_is_no_dead_code() -> None:
    found = {each for seed in SEEDS for each in accused(memory(np.random.default_rng(seed)))}

    # One run each, by itself no verdict.
    assert found == {("W", "unsupported-quantile")}
