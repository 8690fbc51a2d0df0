"""A wave of blocks: one on every host at the same time. Who runs the next ones, and how far the running ones are."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from sectax.engines.engine import Ended, Happened, Lost, News
from sectax.model.environment import LOCAL_HOST
from sectax.model.trial import PlannedBlock, Trial


def next_hosts(done: Mapping[str, int], most: int, seed: int, number: int) -> tuple[str, ...]:
    """The hosts of the next blocks, in their order: every host once, where so many blocks are to be run.

    Where fewer are left than there are hosts, those with the fewest blocks come first. Ties, and so the order of a
    usual wave, are drawn from the seed and the number of the first block.

    Args:
        done: by host, its finished blocks.
        most: blocks that may be run.
    """
    drawn = random.Random(f"{seed} hosts {number}")
    order = sorted(done)
    drawn.shuffle(order)
    return tuple(sorted(order, key=lambda host: done[host]))[: max(1, most)]


class Running:
    """The blocks of a wave while they run."""

    def __init__(self, blocks: Sequence[PlannedBlock]) -> None:
        self._hosts = {block.number: block.host for block in blocks}
        self._visits = sum(len(cell.visits) for block in blocks for cell in block.cells)
        self._visited = self._over = 0

    def heard(self, news: News) -> None:
        """Count what has happened."""
        self._visited += isinstance(news, Happened) and isinstance(news.event, Trial)
        self._over += isinstance(news, Ended | Lost)

    @property
    def share(self) -> float:
        """The share of the visits that are made."""
        return self._visited / max(1, self._visits)

    def bar(self) -> tuple[str, int, int]:
        """What is done, how much of it, and of how much: for `Progress.at`."""
        first, last = min(self._hosts), max(self._hosts)
        if first == last and self._hosts[first] == LOCAL_HOST:
            return f"block {first}", self._visited, self._visits
        numbers = f"block {first}" if first == last else f"blocks {first} to {last}"
        hosts = len(self._hosts)
        return f"{numbers} on {hosts} host{'' if hosts == 1 else 's'}", self._over, hosts

    def where(self, block: int) -> str:
        """' on HOST' of a block; empty where all are on this machine."""
        return "" if self._hosts[block] == LOCAL_HOST else f" on {self._hosts[block]}"
