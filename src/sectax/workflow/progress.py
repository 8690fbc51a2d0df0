"""What a run tells whoever watches it."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Someone who watches a run. Neither method raises: a watcher that has gone must not end the run."""

    def say(self, text: str) -> None:
        """A line for the person who waits."""

    def trying(self, done: int, total: int, treatment: str) -> None:
        """The pilot has come so far."""
