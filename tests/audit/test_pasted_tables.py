"""Tables as people paste them, each with what is read of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sectax.audit.checks.registry import review
from sectax.audit.form import Series
from sectax.audit.reading.asked import Columns
from sectax.audit.tables.table import looks_like_a_table, read_table
from sectax.model.finding import Severity

CASES = Path(__file__).with_name("pasted_tables.txt").read_text("utf-8").split("\n==== ")[1:]


def in_words(series: Series) -> str:
    levels = ", ".join(f"{factor}={level}" for factor, level in series.levels.items())
    claims = [f"{claim.statistic or 'value'} {claim.value:.6g}" for claim in series.claims]
    count = [f"n {series.count}"] if series.count else []
    failures = [f"failures {series.work.failures:g}"] if series.work.failures else []
    values = [" ".join(f"{value:.6g}" for value in series.values)] if len(series.values) else []
    return f"{series.quantity} {levels or '-'}: {'; '.join([*claims, *values, *count, *failures])}"


@pytest.mark.parametrize("case", CASES, ids=[case.split("\n")[0] for case in CASES])
def test_a_pasted_table_is_read(case: str) -> None:
    text, _, expected = case.partition("\n")[2].partition("\n----\n")

    evidence = read_table(text.split("\n"), Columns())

    found = [*map(in_words, evidence.series), *(f"! {trouble.line}: {trouble.text}" for trouble in evidence.troubles)]
    assert found == expected.strip().split("\n")
    assert looks_like_a_table(text)
    assert not [
        outcome.check
        for outcome in review(evidence)
        if any(warning.severity is Severity.FATAL for warning in outcome.warnings)
    ]
