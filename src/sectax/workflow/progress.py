"""What a run tells whoever watches it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from sectax.workflow.progress_line import ProgressLine


class Progress(Protocol):
    """Someone who watches a run. No method raises: a watcher that has gone must not end the run.

    `at` is called between one visit and the next, so it must cost next to nothing.
    """

    def say(self, text: str) -> None:
        """A line for the person who waits."""

    def detail(self, text: str) -> None:
        """A line for those who want to know more than the answer."""

    def at(self, doing: str, done: int, total: int) -> None:
        """The pilot, or a block, has come so far."""

    def stands(self, progress_line: ProgressLine) -> None:
        """A block has ended, or the first one begins: what is known now."""

    def waiting(self, what: str) -> AbstractContextManager[None]:
        """Something that is not timed takes as long as it takes."""
