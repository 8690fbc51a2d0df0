"""Live progress on stderr: the plan, the pilot, and a line a block with the current estimate and the time left."""

from __future__ import annotations

import contextlib
import sys
import time

import click

from sectax.model.printable import printable

# On a terminal the pilot's line is rewritten in place, not more often than an eye can follow.
_REDRAW_S = 0.1
_LINE = 100
_CLEAR = "\r\x1b[2K"


class TerminalProgress:
    """Writes plain lines; a terminal sees the pilot's line rewritten in place."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._drawn = 0.0

    def say(self, text: str) -> None:
        self._clear()
        self._write(printable(text) + "\n")

    def trying(self, done: int, total: int, treatment: str) -> None:
        now = time.monotonic()
        if self._live and (now - self._drawn >= _REDRAW_S or done == total):
            self._drawn = now
            text = printable(f"pilot {done}/{total}: {treatment}")
            self._write(f"{_CLEAR}{text[:_LINE]}")

    def _clear(self) -> None:
        if self._live and self._drawn:
            self._write(_CLEAR)

    @staticmethod
    def _write(text: str) -> None:
        # Whoever read stderr may have gone (`2>&1 | head`); the run goes on, and its file with it.
        with contextlib.suppress(OSError):
            click.echo(text, nl=False, err=True)
