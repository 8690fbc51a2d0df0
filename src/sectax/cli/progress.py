"""Live progress on stderr: the plan, the pilot, and a line a block with the current estimate and the time left."""

from __future__ import annotations

import sys
import time

import click

from sectax.model.printable import printable
from sectax.workflow.progress import BlockDone

# On a terminal the pilot's line is rewritten in place, not more often than an eye can follow.
_REDRAW_S = 0.1


class TerminalProgress:
    """Writes plain lines; a terminal sees the pilot's line rewritten in place."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._drawn = 0.0

    def say(self, text: str) -> None:
        self._clear()
        click.echo(printable(text), err=True)

    def trying(self, done: int, total: int, treatment: str) -> None:
        now = time.monotonic()
        if self._live and (now - self._drawn >= _REDRAW_S or done == total):
            self._drawn = now
            text = printable(f"pilot {done}/{total}: {treatment}")
            click.echo(f"\r\x1b[2K{text[:100]}", nl=False, err=True)

    def block(self, done: BlockDone) -> None:
        self.say(done.sentence)

    def _clear(self) -> None:
        if self._live and self._drawn:
            click.echo("\r\x1b[2K", nl=False, err=True)
