"""ApacheBench's output."""

from __future__ import annotations

import pytest

from tests.audit.tools.said import evidence_of, said, sample

PRINT = sample("ab.txt")
CONTRADICTION, FAILURES = ("F", "contradiction"), ("F", "unequal-work")


def test_rate_times_and_work_are_read() -> None:
    series = {one.metric: one for one in evidence_of(PRINT).series}

    assert series["rate"].typical == pytest.approx(718.10)
    assert series["bandwidth"].typical == pytest.approx(6021.83 * 1024)
    latency = series["latency"]
    assert latency.id == "127.0.0.1:18765/: latency"
    assert (latency.claim("p99").value, latency.claim("p99").step) == pytest.approx((0.087, 0.001))  # type: ignore[union-attr]
    work = latency.work
    assert (work.operations, work.duration_s, work.connections, work.failures) == (2000, 2.785, 4, 0)
    assert not {check for severity, check in said(PRINT) if severity == "F"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("718.10 [#/sec]", "818.10 [#/sec]"),
    ],
)
def test_numbers_that_are_printed_twice_must_agree(old: str, new: str) -> None:
    assert old in PRINT
    assert CONTRADICTION in said(PRINT.replace(old, new))


def test_answers_that_are_errors_are_failures() -> None:
    assert FAILURES in said(sample("ab-errors.txt"))


@pytest.mark.parametrize(("html", "fails"), [(16800000, False), (16140000, True)])
def test_answers_of_another_length_fail_where_they_are_another_page(html: int, fails: bool) -> None:
    kinds = "Failed requests:        100\n   (Connect: 0, Receive: 0, Length: 100, Exceptions: 0)"
    other = PRINT.replace("Failed requests:        0", kinds).replace("16800000", str(html))

    assert (FAILURES in said(other)) is fails
    assert (("W", "said-by-the-tool") in said(other)) is not fails
    assert ("W", "said-by-the-tool") not in said(PRINT)


def test_a_print_without_its_end_is_reported() -> None:
    assert ("W", "said-by-the-tool") in said(PRINT[: PRINT.index("Transfer rate")])
