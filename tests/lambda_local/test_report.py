"""The platform's lines are Lambda's, to the tab."""

from __future__ import annotations

import pytest

from lambda_local.instances.errors import exit_words
from lambda_local.instances.invocation import InvocationMetrics, billed_ms
from lambda_local.instances.log import end_line, report_line, start_line


def test_a_warm_invocation():
    measured = InvocationMetrics("id", 0.00123, 2, "hello-1", 2, max_memory_bytes=43 * 2**20 - 1)

    assert start_line("id") == "START RequestId: id Version: $LATEST\n"
    assert end_line("id") == "END RequestId: id\n"
    assert report_line(measured, 128) == (
        "REPORT RequestId: id\tDuration: 1.23 ms\tBilled Duration: 2 ms\tMemory Size: 128 MB\t"
        "Max Memory Used: 43 MB\t\n"
    )


def test_a_cold_start_pays_for_its_init_phase():
    measured = InvocationMetrics("id", 0.0013, 65, "hello-1", 1, init_s=0.06291, max_memory_bytes=2**20)

    assert report_line(measured, 128) == (
        "REPORT RequestId: id\tDuration: 1.30 ms\tBilled Duration: 65 ms\tMemory Size: 128 MB\tMax Memory Used: 1 MB\t"
        "Init Duration: 62.91 ms\t\n"
    )


def test_uncounted_values_are_missing_and_memory_is_capped_at_the_limit():
    assert "Max Memory Used" not in report_line(InvocationMetrics("id", 1.0, 1000, "hello-1", 1), 128)
    assert "Max Memory Used: 128 MB" in report_line(
        InvocationMetrics("id", 1.0, 1000, "x", 1, max_memory_bytes=130 * 2**20), 128
    )


@pytest.mark.parametrize(("seconds", "billed"), [(0.0, 1), (0.001, 1), (0.0010049, 2), (3.0, 3000)])
def test_bills_count_whole_milliseconds_rounded_up(seconds, billed):
    assert billed_ms(seconds) == billed


@pytest.mark.parametrize(
    ("status", "end"),
    [("timeout", "Status: timeout\t\n"), ("Runtime.ExitError", "Status: error\tError Type: Runtime.ExitError\t\n")],
)
def test_a_bad_end_is_named(status, end):
    assert report_line(InvocationMetrics("id", 1.0, 1000, "x", 1), 128, status).endswith(end)


@pytest.mark.parametrize(("status", "words"), [(1, "exit status 1"), (-9, "signal: killed"), (-64, "signal: 64")])
def test_exits_are_reported_as_go_says_them(status, words):
    assert exit_words(status) == words
