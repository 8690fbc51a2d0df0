"""Benchmarks with nothing in their loop, and those that are meant to have nothing in it or to run in parallel."""

from __future__ import annotations

import pytest

from tests.audit.importers.samples import read
from tests.audit.importers.test_load_clients import said


@pytest.mark.parametrize(
    ("name", "nanoseconds", "severity"),
    [
        ("Words-8", "0.4588", "F"),
        ("Words-8", "0.62", "W"),
        ("Words-8", "1.62", ""),
        ("EmptyLoop-8", "0.25", "W"),
        ("Noop-8", "0.25", "W"),
        ("GetParallel-8", "0.25", "W"),
        ("Snoopy-8", "0.25", "F"),
        ("EmptyLoop-8", "0.0000013", "F"),
    ],
)
def test_a_loop_of_one_cycle_is_empty(name: str, nanoseconds: str, severity: str) -> None:
    words = said(read(f"goos: linux\nBenchmark{name}  1000000000  {nanoseconds} ns/op\n"))

    assert [each for each in words if "faster-than-physics" in each and each[0] in "FW"] == (
        [f"{severity} faster-than-physics"] if severity else []
    )


@pytest.mark.parametrize(("zeros", "fatal"), [(0, False), (1, False), (3, True)])
def test_several_benchmarks_of_rust_without_a_time_were_left_out(zeros: int, fatal: bool) -> None:
    rows = [f"test bench_{at} ... bench:  {0 if at < zeros else 17} ns/iter (+/- 0)" for at in range(8)]

    assert ("F faster-than-physics" in said(read("\n".join(rows)))) is fatal
