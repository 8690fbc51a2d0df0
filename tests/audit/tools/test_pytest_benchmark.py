"""pytest-benchmark's JSON."""

from __future__ import annotations

import json

import pytest

from tests.audit.tools.said import evidence_of, said, sample

SUMMARY, DATA = sample("pytest-benchmark.json"), sample("pytest-benchmark-data.json")
CONTRADICTION = ("F", "contradiction")


def with_stats(text: str, **stats: float) -> str:
    document = json.loads(text)
    document["benchmarks"][0]["stats"] |= stats
    return json.dumps(document)


def test_summaries_are_claims_and_data_are_values() -> None:
    small, large = evidence_of(SUMMARY).series
    first, _ = evidence_of(DATA).series

    assert small.levels == {"benchmark": "test_sums.py::test_sha256", "parameters": "1024"}
    assert (small.count, small.work.batch, len(small.values)) == (4155, 1, 0)
    assert large.claim("mean").value == 0.00019116356427566742  # type: ignore[union-attr]
    assert small.setting.processor == "Intel(R) Xeon(R) Processor"
    assert (len(first.values), first.claim("min").value) == (181, min(first.values))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "stats",
    [
        {"mean": 2.6e-6},
        {"ops": 1e6},
        {"total": 0.01},
        {"iqr": 5e-8},
        {"q1": 1.4e-6},
        {"max": 1.21e-6},
        {"stddev": 1.1e-5},
        {"stddev": 1e-9},
        {"iqr_outliers": 5000},
    ],
)
def test_what_is_printed_twice_must_agree(stats: dict[str, float]) -> None:
    assert CONTRADICTION in said(with_stats(SUMMARY, **stats))
    assert CONTRADICTION not in said(SUMMARY)


def test_the_data_must_fit_their_summary() -> None:
    assert CONTRADICTION in said(with_stats(DATA, rounds=180))
    assert CONTRADICTION not in said(DATA)


def test_rounds_shorter_than_the_step_of_the_clock_show_nothing() -> None:
    short = dict.fromkeys(("min", "q1", "median", "q3", "mean", "max"), 5e-09)

    assert ("F", "timer") in said(with_stats(SUMMARY, **short))
    assert ("F", "timer") not in said(SUMMARY)
