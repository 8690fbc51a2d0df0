"""The report of one run as Markdown: everything, the summary first, since a document is read from the top."""

from __future__ import annotations

from sectax.model.analysed import Analysed
from sectax.model.finding import Severity
from sectax.model.printable import printable
from sectax.reports.doubts import Lack, Warned
from sectax.reports.markdown.document import Document
from sectax.reports.outline import Group, outline
from sectax.reports.secondary import SECONDARY_MARK

_SEVERITIES = {
    Severity.FATAL: "F, takes the verdict away",
    Severity.WARNING: "W",
    Severity.NOTE: "note",
}


def render(analysed: Analysed, path: str) -> str:
    """The whole report, secondary comparisons included.

    Args:
        analysed: the run, judged.
        path: of the run file, as it is to be shown.
    """
    laid_out = outline(analysed, show_all=True, path=path)
    document = Document()
    document.heading(laid_out.title, 1)
    document.bullets(laid_out.headline)
    if laid_out.resume:
        document.command(laid_out.resume)
    _section(document, "Summary", laid_out.summary)
    _section(document, "Options", laid_out.options)
    document.heading("Findings")
    for group in laid_out.groups:
        _table(document, group, laid_out.factor)
    for footnote in laid_out.footnotes:
        document.paragraph(footnote)
    _section(document, "The run's own controls", laid_out.controls)
    if laid_out.warnings:
        document.heading("Warnings")
        for warned in laid_out.warnings:
            _warning(document, warned)
    _lacks(document, "Skipped", laid_out.skipped)
    _lacks(document, "Failed", laid_out.failed)
    _section(document, "Choices where the published study is silent", laid_out.choices)
    _section(document, "Notes", laid_out.notes)
    _section(document, "Scope", laid_out.scope)
    document.paragraph(f"run file: {printable(laid_out.path)}")
    return document.text()


def _section(document: Document, title: str, texts: tuple[str, ...]) -> None:
    if texts:
        document.heading(title)
        document.bullets(texts)


def _table(document: Document, group: Group, factor: str) -> None:
    if group.title:
        document.heading(group.title, 3)
    differs = any(row.difference for row in group.rows)
    head = [factor, group.unit, *((f"against {group.against}", "verdict") if group.against else ("", ""))]
    if differs:
        head.insert(3, f"difference, {group.difference_unit}")
    rows = []
    for row in group.rows:
        cells = [f"{row.label} {SECONDARY_MARK}" if row.secondary else row.label, row.value, row.effect, row.verdict]
        if differs:
            cells.insert(3, row.difference)
        rows.append(cells)
    document.table(head, rows, frozenset({1, 3} if differs else {1}))


def _warning(document: Document, warned: Warned) -> None:
    document.heading(f"{warned.check} ({_SEVERITIES[warned.severity]})", 3)
    document.paragraph(warned.meaning)
    document.bullets(f"{about}: {saw}" if about else saw for about, saw in warned.seen)
    if warned.advice:
        document.paragraph(f"Try: {warned.advice}")


def _lacks(document: Document, title: str, lacks: tuple[Lack, ...]) -> None:
    if not lacks:
        return
    document.heading(title)
    for lack in lacks:
        document.paragraph(f"{lack.reason}:")
        document.bullets(lack.what)
        if lack.mend:
            document.command(lack.mend)
