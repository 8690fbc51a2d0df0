"""pytest-benchmark's JSON."""

from __future__ import annotations

import json

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


def test_a_mean_above_the_maximum_is_none() -> None:
    assert CONTRADICTION in said(with_stats(SUMMARY, mean=1.0))
    assert CONTRADICTION not in said(SUMMARY)


def test_the_data_must_fit_their_summary() -> None:
    assert CONTRADICTION in said(with_stats(DATA, rounds=180))
    assert CONTRADICTION not in said(DATA)
