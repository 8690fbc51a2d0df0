"""Engine that runs blocks sequentially in this process."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator, Mapping, Sequence

from sectax.engines.block import run_block
from sectax.engines.cpu_sets import NO_CPU_SETS, CpuSets
from sectax.engines.engine import BlockFinished, BlockUpdate, EngineEvent
from sectax.model.subject import SubjectSpec
from sectax.model.trial import PlannedBlock


class SerialEngine:
    """Implements `Engine`."""

    def __init__(self, specs: Mapping[str, SubjectSpec], cpu_sets: CpuSets = NO_CPU_SETS) -> None:
        self._specs = specs
        self._cpu_sets = cpu_sets

    def run(self, blocks: Sequence[PlannedBlock]) -> Generator[EngineEvent, None, None]:
        for block in blocks:
            began = time.monotonic()
            with contextlib.closing(run_block(block, self._specs, self._cpu_sets)) as events:
                for event in events:
                    yield BlockUpdate(block.number, event)
            yield BlockFinished(block.number, max(0.0, time.monotonic() - began))
