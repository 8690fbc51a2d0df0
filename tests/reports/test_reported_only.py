"""Uncompared metrics: the figure of every treatment in the full report."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sectax.model.metric import Better, Metric, Summary
from sectax.reports import markdown
from sectax.reports.document import ColumnRole, Table
from sectax.reports.report_layout import run_report
from sectax.reports.result_tables import result_tables, visible
from sectax.run.advice import decided
from tests.reports.situations.signatures import THROUGHPUT, signatures

P99 = Metric("p99_duration", "s", Better.LOWER, Summary.P99, "duration", compared=False)


@pytest.fixture
def analysed():
    """Signatures in PHP with a p99 from too few observations."""
    case = signatures(metrics=(THROUGHPUT, P99))
    case.truth |= {f"{name}:duration": 0.002 for name in case.truth}
    return case.build()


def uncompared_tables(analysed) -> list[Table]:
    """The tables without comparisons."""
    every = result_tables(analysed, visible(analysed, show_all=True))
    return [item for item in every if isinstance(item, Table) and not column(item, ColumnRole.EFFECT)[0]]


def column(table: Table, part: ColumnRole) -> list[str]:
    (place,) = (place for place, item in enumerate(table.columns) if item.part is part)
    return [table.columns[place].head, *(row.cells[place] for row in table.rows)]


def test_uncompared_metric_has_a_table_with_the_baseline_and_missing_intervals(analysed) -> None:
    uncompared = uncompared_tables(analysed)

    assert len(uncompared) == len(analysed.measured.plan.cells)
    assert column(uncompared[0], ColumnRole.LABEL)[1] == "RS256"
    assert set(column(uncompared[0], ColumnRole.EFFECT)) == {""}
    # How many of them count depends on the draw.
    lacks = "an interval needs at least 368 independent observations in at least 20 blocks; these 112 count as "
    assert all(words.startswith(lacks) for words in column(uncompared[0], ColumnRole.VERDICT)[1:])


def test_a_treatment_without_the_figure_is_not_in_its_table(analysed) -> None:
    without_estimates = replace(analysed.treatments[0], estimates={})
    of_first, of_second = uncompared_tables(replace(analysed, treatments=(without_estimates, *analysed.treatments[1:])))

    assert column(of_first, ColumnRole.LABEL)[1:] == ["ES256", "EdDSA"]
    assert column(of_second, ColumnRole.LABEL)[1:] == ["RS256", "ES256", "EdDSA"]


def test_markdown_has_no_comparison(analysed) -> None:
    text = markdown.render(run_report(analysed, "r", decided(analysed), show_all=True))

    assert "p99" in text
    assert "against  " not in text
