"""What a run tells whoever watches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class BlockDone:
    """One more block is in the record; `sentence` says where the run stands."""

    number: int
    decided: int
    comparisons: int
    seconds_left: float | None
    sentence: str


class Progress(Protocol):
    """Someone who watches a run."""

    def say(self, text: str) -> None:
        """A line for the person who waits."""

    def trying(self, done: int, total: int, treatment: str) -> None:
        """The pilot has come so far."""

    def block(self, done: BlockDone) -> None:
        """A block has been finished."""
