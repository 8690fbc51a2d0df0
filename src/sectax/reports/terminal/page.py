"""A page of plain or coloured text of a given width."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sectax.text import units

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

INDENT = 2

# Replaces non-breaking spaces during layout: a private-use character, which `printable` escapes in all foreign text.
_TIE = "\ue000"


class Page:
    """Lines of a page; only `colour` decides about escape sequences."""

    def __init__(self, width: int, *, colour: bool) -> None:
        # rich takes 60 ms to import.
        from rich.console import Console

        self.width = width
        self._file = io.StringIO()
        self._console = Console(
            file=self._file,
            width=width,
            color_system="standard" if colour else None,
            force_terminal=colour,
            no_color=not colour,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
            _environ={},
        )

    def blank(self) -> None:
        self._console.print()

    def heading(self, text: str) -> None:
        self.blank()
        self.paragraph(text, style="bold", indent=0)

    def titled(self, title: str, text: str) -> None:
        """A paragraph that begins with its heading."""
        whole = styled(f"{title}: {text}")
        whole.stylize("bold", 0, len(title) + 1)
        self.add(whole)

    def paragraph(self, text: str, *, style: str = "", indent: int = INDENT) -> None:
        self.add(styled(text, style), indent)

    def lines(self, texts: Iterable[str], *, indent: int = INDENT, hanging: int = 0) -> None:
        """Add each text on lines of its own, with a hanging indent."""
        for text in texts:
            if not hanging:
                self.paragraph(text, indent=indent)
                continue
            first, *rest = styled(text).wrap(self._console, self.width - indent - hanging)
            self.add(first, indent)
            for line in rest:
                self.add(line, indent + hanging)

    def verbatim(self, text: str, *, indent: int = 2 * INDENT) -> None:
        """Add a command or path without wrapping, so that it can be copied."""
        self._console.print(" " * indent + text, soft_wrap=True)

    def add(self, renderable: RenderableType, indent: int = 0) -> None:
        from rich.padding import Padding

        self._console.print(Padding(renderable, (0, 0, 0, indent)))

    def text(self) -> str:
        """Everything so far, without spaces at the ends of lines."""
        lines = self._file.getvalue().replace(_TIE, " ").splitlines()
        return "\n".join(line.rstrip() for line in lines) + "\n"


def styled(text: str, style: str = "") -> Text:
    """Text in one style that keeps numbers and units on one line."""
    from rich.text import Text

    return Text(tied(text), style=style, overflow="fold")


def tied(text: str) -> str:
    """Text with `_TIE` between numbers and units."""
    return units.tied(text, _TIE)
