"""The protocol of engines, which run blocks on hosts and report events."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from sectax.model.trial import BlockEvent, PlannedBlock


@dataclass(frozen=True)
class BlockUpdate:
    """An event of a running block."""

    block: int
    event: BlockEvent


@dataclass(frozen=True)
class BlockFinished:
    """A block has ended after `seconds` on its host; its events were reported before."""

    block: int
    seconds: float


@dataclass(frozen=True)
class BlockReceived:
    """A finished block with its events in order, received from its host at once.

    Attributes:
        more: whether another event follows at once, to be recorded together.
    """

    block: int
    events: tuple[BlockEvent, ...]
    seconds: float
    more: bool = False


@dataclass(frozen=True)
class BlockFailed:
    block: int
    reason: str


EngineEvent = BlockUpdate | BlockFinished | BlockReceived | BlockFailed


class Engine(Protocol):
    def run(self, blocks: Sequence[PlannedBlock]) -> Generator[EngineEvent, None, None]:
        """Run blocks, at most one per host, and report their events.

        Every block ends with `BlockFinished`, `BlockReceived` or `BlockFailed`. Closing the generator ends the blocks.
        Raises `SessionOver` if no host can be reached.
        """
