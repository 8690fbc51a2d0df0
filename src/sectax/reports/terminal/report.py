"""The report of one run on a terminal; the summary in words stands at the end, where the eye is."""

from __future__ import annotations

from sectax.model.analysed import Analysed
from sectax.model.finding import Severity
from sectax.model.printable import printable
from sectax.reports.doubts import Lack, Warned
from sectax.reports.outline import Outline, outline
from sectax.reports.terminal.page import INDENT, Page
from sectax.reports.terminal.tables import write_groups

_SEVERITY_STYLES = {Severity.FATAL: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}
# Of a warning that many subjects share, so many are shown; the JSON report has them all.
_MOST_SUBJECTS = 4


def render(analysed: Analysed, *, width: int, colour: bool, show_all: bool, path: str) -> str:
    """The whole report as text.

    Args:
        analysed: the run, judged.
        width: of the terminal, in columns; 60 to 200 read well.
        colour: write escape sequences for colour.
        show_all: secondary comparisons too.
        path: of the run file, as it is to be shown.
    """
    page = Page(width, colour=colour)
    laid_out = outline(analysed, show_all=show_all, path=path)
    page.paragraph(laid_out.title, style="bold", indent=0)
    page.lines(laid_out.headline, indent=0)
    if laid_out.resume:
        page.paragraph("to go on with it:", indent=0)
        page.verbatim(laid_out.resume)
    _write_section(page, "Options", laid_out.options)
    write_groups(page, laid_out)
    if laid_out.footnotes:
        page.blank()
        page.lines(laid_out.footnotes, indent=0)
        if laid_out.see_all:
            page.verbatim(laid_out.see_all)
    _write_doubts(page, laid_out, show_all)
    _write_section(page, "Choices where the published study is silent", laid_out.choices)
    _write_section(page, "Notes", laid_out.notes)
    _write_section(page, "Scope", laid_out.scope)
    _write_section(page, "Summary", laid_out.summary)
    page.blank()
    page.verbatim(f"run file: {printable(laid_out.path)}", indent=0)
    return page.text()


def _write_doubts(page: Page, laid_out: Outline, show_all: bool) -> None:
    _write_section(page, "The run's own controls", laid_out.controls)
    if laid_out.warnings:
        page.heading("Warnings")
        for warned in laid_out.warnings:
            _write_warning(page, warned, show_all)
    _write_lacks(page, "Skipped", laid_out.skipped, show_all)
    _write_lacks(page, "Failed", laid_out.failed, show_all)


def _write_section(page: Page, title: str, texts: tuple[str, ...]) -> None:
    if texts:
        page.heading(title)
        page.lines(texts)


def _write_warning(page: Page, warned: Warned, show_all: bool) -> None:
    effect = ", which takes the verdict away" if warned.severity is Severity.FATAL else ""
    page.paragraph(f"{warned.severity.value}  {warned.check}{effect}", style=_SEVERITY_STYLES[warned.severity])
    shown = warned.seen if show_all else warned.seen[:_MOST_SUBJECTS]
    for about, saw in shown:
        page.paragraph(f"{about}: {saw}" if about else saw, indent=2 * INDENT)
    if len(shown) < len(warned.seen):
        page.paragraph(f"and {len(warned.seen) - len(shown)} more", indent=2 * INDENT)
    page.paragraph(warned.meaning, indent=2 * INDENT)
    if warned.advice:
        page.paragraph(f"try: {warned.advice}", indent=2 * INDENT)


def _write_lacks(page: Page, title: str, lacks: tuple[Lack, ...], show_all: bool) -> None:
    if not lacks:
        return
    page.heading(title)
    for lack in lacks:
        what = ", ".join(lack.what) if show_all or len(lack.what) <= _MOST_SUBJECTS else lack.briefly
        page.paragraph(f"{what}: {lack.reason}")
        if lack.mend:
            page.verbatim(lack.mend)
