"""Criterion's output, and that of Rust's own harness."""

from __future__ import annotations

import pytest

from sectax.audit.form import Moves
from tests.audit.tools.said import evidence_of, said, sample

PRINT = sample("criterion.txt")
BENCH = """test sum_plain_64  ... bench:         115 ns/iter (+/- 3) = 556 MB/s
test sum_hmac_16k  ... bench:      11,049 ns/iter (+/- 377)
"""
CONTRADICTION, DOUBT = ("F", "contradiction"), ("W", "said-by-the-tool")


def test_times_have_an_interval_and_a_size() -> None:
    small, large, alone = evidence_of(PRINT).series

    assert small.levels == {"name": "sum", "part 1": "wrapping", "part 2": "1024"}
    assert (small.claim("mean").value, small.claim("mean").step) == pytest.approx((1.0706e-6, 1e-10))  # type: ignore[union-attr]
    assert small.work.size_bytes == pytest.approx(1024, rel=1e-3)
    assert small.work.moves is Moves.BODY
    assert (small.count, large.count, alone.count) == (30, 30, None)
    assert alone.id == "a function with a name that is longer than its column"
    assert said(PRINT) == {("W", "false-replication")}


def test_rusts_own_harness_prints_a_median_and_its_range() -> None:
    plain, hmac = evidence_of(BENCH).series

    assert (plain.typical, plain.claim("error").value) == pytest.approx((115e-9, 1.5e-9))  # type: ignore[union-attr]
    assert plain.work.size_bytes == pytest.approx(64, rel=0.01)
    assert hmac.typical == pytest.approx(11.049e-6)
    assert ("W", "modes") in said(BENCH.replace("(+/- 377)", "(+/- 9,377)"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[1.0670 µs 1.0706 µs", "[1.0670 µs 1.0606 µs"),
    ],
)
def test_what_is_printed_twice_must_agree(old: str, new: str) -> None:
    assert CONTRADICTION in said(PRINT.replace(old, new))


def test_its_own_doubts_and_failures_are_passed_on() -> None:
    assert DOUBT in said(f"{PRINT}\nWarning: Unable to complete 100 samples in 5.0s.")
    assert DOUBT in said(PRINT.replace("(10.00%)", "(30.00%)"))
    assert ("F", "said-by-the-tool") in said(f"{PRINT}\nthread 'main' panicked at benches/x.rs:12:5:")
