"""The interface of all subjects: open, visit, close."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

Witness = str | int | float | bool
Witnesses = dict[str, Witness]


def same(first: Witness, second: Witness) -> bool:
    """Whether two values are equal: 2048 is "2048" and 2048.0, but true is not 1."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, int | float) and isinstance(second, int | float):
        return math.isclose(first, second, rel_tol=1e-9)
    return str(first) == str(second)


def differ(ours: Sequence[Witness], theirs: Sequence[Witness]) -> bool:
    """Whether both sides have values of a witness, and not all are the same."""
    return bool(ours and theirs) and not all(same(ours[0], value) for value in (*ours, *theirs))


@dataclass(frozen=True)
class Work:
    """The work of one visit.

    Attributes:
        count: operations that are timed and counted.
        settle: operations run just before and thrown away.
        each: whether every operation is timed by itself.
        extra: operations that are timed but not counted, a known cost on purpose.
    """

    count: int
    settle: int = 0
    each: bool = False
    extra: int = 0


@dataclass(frozen=True)
class Observation:
    """One number: `value` in `unit`, read from `clock`, over `count` operations."""

    metric: str
    value: float
    unit: str
    clock: str
    count: int


@dataclass(frozen=True)
class Visit:
    """Result of a visit: observations and telemetry (a missing key is missing)."""

    observations: tuple[Observation, ...]
    telemetry: dict[str, float] = field(default_factory=dict)

    def elapsed_s(self, metric: str) -> float:
        """Elapsed seconds of its operations, at most those of the visit if they overlap."""
        summed_s = self.summed_s(metric)
        return min(summed_s, self.telemetry.get("spanned_s", summed_s))

    def summed_s(self, metric: str) -> float:
        """Sum of the seconds of its operations."""
        return sum(
            observation.value
            for observation in self.observations
            if observation.metric == metric and observation.unit == "s"
        )


class Subject(Protocol):
    """A measured system; methods raise `SubjectFailed`, `open` also `SubjectSkipped`.

    Attributes:
        first: observations of its very first operation; empty where it was not timed.
    """

    first: tuple[Observation, ...]

    def start(self) -> None:
        """Begin the start, without waiting for it."""

    def open(self) -> Witnesses:
        """Make ready, check the subject's configuration, and return its witnesses."""

    def visit(self, work: Work) -> Visit:
        """Do the work and return the observations."""

    def close(self) -> Witnesses:
        """Check once more, stop, and return the final witnesses."""

    def kill(self) -> None:
        """Stop immediately; never raises."""


class SubjectSpec(Protocol):
    """Serialisable description from which a subject is made, here or on another host."""

    def subject(self) -> Subject:
        """Create a new subject, not started yet."""


# Optional attributes of a spec, by the same name.
_Value = TypeVar("_Value")


def _attribute(spec: SubjectSpec, name: str, otherwise: _Value) -> _Value:
    value: _Value = getattr(spec, name, otherwise)
    return value


def gap_s(spec: SubjectSpec) -> float:
    """Minimum seconds between two operations of a subject, outside all observations."""
    return _attribute(spec, "gap_s", 0.0)


def fewest(spec: SubjectSpec) -> int:
    """Minimum operations of a visit, where fewer do not show what is measured."""
    return _attribute(spec, "fewest", 1)


def longest_warmup_s(spec: SubjectSpec) -> float:
    """Maximum seconds of a process's warm-up, as with a JIT; 0 without one."""
    return _attribute(spec, "longest_warmup_s", 0.0)


def least_warmup_s(spec: SubjectSpec) -> float:
    """Minimum seconds of warm-up, before which a process may only seem steady."""
    return _attribute(spec, "least_warmup_s", 0.0)


def known_s(spec: SubjectSpec) -> float | None:
    """Seconds of one operation that takes minutes; None where the pilot measures it.

    The pilot does not try such an operation, and a batch of it has one.
    """
    return _attribute(spec, "known_s", None)


class Referee(Protocol):
    """An independent implementation that judges a subject's output.

    Attributes:
        expects_artefact: whether the operation produces output: a subject without output is then not sound.
    """

    @property
    def expects_artefact(self) -> bool: ...

    def genuine(self) -> list[str]:
        """Artefacts that a subject must accept."""

    def tampered(self) -> list[str]:
        """Artefacts that a subject must reject; changed in every call."""

    def judge(self, artefact: str) -> str | None:
        """What is wrong with an artefact of a subject; None where it is sound."""
