"""Every kind of result in every format."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from sectax import published
from sectax.analysis.compare import compare_runs, compare_with_published
from sectax.cli.present import Result, View, document, render
from sectax.model.analysed import RunReport
from sectax.reports.document import Table, Tone
from tests.reports import situations
from tests.reports.test_audited import audited
from tests.run.test_advise import given

RESULTS: dict[str, Result] = {
    "run": RunReport(situations.every_kind_of_verdict(), situations.PATH),
    "beside a study": compare_with_published(situations.published_preset(), published.load("jwt-php")),
    "beside a run": compare_runs(situations.signatures_in_php(), situations.verdict_withdrawn()),
    "audit": audited(),
    "advice": given(0.05),
}
EVERY = pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)


@EVERY
def test_terminal_and_markdown_have_all_headings_of_the_document(result: Result) -> None:
    result_document = document(result, show_all=True)
    on_terminal = render(result, "terminal", View(width=100, show_all=True)).splitlines()
    in_markdown = render(result, "markdown").splitlines()

    assert result_document.sections
    for section in result_document.sections:
        assert f"## {section.title}" in in_markdown
        assert section.title in on_terminal or section.kind == "results"
    assert max(map(cell_len, on_terminal)) <= 100


@EVERY
def test_markdown_says_what_the_terminal_says(result: Result) -> None:
    """The same words, apart from markup and order."""

    def words(text: str) -> set[str]:
        return set(re.findall(r"[^\W\d_]{4,}", text.replace("\\", "")))

    on_terminal = words(render(result, "terminal", View(width=200, show_all=True)))
    assert on_terminal - words(render(result, "markdown")) <= {"which"}


def test_intervals_can_be_drawn_from_the_document_alone() -> None:
    result_document = document(RESULTS["run"], show_all=True)
    (table,) = (
        block
        for section in result_document.sections
        for block in section.blocks
        if isinstance(block, Table) and block.margin
    )
    by_label = {row.cells[0]: row for row in table.rows}
    slower = by_label["slower"].interval

    assert table.margin == 0.02
    assert 1.02 < slower.low < 1.0375 < slower.high < 1.05
    assert by_label["slower"].tone is Tone.WORSE
    # Withdrawn and unmeasured comparisons have no interval.
    assert not any(by_label[label].interval for label in ("doubted", "absent"))
