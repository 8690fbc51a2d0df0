"""A session on a cluster: a wave of blocks, one on every host at the same time."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from sectax.design.order import plan_block
from sectax.engines.engine import BlockFailed, BlockReceived, BlockUpdate, EngineEvent
from sectax.model.environment import LOCAL_HOST
from sectax.model.plan import Calibrated
from sectax.model.trial import BlockEvent, PlannedBlock, Trial
from sectax.run.session import BlockProgress, Session


def next_hosts(done: Mapping[str, int], most: int, seed: int, number: int) -> tuple[str, ...]:
    """The hosts of the next blocks: every host once, if enough blocks are left.

    If fewer are left than there are hosts, those with the fewest blocks come first. Ties, and so the usual order, are
    drawn from the seed and the number of the first block.

    Args:
        done: number of finished blocks, by host.
        most: blocks that may be run.
    """
    drawn = random.Random(f"{seed} hosts {number}")
    order = sorted(done)
    drawn.shuffle(order)
    return tuple(sorted(order, key=lambda host: done[host]))[: max(1, most)]


class WaveProgress(BlockProgress):
    """How far the blocks of a wave have come."""

    def __init__(self, blocks: Sequence[PlannedBlock]) -> None:
        super().__init__(blocks)
        self._hosts = {block.number: block.host for block in blocks}
        first, last, hosts = blocks[0].number, blocks[-1].number, len(blocks)
        self._local = blocks[0].host == LOCAL_HOST
        numbers = f"block {first}" if first == last else f"blocks {first} to {last}"
        self._label = numbers if self._local else f"{numbers} on {hosts} host{'' if hosts == 1 else 's'}"
        self._over = 0

    def update(self, event: EngineEvent) -> None:
        super().update(event)
        self._over += not isinstance(event, BlockUpdate)
        if isinstance(event, BlockReceived):
            self._visited += sum(isinstance(update, Trial) for update in event.events)

    def bar(self) -> tuple[str, int, int]:
        return super().bar() if self._local else (self._label, self._over, len(self._hosts))

    def name(self, block: int) -> str:
        return super().name(block) if self._local else f"block {block} on {self._hosts[block]}"


class ClusterSession(Session):
    """A session whose blocks run on the hosts of a cluster."""

    block_progress: ClassVar[type[BlockProgress]] = WaveProgress

    def _plan_blocks(self, most: int, live: frozenset[str], calibrated: Calibrated) -> list[PlannedBlock]:
        """Plan each host's next block; the first has the cells measured once."""
        number, blocks = self.writer.next_block_number(), self.writer.measured().hosts
        done = {host: len(blocks.get(host, ())) for host in self.execution.hosts()}
        once = {treatment.id for treatment in self.plan.treatments if self.plan.cell(treatment.cell).once}
        planned = []
        for index, host in enumerate(next_hosts(done, most, self.plan.seed, number)):
            block = plan_block(self.plan, calibrated, number + index, live - once if index else live)
            planned.append(replace(block, host=host))
        return planned

    def _parallel_blocks(self) -> int:
        return len(self.execution.hosts())

    def _record(self, event: EngineEvent, running: BlockProgress) -> Sequence[BlockEvent]:
        match event:
            case BlockReceived(number, events, seconds, more):
                return self.writer.keep_whole(number, events, seconds, more=more)
            case BlockFailed(number, reason):
                self.writer.finish_whole()
                self.writer.abandon_block(number)
                self.writer.note(f"{running.name(number)} was lost: {reason}")
                self.progress.say(f"{running.name(number)} is lost: {reason}")
                return []
        return super()._record(event, running)
