"""What the lines of a log of AWS Lambda tell of each other: sleeps, errors, retries, cold starts, what is billed."""

from __future__ import annotations

import pytest

from tests.audit.importers.said import said
from tests.audit.importers.samples import read


def report(took: float, billed: int | None = None, request: int = 1, more: str = "", memory: int = 512) -> str:
    return (
        f"REPORT RequestId: {request}\tDuration: {took} ms\tBilled Duration: {billed or -int(-took // 1)} ms\t"
        f"Memory Size: {memory} MB\tMax Memory Used: 76 MB\t{more}\n"
    )


@pytest.mark.parametrize(
    ("billed", "more", "found"),
    [
        (46, "", None),
        (100, "", None),
        (46, "Init Duration: 891.33 ms", None),
        (937, "Init Duration: 891.33 ms", None),
        (1000, "Init Duration: 891.33 ms", None),
        (213, "Restore Duration: 244.38 ms\tBilled Restore Duration: 167 ms", None),
        (946, "Init Duration: 891.33 ms", "W"),
        (93, "", "F"),
        (460, "", "F"),
    ],
)
def test_what_is_billed_is_the_duration_rounded_up(billed: int, more: str, found: str | None) -> None:
    assert said(read(report(45.21, billed, more=more))).get("contradiction", (None,))[0] == found


def test_bills_in_two_steps_are_of_two_eras() -> None:
    old, new = report(45.21, 100, 1), report(45.3, 46, 2)

    assert said(read(old + new))["apples-and-oranges"][0] == "W"
    assert "apples-and-oranges" not in said(read(old + report(99.7, 100, 2)))


def test_no_invocation_lasts_longer_than_a_timeout_can_be() -> None:
    assert said(read(report(960_000.0)))["contradiction"][0] == "F"
    assert "contradiction" not in said(read(report(899_000.0)))


@pytest.mark.parametrize(
    "line", ["Sleeping for 70 seconds", "INFO waiting 70s before the next try", "sleep 70000ms", "Delaying by 70.0 sec"]
)
def test_a_duration_that_is_a_sleep_is_a_fixed_time(line: str) -> None:
    start = "START RequestId: 1 Version: $LATEST\n"

    assert said(read(f"{start}{line}\n{report(70_001.07)}"))["fixed-time-total"][0] == "W"
    assert "fixed-time-total" not in said(read(f"{start}{line}\n{report(75_001.07)}"))
    assert "fixed-time-total" not in said(read(f"{line}\n{start}{report(70_001.07)}"))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("[ERROR]\t2026-01-05T02:24:38.304Z\t99d50aef\tno notification was sent", True),
        ("2026-01-05 Failed to send notification", True),
        ('{"level":"error","msg":"connection refused"}', True),
        ("Traceback (most recent call last):", True),
        ("botocore.exceptions.ClientError: denied", True),
        ("2021-01-01 INFO 0 errors, error: null", False),
        ("AWS_XRAY_CONTEXT_MISSING has value: LOG_ERROR.", False),
        ("[INFO] 2026-01-05 done", False),
    ],
)
def test_errors_that_only_a_line_of_the_log_tells_are_said(line: str, found: bool) -> None:
    assert ("unequal-work" in said(read(f"{line}\n{report(12.5)}"))) is found


@pytest.mark.parametrize(("second", "check"), [(12.5, "copied-data"), (15.5, "unequal-work")])
def test_a_request_that_comes_twice_is_a_copy_or_a_retry(second: float, check: str) -> None:
    words = said(read(report(12.5) + report(second)))

    assert words[check][0] == "W"
    assert not {"copied-data", "unequal-work"} & set(said(read(report(12.5) + report(second, request=2))))


@pytest.mark.parametrize(("first", "found"), [(24_293.23, True), (30.5, False)])
def test_a_first_invocation_after_the_start_is_cold_also_where_nothing_marks_it(first: float, found: bool) -> None:
    text = f"INIT_START Runtime Version: dotnet:6.v13\n{report(first)}{report(9.91, request=2)}"

    assert ("first-trial" in said(read(text))) is found


def test_a_report_without_its_first_words_is_read() -> None:
    (figure,) = (each for each in read(report(9.91).partition("\t")[2]).figures if each.metric == "duration")

    assert list(figure.values) == [pytest.approx(0.00991)]


def test_a_report_whose_fields_stand_below_each_other_is_read() -> None:
    text = "START RequestId: 1 Version: 7\n" + report(9.91).replace("\t", "\n") + "\n" + report(8.5, request=2)

    (figure,) = (each for each in read(text).figures if each.metric == "duration")
    assert list(figure.values) == pytest.approx([0.00991, 0.0085])


def test_a_report_that_was_cut_short_is_read_as_far_as_it_goes() -> None:
    (figure,) = read("REPORT RequestId: 1\tDuration: 3003.17 ms\tBilled Dur").figures

    assert list(figure.values) == [pytest.approx(3.00317)]
