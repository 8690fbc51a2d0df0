"""What load clients tell of a run in two ways: the audit says where it does not agree, and is silent where it does."""

from __future__ import annotations

import re

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


@pytest.mark.parametrize(("cut", "expected"), [(50, set()), (6000, {"F", "W"})])
def test_what_oha_aborts_at_its_deadline_is_no_failure_unless_it_is_much(cut: int, expected: set[str]) -> None:
    assert warned(OHA.format(cut=cut), "unequal-work") == expected


def test_two_of_a_hundred_thousand_that_time_out_are_warned_of() -> None:
    text = WRK.replace("74.57MB read\n", "74.57MB read\n  Socket errors: connect 0, read 0, write 0, timeout 2\n")

    assert warned(text, "unequal-work") == {"W"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (log(), set()),
        # Until 2020 in steps of 100 ms; with the initialisation; and no more than the timeout.
        (re.sub(r"Billed Duration: \d+", "Billed Duration: 100", log()), set()),
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


def test_the_summary_below_the_spectrum_of_wrk2_is_that_above_it() -> None:
    text = sample("wrk2.txt")

    assert warned(text, "contradiction") == set()
    assert warned(text.replace("#[Mean    =        1.440", "#[Mean    =        9.440"), "contradiction") == {"F"}


def test_an_emulator_that_always_says_that_all_memory_was_used_is_no_full_memory() -> None:
    """AWS SAM does, and puts the initialisation first."""
    real = (
        "REPORT RequestId: 1a\tDuration: 19.10 ms\tBilled Duration: 20 ms\t"
        "Memory Size: 128 MB\tMax Memory Used: 128 MB\tInit Duration: 5.10 ms\t"
    )
    emulated = (
        "REPORT RequestId: 1a\tInit Duration: 0.81 ms\tDuration: 19.10 ms\tBilled Duration: 20 ms\t"
        "Memory Size: 128 MB\tMax Memory Used: 128 MB\t"
    )

    assert warned(real, "said-by-the-tool") == {"W"}
    assert warned(emulated, "said-by-the-tool") == set()


SLOW_AB = """Server Hostname:        localhost
Server Port:            3000

Document Path:          /
Document Length:        12 bytes

Concurrency Level:      1
Time taken for tests:   {wall:.3f} seconds
Complete requests:      {requests}
Failed requests:        0
Total transferred:      {moved} bytes
HTML transferred:       {body} bytes
Requests per second:    {rate:.2f} [#/sec] (mean)
Time per request:       {each:.3f} [ms] (mean)
Time per request:       {each:.3f} [ms] (mean, across all concurrent requests)
Transfer rate:          {kilobytes:.2f} [Kbytes/sec] received

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    0   0.1      0       0
Processing: {least:5.0f} {each:4.0f}   1.9 {each:6.0f}    {most:.0f}
Waiting:        0    0   0.1      0       0
Total:      {least:5.0f} {each:4.0f}   1.9 {each:6.0f}    {most:.0f}
"""


@pytest.mark.parametrize("seconds", [0.3, 2.006, 7.3, 11.7, 23.4, 41.9])
def test_digits_of_slow_answers_are_no_contradiction(seconds: float) -> None:
    """Two digits after the point are few where a request takes seconds."""
    wall = 10 * seconds
    text = SLOW_AB.format(
        wall=wall,
        requests=10,
        moved=510,
        body=120,
        rate=1 / seconds,
        each=1e3 * seconds,
        kilobytes=510 / 1024 / wall,
        least=990 * seconds,
        most=1010 * seconds,
    )

    assert warned(text, "contradiction") == set()


def test_every_run_of_wrk_counts_also_where_only_its_last_lines_were_copied() -> None:
    second = (
        "\n  921 requests in 30.03s, 169.09KB read\n  Socket errors: connect 0, read 90, write 0, timeout 0\n"
        "Requests/sec:     30.67\nTransfer/sec:      5.63KB\n"
    )
    third = "\n  360000 requests in 30.03s, 71.09MB read\nRequests/sec:     11988.01\nTransfer/sec:      2.37MB\n"

    assert warned(WRK + second + third, "unequal-work") == {"F", "W"}
    assert warned(WRK + third, "unequal-work") == set()


def test_threads_that_pause_look_faster_than_the_whole_and_that_is_no_contradiction() -> None:
    """wrk leaves tenths of a second out in which nothing was answered."""
    paused = WRK.replace("3.19k   214.80     3.82k", "9.91k     4.10k    16.20k")

    assert warned(paused, "contradiction") == set()
    assert warned(paused, "said-by-the-tool") == {"W"}
    assert warned(WRK.replace("3.19k   214.80     3.82k", "319.00   21.40    382.00"), "contradiction") == {"F"}


TINY = """sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)

Running the test with following options:
Number of threads: 1

Running memory speed test with the following options:
  block size: {block}KiB
  total size: 102400MiB
  operation: write
  scope: global

Threads started!

Total operations: 7137143 (713714.33 per second)

{moved:.2f} MiB transferred ({rate:.2f} MiB/sec)


General statistics:
    total time:                          10.0001s
    total number of events:              7137143

Latency (ms):
         min:                                    0.00
         avg:                                    0.00
         max:                                    4.30
         95th percentile:                        0.01
         sum:                                 9363.36

Threads fairness:
    events (avg/stddev):           7137143.0000/0.00
    execution time (avg/stddev):   9.3634/0.00
"""


@pytest.mark.parametrize(("block", "bytes_"), [(1, 1024), (1, 1500), (0, 512), (4, 4096), (1024, 2**20)])
def test_two_digits_of_short_events_and_whole_kib_of_blocks_are_no_contradiction(block: int, bytes_: int) -> None:
    moved = 7137143 * bytes_ / 2**20

    assert warned(TINY.format(block=block, moved=moved, rate=moved / 10.0001), "contradiction") == set()
