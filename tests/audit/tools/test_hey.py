"""The output of hey and oha."""

from __future__ import annotations

import pytest

from tests.audit.tools.said import evidence_of, said, sample

PRINT, OHA = sample("hey.txt"), sample("oha.txt")


def test_both_are_read() -> None:
    hey, oha = ({one.metric: one for one in evidence_of(text).series} for text in (PRINT, OHA))

    assert hey["rate"].typical == pytest.approx(1551.355)
    assert hey["latency"].claim("p99").value == pytest.approx(0.0155)  # type: ignore[union-attr]
    assert (hey["rate"].work.operations, hey["rate"].work.failures) == (2000, 0)
    assert oha["latency"].typical == pytest.approx(4.3121e-3)
    assert oha["bandwidth"].typical == pytest.approx(102.24 * 2**20)
    assert oha["latency"].work.connections == 50


@pytest.mark.parametrize(
    ("old", "new"),
    [("10308.1035", "20308.1035"), ("[11402]", "[19402]"), ("100.00%", "80.00%"), ("99.00% in 14", "99.00% in 94")],
)
def test_numbers_that_are_printed_twice_must_agree(old: str, new: str) -> None:
    contradiction = ("F", "contradiction")

    assert contradiction not in said(OHA)
    assert contradiction in said(OHA.replace(old, new))


def test_answers_and_errors_are_counted() -> None:
    refused = OHA.replace(
        "[200] 20000 responses", "[200] 19900 responses\n\nError distribution:\n  [100] connection closed"
    )

    assert evidence_of(refused).series[0].work.failed == {"status": 0, "error": 100}
    assert ("F", "unequal-work") in said(refused)
    assert ("F", "unequal-work") in said(sample("hey-errors.txt"))


def test_requests_that_the_end_cut_off_did_not_fail() -> None:
    ended = OHA + "\nError distribution:\n  [50] aborted due to deadline\n"

    assert ("F", "unequal-work") not in said(ended)


def test_a_million_answers_are_not_all_that_hey_sent() -> None:
    kept = PRINT.replace("2000 responses", "1000000 responses")

    assert evidence_of(kept).series[0].work.operations is None
