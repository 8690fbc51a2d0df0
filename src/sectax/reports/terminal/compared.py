"""Comparisons on a terminal: a run beside a published study, or beside another run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sectax.model.compared import PublishedComparison, RunComparison
from sectax.reports import beside
from sectax.reports.terminal.page import INDENT, Page, styled

if TYPE_CHECKING:
    from rich.table import Table


def render_published(comparison: PublishedComparison, *, width: int, colour: bool) -> str:
    """A run beside a published study, as text of the given width in columns."""
    return _render(beside.published(comparison), width, colour)


def render_runs(comparison: RunComparison, *, width: int, colour: bool) -> str:
    """Two runs side by side, as text of the given width in columns."""
    return _render(beside.runs(comparison), width, colour)


def _render(laid_out: beside.Beside, width: int, colour: bool) -> str:
    page = Page(width, colour=colour)
    page.paragraph(laid_out.title, style="bold", indent=0)
    for section in laid_out.sections:
        page.heading(section.title)
        page.lines(section.lines)
        for grid in section.grids:
            page.blank()
            if grid.title:
                page.paragraph(grid.title, style="dim")
            page.add(_table(grid), INDENT)
        if section.footnotes:
            page.blank()
            page.lines(section.footnotes)
    return page.text()


def _table(grid: beside.Grid) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_edge=False)
    for place, head in enumerate(grid.head):
        table.add_column(styled(head), justify="left" if place in grid.left else "right", overflow="fold")
    for row in grid.rows:
        table.add_row(*(styled(cell) for cell in row))
    return table
