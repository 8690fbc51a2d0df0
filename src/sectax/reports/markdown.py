"""A document as Markdown, the answer first; texts are escaped only here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sectax.reports import document as parts
from sectax.reports.escape import markdown, markdown_block
from sectax.text.printable import printable


def render(document: parts.Document) -> str:
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


def _write(writer: Writer, blocks: Iterable[parts.Block]) -> None:
    for block in blocks:
        match block:
            case parts.Text(text, strong):
                writer.paragraph(text, strong=strong)
            case parts.Lines(texts):
                writer.bullets(texts)
            case parts.Command(text):
                writer.command(text)
            case parts.Footnotes(texts):
                for text in texts:
                    writer.paragraph(text)
            case parts.Table():
                _write_table(writer, block)
            case parts.WarningBlock():
                _write_warning(writer, block)
            case parts.MissingItems(what, why):
                writer.paragraph(f"{why.reason}:")
                writer.bullets(what)
                if why.hint:
                    writer.command(why.hint)
            case parts.Drawing():
                pass


def _write_table(writer: Writer, table: parts.Table) -> None:
    if table.title:
        writer.heading(table.title, 3)
    columns = [table.columns[place] for place in table.shown]
    writer.table(
        [column.head for column in columns],
        ([row.cells[place] for place in table.shown] for row in table.rows),
        frozenset(place for place, column in enumerate(columns) if column.right),
    )


def _write_warning(writer: Writer, warned: parts.WarningBlock) -> None:
    effect = f", {warned.consequence}" if warned.consequence else ""
    writer.heading(f"{warned.check} ({warned.severity.value}{effect})", 3)
    writer.paragraph(warned.meaning)
    writer.bullets(warned.observations)
    if warned.hint:
        writer.paragraph(f"Try: {warned.hint}")


class Writer:
    """Collects paragraphs, lists and tables, each set off by an empty line."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def heading(self, text: str, depth: int = 2) -> None:
        self._parts.append(f"{'#' * depth} {markdown(text)}")

    def paragraph(self, text: str, *, strong: bool = False) -> None:
        self._parts.append(f"**{markdown(text)}**" if strong else markdown_block(text))

    def bullets(self, texts: Iterable[str]) -> None:
        self._parts.append("\n".join(f"- {markdown_block(text)}" for text in texts))

    def command(self, text: str) -> None:
        """A command in a fence longer than any run of backticks in it."""
        safe = printable(text)
        longest = max((len(run) for run in re.findall("`+", safe)), default=0)
        fence = "`" * max(3, longest + 1)
        self._parts.append(f"{fence}\n{safe}\n{fence}")

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]], right: frozenset[int]) -> None:
        rule = ["--:" if place in right else "---" for place in range(len(head))]
        lines = [_line(markdown(cell) for cell in head), _line(rule)]
        lines += [_line(markdown(cell) for cell in row) for row in rows]
        self._parts.append("\n".join(lines))

    def text(self) -> str:
        return "\n\n".join(self._parts) + "\n"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
