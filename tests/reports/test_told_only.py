"""Metrics in which nothing is compared: every treatment's own figure, where all of a report is asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sectax.model.finding import Support
from sectax.model.metric import Better, Metric, Summary
from sectax.reports.markdown import report as markdown
from sectax.reports.outline import outline
from tests.reports import situations

P99 = Metric("p99_duration", "s", Better.LOWER, Summary.P99, "duration", compared=False)


@pytest.fixture
def analysed():
    """Signatures in PHP, of which each treatment also tells a p99 that too few observations carry."""
    made = situations.signatures_in_php()
    plan = replace(made.measured.plan, metrics=(*made.measured.plan.metrics, P99))
    told = replace(situations.estimate(0.002, "s", 80), low=None, high=None, support=Support(60.4, 368))
    return replace(
        made,
        measured=replace(made.measured, plan=plan),
        treatments=tuple(replace(each, estimates=each.estimates | {P99.name: told}) for each in made.treatments),
    )


def test_they_have_a_table_of_their_own_with_the_baseline_and_what_an_interval_lacks(analysed) -> None:
    groups = outline(analysed, show_all=True, path="r").groups
    told = [group for group in groups if not group.against]

    assert len(told) == len(analysed.measured.plan.cells)
    assert told[0].rows[0].label == "RS256"
    assert {row.effect for row in told[0].rows} == {""}
    assert {row.verdict for row in told[0].rows} == {
        "an interval needs at least 368 independent observations; these 80 count as 60"
    }


def test_a_treatment_without_the_figure_is_not_in_its_table(analysed) -> None:
    gone = replace(analysed.treatments[0], estimates={})
    left = outline(replace(analysed, treatments=(gone, *analysed.treatments[1:])), show_all=True, path="r").groups

    assert gone.treatment.rpartition("/")[2] not in [row.label for row in left[1].rows if not left[1].against]


def test_markdown_has_no_word_of_a_comparison_in_it(analysed) -> None:
    text = markdown.render(analysed, "r")

    assert "p99" in text
    assert "against  " not in text
