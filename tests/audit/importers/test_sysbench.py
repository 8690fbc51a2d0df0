"""What outputs of sysbench tell in passing: each with one in which the same is well."""

from __future__ import annotations

import pytest

from sectax.audit.registry import review
from sectax.model.finding import Severity
from tests.audit.importers.said import said
from tests.audit.importers.samples import read

SYSBENCH_1_1 = """sysbench 1.1.0 (using bundled LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 8

Threads started!

SQL statistics:
    queries performed:
        read:                            1400
        write:                           400
        other:                           200
        total:                           2000
    transactions:                        100    (10.00 per sec.)
    ignored errors:                      0      (0.00 per sec.)

Throughput:
    events/s (eps):                      10.0000
    time elapsed:                        10.0000s
    total number of events:              100

Latency (ms):
         min:                                    1.16
         avg:                                    2.50
         max:                                    9.68
         95th percentile:                        4.28
         sum:                                  250.00
"""


def test_sysbench_1_1_is_read() -> None:
    figures = {figure.metric: figure.value for figure in read(SYSBENCH_1_1).figures}

    assert figures["total time"] == 10
    assert figures["events per second"] == 10
    assert "contradiction" not in said(read(SYSBENCH_1_1))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("total:                           2000", "total:                           9000", "all queries"),
        (
            "sum:                                  250.00",
            "sum:                                 2500.00",
            "mean latency",
        ),
        (
            "sum:                                  250.00",
            "sum:                               900000.00",
            "sum of all latencies",
        ),
    ],
)
def test_a_sum_that_is_not_that_of_its_parts_is_found(old: str, new: str, words: str) -> None:
    assert old in SYSBENCH_1_1
    broken = read(SYSBENCH_1_1.replace(old, new))

    assert any(
        words in warning.saw and warning.severity is Severity.FATAL
        for outcome in review(broken)
        if outcome.check == "contradiction"
        for warning in outcome.warnings
    )


def test_outputs_of_sysbench_without_their_first_lines_are_runs_of_their_own() -> None:
    body = SYSBENCH_1_1.partition("SQL statistics:")
    two = read(SYSBENCH_1_1 + body[1] + body[2])

    assert len({figure.measurement for figure in two.figures}) == 2


def test_a_time_that_is_printed_as_nothing_is_doubted() -> None:
    coarse = SYSBENCH_1_1.replace("2.50", "0.00").replace(" 250.00", "   0.05").replace("1.16", "0.00")

    assert said(read(coarse))["timer"][0] == "W"
    assert "timer" not in said(read(SYSBENCH_1_1))


FILEIO_1_1 = """sysbench 1.1.0

Threads started!

Throughput:
         read:  IOPS=1200.00 18.75 MiB/s (19.66 MB/s)
         write: IOPS=800.00 12.50 MiB/s (13.11 MB/s)
         fsync: IOPS=80.00

    time elapsed:                        10.0000s
    total number of events:              20800
"""


def test_files_of_sysbench_1_1_are_read() -> None:
    figures = {figure.metric: figure.value for figure in read(FILEIO_1_1).figures}

    assert figures["read operations per second"] == 1200
    assert figures["written bytes"] == 12.5 * 2**20
    assert "contradiction" not in said(read(FILEIO_1_1))


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("FATAL: mysql_drv_query() returned error 1062", "F"),
        ("ALERT: cannot write", "F"),
        ("WARNING: --max-time is deprecated", "W"),
        ("Forcing shutdown in 5 seconds", "W"),
        ("Number of unfinished transactions on forced shutdown: 3", "W"),
    ],
)
def test_what_sysbench_says_of_itself_is_repeated(line: str, severity: str) -> None:
    told = SYSBENCH_1_1.replace("Threads started!", f"Threads started!\n{line}")

    assert said(read(told))["said-by-the-tool"][0] == severity


def test_sysbench_that_did_nothing_was_not_ended_by_its_clock() -> None:
    nothing = (
        "sysbench 1.0.20\nThreads started!\n  total size: 20480MiB\nTotal operations: 0 (    0.00 per second)\n\n"
        "0.00 MiB transferred (0.00 MiB/sec)\n    total time:       0.0008s\n    total number of events:      0\n"
    )

    assert said(read(nothing))["zero-event-run"][0] == "F"
    assert "fixed-time-total" not in said(read(nothing))


def test_two_quantiles_of_one_share_are_compared() -> None:
    """sysbench --percentile=100 prints the maximum twice, once from its histogram."""
    both = SYSBENCH_1_1.replace(
        "95th percentile:                        4.28", "100th percentile:                       9.73"
    )

    assert "contradiction" not in said(read(both))


def test_a_run_has_a_number_only_beside_others_of_its_name() -> None:
    alone = [figure.id for figure in read(SYSBENCH_1_1).figures]
    twice = [figure.id for figure in read(SYSBENCH_1_1 + SYSBENCH_1_1).figures]

    assert "sql: total time" in alone
    assert {"sql 1: total time", "sql 2: total time"} <= set(twice)
