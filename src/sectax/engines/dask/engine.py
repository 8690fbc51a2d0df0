"""Engine on a cluster: a block is a job for its host."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace

from sectax.engines.dask.cluster import Cluster
from sectax.engines.dask.worker import JobFailure
from sectax.engines.engine import BlockFailed, BlockReceived, EngineEvent
from sectax.model.trial import PlannedBlock

# A host is excluded after this many consecutive lost blocks.
PATIENCE = 5


class DaskEngine:
    """Implements `Engine` on a cluster.

    Args:
        module: program that does the jobs on the hosts.
        encode: encodes a block as a job.
        decode: decodes an answer to events in order; raises `ValueError` if it is invalid.
        limit_s: time limit of a block.
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
            remaining = len(answers)
            for host, answer in answers.items():
                remaining -= 1
                for event in self._block_events(on_host[host], answer):
                    yield replace(event, more=True) if remaining and isinstance(event, BlockReceived) else event
        self._cluster.refresh()

    def _block_events(self, block: PlannedBlock, answer: bytes | JobFailure) -> Iterable[EngineEvent]:
        state = self._cluster.hosts[block.host]
        if not isinstance(answer, JobFailure):
            try:
                events = list(self._decode(block, answer))
            except ValueError as error:
                state.left_out = str(error)
                return [BlockFailed(block.number, state.left_out)]
            state.lost = 0
            return events
        state.lost += 1
        if state.lost >= PATIENCE and not state.left_out:
            state.left_out = f"{PATIENCE} consecutive blocks were lost"
        return [BlockFailed(block.number, answer.reason)]
