"""A document on a terminal, the answer last, next to the prompt."""

from __future__ import annotations

from collections.abc import Iterable

from sectax.model.finding import Severity
from sectax.reports import document as parts
from sectax.reports.terminal.page import INDENT, Page
from sectax.reports.terminal.tables import terminal_table
from sectax.text.printable import in_ascii

_SEVERITY_STYLES = {Severity.FATAL: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def render(document: parts.Document, *, width: int, colour: bool, ascii_only: bool = False) -> str:
    """The whole document as text.

    Args:
        width: columns of the terminal; 60 to 200 read well.
        colour: whether to write escape sequences.
        ascii_only: whether to use ASCII only.
    """
    if ascii_only:  # before layout, since '+/-' is longer than '±'
        document = parts.map_texts(document, in_ascii)
    page = Page(width, colour=colour)
    page.paragraph(document.title, style="bold", indent=0)
    _write(page, document.lead, 0)
    for section in sorted(document.sections, key=lambda section: section.kind is parts.SectionKind.ANSWER):
        _write_section(page, section, close=document.is_brief)
    if document.foot:
        if not document.is_brief:
            page.blank()
        page.verbatim(document.foot, indent=0)
    return in_ascii(page.text()) if ascii_only else page.text()


def _write_section(page: Page, section: parts.Section, *, close: bool) -> None:
    if close:
        for block in section.blocks:
            match block:
                case parts.Text(text):
                    page.titled(section.title, text)
                case parts.Table():
                    page.add(terminal_table(block, page.width))
                case _:
                    _write(page, [block], 0)
        return
    without_heading = section.kind is parts.SectionKind.RESULTS
    if not without_heading:
        page.heading(section.title)
    _write(page, section.blocks, 0 if without_heading else INDENT)


def _write(page: Page, blocks: Iterable[parts.Block], indent: int) -> None:
    for block in blocks:
        match block:
            case parts.Text(text, strong=True):
                page.blank()
                page.paragraph(text, style="bold", indent=indent)
            case parts.Text(text):
                page.paragraph(text, indent=indent)
            case parts.Lines(texts, long):
                page.lines(texts, indent=indent, hanging=INDENT if long else 0)
            case parts.Command(text, caption):
                if caption:
                    page.paragraph(caption, indent=indent)
                page.verbatim(text)
            case parts.Footnotes(texts):
                page.blank()
                page.lines(texts, indent=indent)
            case parts.Table():
                _write_table(page, block, indent)
            case parts.WarningBlock():
                _write_warning(page, block)
            case parts.MissingItems(what, why):
                page.paragraph(f"{', '.join(what)}: {why.reason}")
                if why.hint:
                    page.verbatim(why.hint)
            case parts.Drawing():
                pass


def _write_table(page: Page, table: parts.Table, indent: int) -> None:
    page.blank()
    if table.title:
        page.paragraph(table.title, style="dim" if indent else "bold", indent=indent)
    page.add(terminal_table(table, page.width - INDENT), INDENT)


def _write_warning(page: Page, warned: parts.WarningBlock) -> None:
    effect = f", which {warned.consequence}" if warned.consequence else ""
    page.paragraph(f"{warned.severity.value}  {warned.check}{effect}", style=_SEVERITY_STYLES[warned.severity])
    hint = (f"try: {warned.hint}",) if warned.hint else ()
    page.lines((*warned.observations, warned.meaning, *hint), indent=2 * INDENT)
