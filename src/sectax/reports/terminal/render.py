"""A document on a terminal; the answer in words stands at the end, where the eye is."""

from __future__ import annotations

from collections.abc import Iterable

from sectax.model.finding import Severity
from sectax.reports.document import (
    Attachment,
    Block,
    Chart,
    Column,
    Command,
    Document,
    Footnotes,
    Kind,
    Lines,
    NotThere,
    Section,
    Table,
    Text,
    Warned,
    tables,
)
from sectax.reports.terminal.page import INDENT, Page
from sectax.reports.terminal.tables import Widths, common_widths, left_out, plain_table, results_table

_SEVERITY_STYLES = {Severity.FATAL: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def render(document: Document, *, width: int, colour: bool) -> str:
    """The whole document as text.

    Args:
        width: of the terminal, in columns; 60 to 200 read well.
        colour: write escape sequences for colour.
    """
    page = Page(width, colour=colour)
    page.paragraph(document.title, style="bold", indent=0)
    _write(page, document.lead, 0, None)
    for section in sorted(document.sections, key=lambda each: each.kind is Kind.ANSWER):
        _write_section(page, section)
    if document.foot:
        page.blank()
        page.verbatim(document.foot, indent=0)
    return page.text()


def _write_section(page: Page, section: Section) -> None:
    bare = section.kind is Kind.RESULTS
    if not bare:
        page.heading(section.title)
    results = [table for table in tables(section) if table.holds_results]
    widths = common_widths(page.width, results) if results else None
    _write(page, section.blocks, 0 if bare else INDENT, widths)
    for column in left_out(widths, results) if widths else ():
        page.paragraph(f"no room for the column '{column}': it needs a wider terminal", style="dim", indent=0)


def _write(page: Page, blocks: Iterable[Block], indent: int, widths: Widths | None) -> None:
    above: tuple[Column, ...] = ()
    for block in blocks:
        match block:
            case Text(text, strong=True):
                page.blank()
                page.paragraph(text, style="bold", indent=indent)
            case Text(text):
                page.paragraph(text, indent=indent)
            case Lines(texts, long):
                page.lines(texts, indent=indent, hanging=INDENT if long else 0)
            case Command(text, caption):
                if caption:
                    page.paragraph(caption, indent=indent)
                page.verbatim(text)
            case Footnotes(texts):
                page.blank()
                page.lines(texts, indent=indent)
            case Table():
                _write_table(page, block, indent, widths, headed=block.columns != above)
                above = block.columns if block.holds_results and block.title else ()
            case Warned():
                _write_warning(page, block)
            case NotThere(what, why):
                page.paragraph(f"{', '.join(what)}: {why.reason}")
                if why.hint:
                    page.verbatim(why.hint)
            case Chart() | Attachment():
                pass  # pages alone have them


def _write_table(page: Page, table: Table, indent: int, widths: Widths | None, *, headed: bool) -> None:
    page.blank()
    if table.title:
        page.paragraph(table.title, style="dim" if indent else "bold", indent=indent)
    results = widths and table.holds_results
    page.add(results_table(table, widths, headed=headed) if widths and results else plain_table(table), INDENT)


def _write_warning(page: Page, warned: Warned) -> None:
    effect = f", which {warned.consequence}" if warned.consequence else ""
    page.paragraph(f"{warned.severity.value}  {warned.check}{effect}", style=_SEVERITY_STYLES[warned.severity])
    hint = (f"try: {warned.hint}",) if warned.hint else ()
    page.lines((*warned.seen, warned.meaning, *hint), indent=2 * INDENT)
