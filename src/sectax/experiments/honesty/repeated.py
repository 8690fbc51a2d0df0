"""Operations repeated inside one: unlike operations whose ratio is known by construction."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sectax.model.subject import Observation, Subject, SubjectSpec, Visit, Witnesses, Work


@dataclass(frozen=True)
class RepeatedSpec:
    """A subject whose one operation is *times* operations of another's, so it costs exactly that much more.

    It has a batch size of its own, as any unlike operation has. `sectax run jwt` compares such arms; a baseline with
    extra operations shares its count with the baseline, and shows no error that comes from unequal batches.
    """

    spec: SubjectSpec
    times: int

    def subject(self) -> RepeatedSubject:
        return RepeatedSubject(self.spec.subject(), self.times)


class RepeatedSubject:
    """Implements `sectax.model.subject.Subject`. The very first operation is not known: only one part was timed."""

    def __init__(self, inner: Subject, times: int) -> None:
        self.first: tuple[Observation, ...] = ()
        self._inner = inner
        self._times = times

    def start(self) -> None:
        self._inner.start()

    def open(self) -> Witnesses:
        return self._inner.open()

    def visit(self, work: Work) -> Visit:
        """Raises ValueError for operations one by one: the probe would time their parts."""
        if work.each:
            raise ValueError("repeated operations cannot be timed one by one")
        times = self._times
        visit = self._inner.visit(Work(count=work.count * times, settle=work.settle * times, extra=work.extra * times))
        return replace(visit, observations=tuple(replace(its, count=work.count) for its in visit.observations))

    def close(self) -> Witnesses:
        return self._inner.close()

    def kill(self) -> None:
        self._inner.kill()
