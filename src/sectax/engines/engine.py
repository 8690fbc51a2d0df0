"""An engine runs planned blocks on hosts, one at a time on each, and reports what happens in them."""

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
    """A block has ended after `seconds` on its host; all its events were reported before."""

    block: int
    seconds: float


@dataclass(frozen=True)
class BlockReceived:
    """A finished block with all its events in order, received from its host at once.

    Attributes:
        seconds: how long it took there.
        more: whether another event follows at once, so that both can be recorded together.
    """

    block: int
    events: tuple[BlockEvent, ...]
    seconds: float
    more: bool = False


@dataclass(frozen=True)
class BlockFailed:
    """A block that will not finish, and why."""

    block: int
    reason: str


EngineEvent = BlockUpdate | BlockFinished | BlockReceived | BlockFailed


class Engine(Protocol):
    """Where blocks run."""

    def run(self, blocks: Sequence[PlannedBlock]) -> Generator[EngineEvent, None, None]:
        """Run blocks, no two of them on one host, and report their events.

        Every block ends with `BlockFinished`, `BlockReceived` or `BlockFailed`. Closing the generator ends the blocks.

        Raises:
            SessionOver: no host can be reached any more.
        """
