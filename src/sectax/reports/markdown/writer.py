"""Pieces of Markdown. Everything that comes in is plain text; it is escaped here and only here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sectax.model.printable import printable
from sectax.reports.escape import markdown, markdown_block


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
        """Something to copy, in a fence that is longer than any run of backticks in it."""
        safe = printable(text)
        longest = max((len(run) for run in re.findall("`+", safe)), default=0)
        fence = "`" * max(3, longest + 1)
        self._parts.append(f"{fence}\n{safe}\n{fence}")

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]], right: frozenset[int]) -> None:
        """A table; the columns in *right* are set to the right."""
        rule = ["--:" if place in right else "---" for place in range(len(head))]
        lines = [_line(markdown(cell) for cell in head), _line(rule)]
        lines += [_line(markdown(cell) for cell in row) for row in rows]
        self._parts.append("\n".join(lines))

    def text(self) -> str:
        return "\n\n".join(self._parts) + "\n"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
