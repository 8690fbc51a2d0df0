"""The report as Markdown."""

from __future__ import annotations

import pytest

from sectax.reports import markdown
from sectax.reports.report_layout import run_report
from sectax.run.advice import decided
from tests.reports import situations


def written(situation: str) -> str:
    return markdown.render(
        run_report(situations.ALL[situation](), situations.PATH, decided(situations.ALL[situation]()), show_all=True)
    )


@pytest.mark.parametrize(
    "situation",
    [
        "signatures-in-php",
        "every-kind-of-verdict",
        "treatments-skipped",
        "published-preset",
        "hostile-labels",
        "two-commands",
        "watched-by-the-kernel",
        "probe-failed-in-the-pilot",
        "six-hosts",
    ],
)
def test_document_is_as_agreed(situation: str, golden) -> None:
    golden(f"markdown/{situation}.md", written(situation))


@pytest.mark.parametrize("situation", situations.ALL)
def test_every_row_of_a_table_has_the_cells_of_its_head(situation: str) -> None:
    lines = written(situation).splitlines()

    widths: list[int] = []
    for line in lines:
        if line.startswith("| "):
            widths.append(len(_cells(line)))
        else:
            assert len(set(widths)) <= 1
            widths = []


def _cells(line: str) -> list[str]:
    """The cells of a row, as GitHub splits them: at bars that no backslash escapes."""
    cells, current, escaped = [], "", False
    for character in line.strip():
        if character == "|" and not escaped:
            cells.append(current)
            current = ""
        else:
            current += character
        escaped = character == "\\" and not escaped
    return cells


def test_fence_is_longer_than_any_run_of_backticks_inside() -> None:
    writer = markdown.Writer()
    writer.command("echo ````")

    assert writer.text() == "`````\necho ````\n`````\n"
