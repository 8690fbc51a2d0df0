"""The engine on a cluster: a block is a job for its host."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace

from sectax.engines.dask.cluster import Cluster
from sectax.engines.dask.worker import JobFailure
from sectax.engines.engine import BlockFailed, BlockReceived, EngineEvent
from sectax.model.trial import PlannedBlock

# A host whose blocks are lost so many times in a row takes no part any more.
PATIENCE = 5


class DaskEngine:
    """Implements `Engine` on a cluster.

    Args:
        module: the program that does the jobs, on the hosts.
        encode: a block as a job; decode: what its answer says, in order. `decode` raises `ValueError` where that cannot
            be believed.
        limit_s: seconds that a block may take.
    """

    def __init__(
        self,
        cluster: Cluster,
        module: str,
        encode: Callable[[PlannedBlock], bytes],
        decode: Callable[[PlannedBlock, bytes], Iterable[EngineEvent]],
        limit_s: float,
    ) -> None:
        self._cluster = cluster
        self._module = module
        self._encode = encode
        self._decode = decode
        self._limit_s = limit_s

    def run(self, blocks: Sequence[PlannedBlock]) -> Generator[EngineEvent, None, None]:
        on_host = {block.host: block for block in blocks}
        jobs = {host: self._encode(block) for host, block in on_host.items()}
        for answers in self._cluster.do(jobs, self._module, self._limit_s):
            left = len(answers)
            for host, answer in answers.items():
                left -= 1
                for news in self._block_events(on_host[host], answer):
                    yield replace(news, more=True) if left and isinstance(news, BlockReceived) else news
        self._cluster.refresh()

    def _block_events(self, block: PlannedBlock, answer: bytes | JobFailure) -> Iterable[EngineEvent]:
        state = self._cluster.hosts[block.host]
        if not isinstance(answer, JobFailure):
            try:
                news = list(self._decode(block, answer))
            except ValueError as error:
                state.left_out = str(error)
                return [BlockFailed(block.number, state.left_out)]
            state.lost = 0
            return news
        state.lost += 1
        if state.lost >= PATIENCE and not state.left_out:
            state.left_out = f"{PATIENCE} of its blocks in a row were lost"
        return [BlockFailed(block.number, answer.reason)]
