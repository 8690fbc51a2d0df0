"""A wave of blocks: one on every host at the same time. Who runs the next ones, and how far the running ones are."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from sectax.engines.engine import Arrived, Happened, News
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
        first, last, hosts = blocks[0].number, blocks[-1].number, len(blocks)
        self._here = blocks[0].host == LOCAL_HOST
        numbers = f"block {first}" if first == last else f"blocks {first} to {last}"
        self._label = numbers if self._here else f"{numbers} on {hosts} host{'' if hosts == 1 else 's'}"
        self._visits = sum(len(cell.visits) for block in blocks for cell in block.cells)
        self._visited = self._over = 0

    def heard(self, news: News) -> None:
        self._visited += isinstance(news, Happened) and isinstance(news.event, Trial)
        self._over += not isinstance(news, Happened)
        if isinstance(news, Arrived):
            self._visited += sum(isinstance(event, Trial) for event in news.events)

    @property
    def share(self) -> float:
        return self._visited / max(1, self._visits)

    def bar(self) -> tuple[str, int, int]:
        """What is done, how much of it, and of how much: for `Progress.at`."""
        if self._here:
            return self._label, self._visited, self._visits
        return self._label, self._over, len(self._hosts)

    def name(self, block: int) -> str:
        """A block in words, with its host where that is not this machine."""
        return f"block {block}" + ("" if self._here else f" on {self._hosts[block]}")
