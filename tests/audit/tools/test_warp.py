"""warp's reports."""

from __future__ import annotations

import pytest

from sectax.audit.form import Moves
from tests.audit.tools.said import evidence_of, said, sample

PRINT, OLD = sample("warp.txt"), sample("warp-2019.txt")


def test_each_operation_is_read() -> None:
    series = {one.id: one for one in evidence_of(PRINT).series}

    assert series["GET: rate"].typical == pytest.approx(94.80)
    assert series["GET: bandwidth"].typical == pytest.approx(94.80 * 2**20)
    assert series["GET: latency"].claim("p99").value == pytest.approx(1.206)  # type: ignore[union-attr]
    work = series["GET: rate"].work
    assert (work.operations, work.duration_s, work.connections, work.size_bytes) == (5404, 57, 20, 2**20)
    assert (work.moves, series["STAT: rate"].work.moves) == (Moves.BODY, Moves.METADATA)
    assert said(PRINT) == {("W", "unsupported-quantile")}


def test_the_form_of_2019_is_read() -> None:
    series = {one.metric: one for one in evidence_of(OLD).series}

    assert series["rate"].typical == pytest.approx(6440.36)
    assert (series["latency"].trials, series["rate"].work.operations) == (386334, 386413)


@pytest.mark.parametrize(
    ("severity", "old", "new"),
    [
        ("F", "94.80 obj/s (57s)", "194.80 obj/s (57s)"),
        ("F", "Reqs: Avg: 210.3ms", "Reqs: Avg: 610.3ms"),
        ("F", "90%: 402.2ms", "90%: 102.2ms"),
        ("W", "120.6MiB/s, 120.60", "80.6MiB/s, 80.60"),
        ("W", "Avg: 94.80 MiB/s, 94.80 obj/s\n\nT", "Avg: 44.80 MiB/s, 44.80 obj/s\n\nT"),
    ],
)
def test_numbers_that_are_printed_twice_must_agree(severity: str, old: str, new: str) -> None:
    assert old in PRINT
    assert (severity, "contradiction") in said(PRINT.replace(old, new))


def test_a_get_contains_a_stat_of_the_same_benchmark() -> None:
    mixed = """Operation: GET, 45%, Concurrency: 20, Ran 5m0s.
 * Throughput: 279.85 MiB/s, 2799.00 obj/s

Operation: STAT, 30%, Concurrency: 20, Ran 5m0s.
 * Throughput: {rate} obj/s
"""
    assert ("F", "contained-work") in said(mixed.format(rate="18.63"))
    assert ("F", "contained-work") not in said(mixed.format(rate="5598.00"))


def test_errors_are_passed_on() -> None:
    assert ("W", "said-by-the-tool") in said(f"{PRINT}\nwarp: <ERROR> Access Denied\n")
