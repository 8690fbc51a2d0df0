"""Comparisons as Markdown: a run beside a published study, or beside another run."""

from __future__ import annotations

from sectax.model.compared import PublishedComparison, RunComparison
from sectax.reports import beside
from sectax.reports.markdown.document import Document


def render_published(comparison: PublishedComparison) -> str:
    """A run beside a published study."""
    return _render(beside.published(comparison))


def render_runs(comparison: RunComparison) -> str:
    """Two runs side by side."""
    return _render(beside.runs(comparison))


def _render(laid_out: beside.Beside) -> str:
    document = Document()
    document.heading(laid_out.title, 1)
    for section in laid_out.sections:
        document.heading(section.title)
        if section.grids:
            for line in section.lines:
                document.paragraph(line)
        elif section.lines:
            document.bullets(section.lines)
        for grid in section.grids:
            if grid.title:
                document.heading(grid.title, 3)
            document.table(grid.head, grid.rows, frozenset(range(len(grid.head))) - grid.left)
        for footnote in section.footnotes:
            document.paragraph(footnote)
    return document.text()
