"""The one interface that joins unlike subjects: open, visit, close."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

Witness = str | int | float | bool
Witnesses = dict[str, Witness]


def same(first: Witness, second: Witness) -> bool:
    """Whether two values mean the same: 2048 is "2048" and 2048.0, but true is not 1."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, int | float) and isinstance(second, int | float):
        return math.isclose(first, second, rel_tol=1e-9)
    return str(first) == str(second)


def differ(ours: Sequence[Witness], theirs: Sequence[Witness]) -> bool:
    """Whether a witness was seen of both sides, and is not one and the same value throughout."""
    return bool(ours and theirs) and not all(same(ours[0], value) for value in (*ours, *theirs))


@dataclass(frozen=True)
class Work:
    """What one visit does.

    Attributes:
        count: operations that are timed and counted.
        settle: operations that are run just before and thrown away.
        each: time every operation by itself.
        extra: operations that are timed but not counted, a known cost on purpose.
    """

    count: int
    settle: int = 0
    each: bool = False
    extra: int = 0


@dataclass(frozen=True)
class Observation:
    """One number: `value` in `unit`, read off `clock`, over `count` operations."""

    metric: str
    value: float
    unit: str
    clock: str
    count: int


@dataclass(frozen=True)
class Visit:
    """What a visit gave: the observations, and the telemetry that rides along (a missing key is missing)."""

    observations: tuple[Observation, ...]
    telemetry: dict[str, float] = field(default_factory=dict)

    def elapsed_s(self, metric: str) -> float:
        """The seconds of its operations; where they overlap, no longer together than the visit."""
        summed_s = self.summed_s(metric)
        return min(summed_s, self.telemetry.get("spanned_s", summed_s))

    def summed_s(self, metric: str) -> float:
        """The seconds of its operations, each by itself."""
        return sum(
            observation.value
            for observation in self.observations
            if observation.metric == metric and observation.unit == "s"
        )


class Subject(Protocol):
    """A system that is measured. Every method raises `SubjectFailed`; `open` also `SubjectSkipped`.

    Attributes:
        first: what was observed of its very first operation; empty where nobody timed it.
    """

    first: tuple[Observation, ...]

    def start(self) -> None:
        """Begin to start, without waiting for it."""

    def open(self) -> Witnesses:
        """Make ready, check that the real thing is there, and say what it is."""

    def visit(self, work: Work) -> Visit:
        """Do the work and say what was observed."""

    def close(self) -> Witnesses:
        """Check once more, end, and say what it was."""

    def kill(self) -> None:
        """End at once; never raises."""


class SubjectSpec(Protocol):
    """How a subject is made, as data that can travel to another machine."""

    def subject(self) -> Subject:
        """A new subject, not started yet."""


# What a spec may have besides, as an attribute of the same name.
_Value = TypeVar("_Value")


def _attribute(spec: SubjectSpec, name: str, otherwise: _Value) -> _Value:
    value: _Value = getattr(spec, name, otherwise)
    return value


def gap_s(spec: SubjectSpec) -> float:
    """Seconds at least from the end of an operation to the next one of the same subject; no observation holds them."""
    return _attribute(spec, "gap_s", 0.0)


def fewest(spec: SubjectSpec) -> int:
    """The operations that a visit has at least, where a few do not show what is measured, as of many at once."""
    return _attribute(spec, "fewest", 1)


def longest_warmup_s(spec: SubjectSpec) -> float:
    """Seconds that a fresh process may be worked until it gets no faster, as under a JIT; 0 where it does not."""
    return _attribute(spec, "longest_warmup_s", 0.0)


def least_warmup_s(spec: SubjectSpec) -> float:
    """Seconds of work before which a fresh process may look as fast as it gets, and is not."""
    return _attribute(spec, "least_warmup_s", 0.0)


def known_s(spec: SubjectSpec) -> float | None:
    """The seconds of one operation where it takes minutes and that is known before the pilot, which does not try it.

    None where it has to be tried. A batch of it has one.
    """
    return _attribute(spec, "known_s", None)


class Referee(Protocol):
    """An independent implementation that judges what a subject makes.

    Attributes:
        expects_artefact: whether the operation's point is what it makes: a subject that shows nothing is not sound.
    """

    @property
    def expects_artefact(self) -> bool: ...

    def genuine(self) -> list[str]:
        """Artefacts that a subject must accept."""

    def tampered(self) -> list[str]:
        """Artefacts that a subject must refuse; tampered again in every call."""

    def judge(self, artefact: str) -> str | None:
        """What is wrong with an artefact that a subject made; None where it is sound."""
