"""A document as Markdown; the answer in words comes first, since a page is read from the top."""

from __future__ import annotations

from collections.abc import Iterable

from sectax.reports.document import (
    Block,
    Command,
    Document,
    Drawing,
    Footnotes,
    Lines,
    NotThere,
    Table,
    Text,
    Warned,
)
from sectax.reports.markdown.writer import Writer


def render(document: Document) -> str:
    """The whole document as text."""
    writer = Writer()
    writer.heading(document.title, 1)
    for section in document.answers:
        writer.heading(section.title)
        _write(writer, section.blocks)
    if document.answers and document.lead:
        writer.heading("The run")
    _write(writer, document.lead)
    for section in document.others:
        writer.heading(section.title)
        _write(writer, section.blocks)
    if document.foot:
        writer.paragraph(document.foot)
    return writer.text()


def _write(writer: Writer, blocks: Iterable[Block]) -> None:
    for block in blocks:
        match block:
            case Text(text, strong):
                writer.paragraph(text, strong=strong)
            case Lines(texts):
                writer.bullets(texts)
            case Command(text):
                writer.command(text)
            case Footnotes(texts):
                for text in texts:
                    writer.paragraph(text)
            case Table():
                _write_table(writer, block)
            case Warned():
                _write_warning(writer, block)
            case NotThere(what, why):
                writer.paragraph(f"{why.reason}:")
                writer.bullets(what)
                if why.hint:
                    writer.command(why.hint)
            case Drawing():
                pass


def _write_table(writer: Writer, table: Table) -> None:
    if table.title:
        writer.heading(table.title, 3)
    columns = [table.columns[place] for place in table.shown]
    writer.table(
        [column.head for column in columns],
        ([row.cells[place] for place in table.shown] for row in table.rows),
        frozenset(place for place, column in enumerate(columns) if column.right),
    )


def _write_warning(writer: Writer, warned: Warned) -> None:
    effect = f", {warned.consequence}" if warned.consequence else ""
    writer.heading(f"{warned.check} ({warned.severity.value}{effect})", 3)
    writer.paragraph(warned.meaning)
    writer.bullets(warned.seen)
    if warned.hint:
        writer.paragraph(f"Try: {warned.hint}")
