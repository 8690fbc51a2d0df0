"""A terminal's screen, as far as the live line needs one: it wraps, returns, clears a line, and remembers."""

from __future__ import annotations

import re

_PIECES = re.compile(r"\x1b\[2K|\r|\n|[^\x1b\r\n]+|\x1b")


class Screen:
    """What a person sees. Any escape sequence but 'clear this line' is an error.

    Attributes:
        rows: from the top; the last one is where the cursor is.
        wrapped: how often text ran over the right edge of its row.
        live: every text that stood in a row and was cleared again.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._column = 0
        self.rows = [""]
        self.wrapped = 0
        self.live: list[str] = []

    def feed(self, text: str) -> None:
        """Print text that ends with a whole escape sequence."""
        for piece in _PIECES.findall(text):
            match piece:
                case "\r":
                    self._column = 0
                case "\n":
                    self.rows.append("")
                    self._column = 0
                case "\x1b[2K":
                    if self.rows[-1]:
                        self.live.append(self.rows[-1])
                    self.rows[-1] = ""
                case "\x1b":
                    raise ValueError(f"an escape sequence that no live line needs: {text!r}")
                case _:
                    self._write(piece)

    def _write(self, text: str) -> None:
        for character in text:
            if self._column == self._width:
                self.wrapped += 1
                self.rows.append("")
                self._column = 0
            row = self.rows[-1].ljust(self._column)
            self.rows[-1] = row[: self._column] + character + row[self._column + 1 :]
            self._column += 1
