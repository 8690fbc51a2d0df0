"""What an engine is: it runs planned blocks on hosts, one at a time on a host, and says what became of them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from sectax.model.trial import BlockEvent, PlannedBlock


@dataclass(frozen=True)
class Happened:
    """What happened in a block that is running."""

    block: int
    event: BlockEvent


@dataclass(frozen=True)
class Ended:
    """A block has come to its end, after so many seconds on its host: everything of it was said before."""

    block: int
    seconds: float


@dataclass(frozen=True)
class Arrived:
    """A block has come whole from its host: what happened in it, in order, and the seconds that it took there.

    Attributes:
        more: whether the next news is there already: both can be recorded together.
    """

    block: int
    events: tuple[BlockEvent, ...]
    seconds: float
    more: bool = False


@dataclass(frozen=True)
class Lost:
    """A block will not come to its end.

    Attributes:
        reason: what became of it, in words.
    """

    block: int
    reason: str


News = Happened | Ended | Arrived | Lost


class Engine(Protocol):
    """Where blocks run."""

    def run(self, blocks: Sequence[PlannedBlock]) -> Generator[News, None, None]:
        """Run blocks, no two of them on one host, and say as it comes what happens in them.

        Every block is `Ended`, `Arrived` or `Lost`. What ends the iteration before ends the blocks too.

        Raises:
            SessionOver: no host can be reached any more.
        """
