"""What load clients tell of a run in two ways: the audit says where it does not agree, and is silent where it does."""

from __future__ import annotations

import pytest

from benchmarks.planted_prints.frame import said
from sectax.audit.importers.columns import Columns
from tests.audit.importers.samples import sample

WRK = """Running 30s test @ http://127.0.0.1:8080/api/items
  4 threads and 100 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     7.91ms    3.12ms  96.31ms   86.71%
    Req/Sec     3.19k   214.80     3.82k    71.33%
  381442 requests in 30.04s, 74.57MB read
Requests/sec:  12697.80
Transfer/sec:      2.48MB
"""
OHA = """Summary:
  Success rate:	100.00%
  Total:	10.0021 secs
  Slowest:	0.1011 secs
  Fastest:	0.0009 secs
  Average:	0.0081 secs
  Requests/sec:	6158.7056

  Total data:	35.24 MiB
  Size/request:	600 B

Status code distribution:
  [200] 61600 responses

Error distribution:
  [{cut}] aborted due to deadline
"""
REPORT = (
    "REPORT RequestId: {at:08x}-0000-0000-0000-000000000000\tDuration: {took:.2f} ms\tBilled Duration: {billed} ms\t"
    "Memory Size: 512 MB\tMax Memory Used: {used} MB\t"
)


def warned(text: str, check: str) -> set[str]:
    """Severities of what a check says of a text."""
    return {severity for severity, of, _ in said(text, Columns()) if of == check}


def log(took: float = 20.25, billed: int = 21, used: int = 70) -> str:
    return "\n".join(REPORT.format(at=at, took=took + at % 7, billed=billed + at % 7, used=used) for at in range(60))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("wrk -t4 -c100 -d30s http://x/", set()),
        ("wrk -t4 -c400 -d30s http://x/", {"W"}),
        ("wrk -t4 -c100 -d2m http://x/", {"W"}),
        # One of them is its own.
        ("wrk -t4 -c100 -d30s http://x/\nwrk -t12 -c500 -d120s http://x/", set()),
    ],
)
def test_the_command_above_an_output_is_its_own(command: str, expected: set[str]) -> None:
    assert warned(f"{command}\n\n{WRK}", "contradiction") == expected


def test_a_series_over_connections_is_fair_and_one_side_with_more_is_not() -> None:
    series = "\n".join(
        WRK.replace("100 connections", f"{count} connections").replace("7.91ms", f"{latency}ms")
        for count, latency in ((100, "7.91"), (200, "15.61"), (400, "31.02"))
    )
    sides = WRK + WRK.replace("100 connections", "400 connections").replace("/items", "/signed").replace("7.91", "31.0")

    assert warned(series, "apples-and-oranges") == set()
    assert warned(sides, "apples-and-oranges") == {"W"}


@pytest.mark.parametrize(("cut", "expected"), [(50, set()), (6000, {"F"})])
def test_what_oha_aborts_at_its_deadline_is_no_failure_unless_it_is_much(cut: int, expected: set[str]) -> None:
    assert warned(OHA.format(cut=cut), "unequal-work") == expected


def test_two_of_a_hundred_thousand_that_time_out_are_warned_of() -> None:
    text = WRK.replace("74.57MB read\n", "74.57MB read\n  Socket errors: connect 0, read 0, write 0, timeout 2\n")

    assert warned(text, "unequal-work") == set()
    assert warned(text, "said-by-the-tool") == {"W"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (log(), set()),
        # Until 2020 in steps of 100 ms; with the initialisation; and no more than the timeout.
        (log(billed=100), set()),
        (log().replace("Memory Size", "Init Duration: 900.00 ms\tMemory Size").replace("ion: 2", "ion: 92"), set()),
        (REPORT.format(at=1, took=3004.41, billed=3000, used=70), set()),
        (log(billed=9), {"F"}),
        (log(used=512), set()),
        (log(used=700), {"F"}),
    ],
)
def test_what_lambda_bills_and_uses_fits_what_it_took_and_has(text: str, expected: set[str]) -> None:
    assert warned(text, "contradiction") == expected


def test_a_mean_within_its_quantiles_is_no_contradiction() -> None:
    text = sample("wrk.txt")

    assert warned(text, "contradiction") == set()
    assert "F" in warned(text.replace("813.78us", "2.78ms"), "contradiction")


@pytest.mark.parametrize(("seconds", "expected"), [("1.05", {"W"}), ("12.00", set())])
def test_a_run_of_a_second_is_short(seconds: str, expected: set[str]) -> None:
    rate = 381442 / float(seconds)
    text = WRK.replace("30.04s", f"{seconds}s").replace("12697.80", f"{rate:.2f}")

    assert warned(text, "short-run") == expected
