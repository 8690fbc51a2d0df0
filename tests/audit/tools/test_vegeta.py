"""vegeta's report as text and as JSON."""

from __future__ import annotations

import json

import pytest

from tests.audit.tools.said import evidence_of, said, sample

PRINT = sample("vegeta.txt")
DOCUMENT = json.loads(sample("vegeta.json"))


@pytest.mark.parametrize("text", [PRINT, json.dumps(DOCUMENT)])
def test_both_forms_are_read(text: str) -> None:
    (latency,) = evidence_of(text).series

    assert latency.typical == pytest.approx(9.794e-3)
    assert latency.claim("p99").value == pytest.approx(0.036)  # type: ignore[union-attr]
    work = latency.work
    assert (work.operations, work.failures, work.by_schedule) == (1500, 0, True)
    assert work.duration_s == pytest.approx(29.99, abs=1e-3)
    assert said(text) == set()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("50.03, 50.02", "60.03, 50.02"),
        ("29.99s,", "39.99s,"),
        ("200:1500", "200:1400"),
        ("36ms", "136ms"),
    ],
)
def test_numbers_that_are_printed_twice_must_agree(old: str, new: str) -> None:
    assert ("F", "contradiction") in said(PRINT.replace(old, new))


def test_answers_that_are_errors_are_failures() -> None:
    failing = PRINT.replace("200:1500", "200:1350  503:150").replace("100.00%", "90.00%").replace("50.02", "45.02")

    assert said(failing) == {("F", "unequal-work")}


@pytest.mark.parametrize(("rate", "saturated"), [("50/s", False), ("60", True), ("5/1m", False)])
def test_the_rate_of_the_command_was_asked_for(rate: str, saturated: bool) -> None:
    text = f"vegeta attack -duration=30s -rate={rate} | vegeta report\n{PRINT}"

    assert (("F", "saturated-client") in said(text)) is saturated


def test_a_report_without_its_end_is_reported() -> None:
    assert ("W", "said-by-the-tool") in said(PRINT[: PRINT.index("Status")])
