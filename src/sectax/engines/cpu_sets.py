"""Several processors while nothing is measured: the subjects of a cell open and warm up side by side."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from sectax.engines.guarded import Guarded
from sectax.hosts.process.processors import among, move_threads, unclaimed
from sectax.model.environment import LOCAL_HOST
from sectax.model.subject import SubjectSpec, longest_warmup_s

ResultT = TypeVar("ResultT")
# A cell has few subjects, and each of these threads is one more that wakes up.
_MOST = 8


class CpuSets:
    """The processors that a cell may use until its subjects are warm. Without any, all happens where sectax is.

    Each subject begins on one processor, as it would without this: a runtime that chooses a garbage collector or a
    number of threads by the processors that it sees at its start chooses the same. Another sectax's is not used.

    Args:
        own: the processor that subjects are measured on. others: those that may be used besides.
        claims: as of `on_one_processor`.
    """

    def __init__(self, own: int | None = None, others: Sequence[int] = (), claims: Path | None = None) -> None:
        self._own, self._others, self._claims = own, others, claims
        self._numbers: list[int] = []

    def of(self, specs: Sequence[SubjectSpec]) -> CpuSets:
        """Those of a cell: several where it has only processes of this machine whose warm-up is work by the count."""
        lanes = CpuSets(self._own)
        local = all(getattr(spec, "host", None) == LOCAL_HOST and longest_warmup_s(spec) > 0 for spec in specs)
        if self._own is not None and self._claims is not None and local:
            lanes._numbers = [self._own, *unclaimed(self._claims, self._others)][: min(_MOST, len(specs))]
        return lanes

    @property
    def many(self) -> int:
        return max(1, len(self._numbers))

    def start(self, subject: Guarded, index: int) -> None:
        """Start the subject with this index in its cell, on its processor."""
        with among({self._numbers[index % self.many]}) if self.many > 1 else contextlib.nullcontext():
            subject.start()

    def results(
        self, indices: Mapping[str, int], step: Callable[[str], ResultT]
    ) -> Iterator[tuple[str, Callable[[], ResultT]]]:
        """Have every subject do a step, those of one processor one after the other.

        Yields:
            Its name, and what gives the result or raises what went wrong: to be called before the next name is taken.
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
        """Bring the subjects together on the processor where they are measured."""
        if self.many > 1 and self._own is not None:
            for subject in subjects:
                if (pid := subject.pid) is not None:
                    move_threads(pid, {self._own})


NO_CPU_SETS = CpuSets()
