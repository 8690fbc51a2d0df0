"""Render any result in any format: one layout per kind of result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from sectax.model.advice import Advice
from sectax.model.analysed import RunReport
from sectax.model.audited import Audited
from sectax.model.compared import PublishedComparison, RunComparison
from sectax.model.condition import Concluded
from sectax.model.errors import WrongUse
from sectax.model.history import History
from sectax.model.plan import Plan
from sectax.reports import csv, markdown, terminal
from sectax.reports.advice_layout import advice_report
from sectax.reports.audit_layout import audit_report
from sectax.reports.comparison_layout import published_comparison, run_comparison
from sectax.reports.document import Document, Section, SectionKind, lines, sections
from sectax.reports.history_layout import history_report
from sectax.reports.report_layout import run_report
from sectax.run.advice import decided
from sectax.run.conditions import line

Result = RunReport | PublishedComparison | RunComparison | Audited | Advice | History


@dataclass(frozen=True)
class View:
    """How to show a result.

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
    """The document of a result, for any format."""
    match result:
        case RunReport():
            page = run_report(result.analysed, result.path, decided(result.analysed), show_all=show_all)
            return _with_limits(page, result.conditions, result.analysed.measured.plan)
        case PublishedComparison():
            return published_comparison(result, show_all=show_all)
        case RunComparison():
            page = run_comparison(result, show_all=show_all)
            return _with_limits(page, result.conditions, result.plans[0])
        case Audited():
            return audit_report(result, show_all=show_all)
        case Advice():
            return advice_report(result)
        case History():
            return history_report(result, show_all=show_all)


def _with_limits(page: Document, answers: Iterable[Concluded], plan: Plan) -> Document:
    limits = Section("Limits", lines((line(answer, plan) for answer in answers), long=True), SectionKind.ANSWER)
    return replace(page, sections=(*page.sections, *sections(limits)))


def as_markdown(page: Document) -> str:
    return markdown.render(page)


def render(result: Result, format_: str, view: View | None = None) -> str:
    """Render a result in one of `FORMATS`, with a final line break.

    Raises:
        WrongUse: the format has no form for this kind of result.
    """
    return _RENDERERS[format_](result, view or View())


def on_terminal(page: Document, view: View) -> str:
    """Render a document for a terminal."""
    return terminal.render(page, width=view.width, colour=view.colour, ascii_only=view.ascii_only)


def _html(result: Result, view: View) -> str:
    from sectax.reports import html
    from sectax.reports.forest import forest
    from sectax.reports.page_layout import run_page
    from sectax.run.advice import experiment_rows

    page = document(result, show_all=True)
    if isinstance(result, RunReport):
        picture = forest(result.analysed, result.path, decided(result.analysed))
        page = run_page(page, result.analysed, picture, experiment_rows(result.analysed))
    return html.render(page)


def _svg(result: Result, view: View) -> str:
    from sectax.reports import html
    from sectax.reports.forest import forest

    if not isinstance(result, RunReport):
        raise WrongUse("pictures are made of runs only", "choose another format")
    picture = forest(result.analysed, result.path, decided(result.analysed))
    if picture is None:
        raise WrongUse("there is no picture: no comparison has an interval", "sectax show says what was measured")
    return html.render_picture(picture)


def _csv(result: Result, view: View) -> str:
    if not isinstance(result, RunReport):
        raise WrongUse("CSV is made of runs only", "choose another format")
    return csv.render(result.analysed, view.table)


def _json(result: Result, view: View) -> str:
    from sectax.reports import json

    if isinstance(result, History):
        import msgspec

        return msgspec.json.encode(result).decode() + "\n"
    return json.document(result).decode()


_RENDERERS: Mapping[str, Callable[[Result, View], str]] = {
    "terminal": lambda result, view: on_terminal(document(result, show_all=view.show_all), view),
    "markdown": lambda result, view: markdown.render(document(result, show_all=True)),
    "csv": _csv,
    "html": _html,
    "svg": _svg,
    "json": _json,
}
# The tables of a CSV report.
TABLES = csv.TABLES
# The formats of a report.
FORMATS = tuple(name for name in _RENDERERS if name != "terminal")
