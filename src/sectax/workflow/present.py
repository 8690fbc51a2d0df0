"""Where results meet reports: every kind of result has its layout and its JSON, and every format is one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sectax.model.advice import Advice
from sectax.model.analysed import RunReport
from sectax.model.audited import Audited
from sectax.model.compared import PublishedComparison, RunComparison
from sectax.model.errors import WrongUse
from sectax.reports import csv, markdown, terminal
from sectax.reports.advice_layout import advice_report
from sectax.reports.audit_layout import audit_report
from sectax.reports.comparison_layout import published_comparison, run_comparison
from sectax.reports.document import Document
from sectax.reports.report_layout import run_report

Result = RunReport | PublishedComparison | RunComparison | Audited | Advice


@dataclass(frozen=True)
class View:
    """How a result is to be seen.

    Attributes:
        width: of the terminal, in columns. colour: whether escape sequences for colour are written.
        show_all: secondary comparisons too, and every subject of a warning.
        table: which one a CSV holds.
        ascii_only: whether a terminal is to show ASCII alone.
    """

    width: int = 100
    colour: bool = False
    show_all: bool = False
    table: str = csv.TABLES[0]
    ascii_only: bool = False


def document(result: Result, *, show_all: bool) -> Document:
    """What a report of the result says, whatever the format."""
    match result:
        case RunReport():
            return run_report(result.analysed, result.path, show_all=show_all)
        case PublishedComparison():
            return published_comparison(result)
        case RunComparison():
            return run_comparison(result, show_all=show_all)
        case Audited():
            return audit_report(result, show_all=show_all)
        case Advice():
            return advice_report(result)


def render(result: Result, format_: str, view: View | None = None) -> str:
    """The result in one of the formats below, with a line break at its end.

    Raises:
        WrongUse: the format has no form for this kind of result.
    """
    return _RENDERERS[format_](result, view or View())


def _terminal(result: Result, view: View) -> str:
    made = document(result, show_all=view.show_all)
    return terminal.render(made, width=view.width, colour=view.colour, ascii_only=view.ascii_only)


def _markdown(result: Result, view: View) -> str:
    return markdown.render(document(result, show_all=True))


def _html(result: Result, view: View) -> str:
    from sectax.reports import html
    from sectax.reports.page_layout import published_page, run_page, runs_page
    from sectax.workflow.advise import breakdown

    made = document(result, show_all=True)
    match result:
        case RunReport():
            made = run_page(made, result.analysed, breakdown(result.analysed))
        case PublishedComparison():
            made = published_page(made, result)
        case RunComparison():
            made = runs_page(made, result)
    return html.render(made)


def _csv(result: Result, view: View) -> str:
    if not isinstance(result, RunReport):
        raise WrongUse("only a run has a CSV", "choose another format")
    return csv.render(result.analysed, view.table)


def _json(result: Result, view: View) -> str:
    from sectax.reports import json

    return json.document(result).decode()


_RENDERERS: Mapping[str, Callable[[Result, View], str]] = {
    "terminal": _terminal,
    "markdown": _markdown,
    "csv": _csv,
    "html": _html,
    "json": _json,
}
# Which table a CSV may hold.
TABLES = csv.TABLES
# What a report can be written as.
FORMATS = tuple(name for name in _RENDERERS if name != "terminal")
