"""JMH's log, table and JSON."""

from __future__ import annotations

import json
import re

import pytest

from sectax.audit.form import Quantity, TroubleKind
from sectax.audit.reading import registry, text
from sectax.formats.bad_input import BadInput
from tests.audit.tools.said import evidence_of, said, sample

LOG, DOCUMENT = sample("jmh.txt"), sample("jmh.json")
TABLE = """
Benchmark    (size)    Mode  Cnt   Score   Error  Units
Sums.sha256    1024    avgt    8   0,859 ± 0,058  us/op
Sums.sha256    1024   thrpt        1,250          ops/us
Sums.sha256    1024  sample  900   0,870 ± 0,010  us/op
Sums.sha256:sha256·p0.99    1024  sample    1,100  us/op
Sums.sha256      16    avgt    8  ≈ 10⁻³          ms/op
"""


def test_iterations_are_the_values_of_a_series() -> None:
    small, large = evidence_of(DOCUMENT).series

    assert small.levels == {"benchmark": "org.example.Sums.sha256", "size": "1024", "mode": "avgt"}
    assert small.values[0] == pytest.approx(0.850e-6, abs=1e-9)
    assert (len(small.values), small.work.replicates) == (8, 2)
    assert large.claim("mean").value == pytest.approx(47.978e-6, abs=1e-9)  # type: ignore[union-attr]


def test_a_log_is_read_by_its_table_or_else_by_its_results() -> None:
    table, results = (evidence_of(text).series for text in (LOG, LOG[: LOG.index("# Run complete")]))

    assert [one.typical for one in table] == pytest.approx([one.typical for one in results], rel=1e-3)
    assert [one.claims[1].value for one in table] == pytest.approx([one.claims[1].value for one in results], rel=1e-3)


def test_a_table_is_read_in_any_locale() -> None:
    average, rate, sampled, rough = evidence_of(TABLE).series

    assert average.claim("error").value == pytest.approx(58e-9)  # type: ignore[union-attr]
    assert rate.quantity is Quantity.RATE
    assert rate.typical == pytest.approx(1.25e6)
    assert sampled.count == 900
    assert sampled.claim("p99").value == pytest.approx(1.1e-6)  # type: ignore[union-attr]
    assert (rough.claims[0].value, rough.claims[0].step) == pytest.approx((1e-6, 1e-6))


def test_a_score_must_be_that_of_its_iterations() -> None:
    document = json.loads(DOCUMENT)
    document[0]["primaryMetric"]["score"] *= 1.03

    assert ("F", "contradiction") in said(json.dumps(document))
    assert ("F", "contradiction") not in said(DOCUMENT)


def test_what_was_neither_forked_nor_warmed_up_is_doubtful() -> None:
    assert ("W", "said-by-the-tool") in said(re.sub(r"# Fork: \d of 2", "# Fork: N/A, test runs in the host VM", LOG))
    assert ("W", "said-by-the-tool") not in said(LOG)


def test_a_failure_and_a_cut_log_are_reported() -> None:
    assert ("F", "said-by-the-tool") in said(LOG.replace("Iteration   4: 0.866 us/op", "Iteration   4: <failure>"))
    first, rest = LOG.split("Result", 1)
    kinds = {trouble.kind for trouble in evidence_of(first + rest.split("\n\n\n", 1)[1]).troubles}
    assert kinds == {TroubleKind.CUT}


def test_a_heading_of_words_is_no_benchmark() -> None:
    assert registry.recognised("# Benchmark: Response Times\n\nIt took 12 ms.\n") is None
    assert registry.recognised("# Benchmark: org.sample.Hash.sha\n") == "jmh"


def test_far_too_many_results_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_MOST_RECORDS", 5)
    log = sample("jmh.txt")

    with pytest.raises(BadInput, match="more than 5 results"):
        registry.read(log * 6)
