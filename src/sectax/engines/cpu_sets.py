"""Opens and warms up the subjects of a cell on several processors in parallel."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from sectax.engines.guarded import Guarded
from sectax.hosts.process.processors import move_threads, pinned, unclaimed
from sectax.model.environment import LOCAL_HOST
from sectax.model.subject import SubjectSpec, longest_warmup_s

ResultT = TypeVar("ResultT")
# Limit of worker threads.
_MOST = 8


class CpuSets:
    """Processors on which a cell opens and warms up its subjects.

    Each subject starts on one processor, as it is measured: some runtimes choose their garbage collector and threads
    by the processors available at the start.

    Args:
        own: the processor that subjects are measured on; None to use sectax's processors.
        others: additional processors, unless another sectax uses them.
        claims: see `on_one_processor`.
    """

    def __init__(self, own: int | None = None, others: Sequence[int] = (), claims: Path | None = None) -> None:
        self._own, self._others, self._claims = own, others, claims
        self._numbers: list[int] = []

    def of(self, specs: Sequence[SubjectSpec]) -> CpuSets:
        """Processors for a cell; several for local processes warmed up by a count."""
        cpu_sets = CpuSets(self._own)
        local = all(getattr(spec, "host", None) == LOCAL_HOST and longest_warmup_s(spec) > 0 for spec in specs)
        if self._own is not None and self._claims is not None and local:
            cpu_sets._numbers = [self._own, *unclaimed(self._claims, self._others)][: min(_MOST, len(specs))]
        return cpu_sets

    @property
    def many(self) -> int:
        return max(1, len(self._numbers))

    def start(self, subject: Guarded, index: int) -> None:
        """Start a subject on its processor."""
        with pinned({self._numbers[index % self.many]}) if self.many > 1 else contextlib.nullcontext():
            subject.start()

    def results(
        self, indices: Mapping[str, int], step: Callable[[str], ResultT]
    ) -> Iterator[tuple[str, Callable[[], ResultT]]]:
        """Run a step for every subject, sequentially on each processor.

        Yields names with functions that return the result or raise; call each before the next iteration.
        """
        if self.many == 1:
            for name in indices:
                yield name, partial(step, name)
            return
        with contextlib.ExitStack() as pools:
            workers = [ThreadPoolExecutor(1) for _ in self._numbers]
            for worker in workers:
                pools.callback(worker.shutdown, wait=True, cancel_futures=True)
            futures = {name: workers[index % self.many].submit(step, name) for name, index in indices.items()}
            for name, future in futures.items():
                yield name, future.result

    def gather(self, subjects: Iterable[Guarded]) -> None:
        """Move the subjects to the processor that they are measured on."""
        if self.many > 1 and self._own is not None:
            for subject in subjects:
                if (pid := subject.pid) is not None:
                    move_threads(pid, {self._own})


NO_CPU_SETS = CpuSets()
