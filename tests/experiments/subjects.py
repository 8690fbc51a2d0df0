"""A subject from its start to its end, and what is read of its observations and failures."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from sectax.experiments.client_server.client import ClientFailure
from sectax.experiments.client_server.subject import Meanings
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Observation, Visit, Witnesses, Work


@contextlib.contextmanager
def subject_of(spec: Any) -> Iterator[Any]:
    """The subject behind a spec, which is killed in the end."""
    subject = spec.subject()
    try:
        yield subject
    finally:
        subject.kill()


def measured(spec: Any, work: Work) -> tuple[Witnesses, Visit, Witnesses]:
    """Open, one visit, close."""
    with subject_of(spec) as subject:
        return subject.open(), subject.visit(work), subject.close()


def values(observations: Iterable[Observation], metric: str) -> list[float]:
    return [observation.value for observation in observations if observation.metric == metric]


ONE = Work(1)


def failure(spec: Any, work: Work = ONE) -> SubjectFailed:
    """How a subject fails, wherever it does: with a hint, and with nothing that steers a terminal."""
    with pytest.raises(SubjectFailed) as caught:
        measured(spec, work)
    assert caught.value.hint
    assert caught.value.message.isprintable()
    return caught.value


@contextlib.contextmanager
def refused(kind: str) -> Iterator[None]:
    """A client answers with this failure of its protocol."""
    with pytest.raises(ClientFailure) as caught:
        yield
    assert caught.value.kind == kind


def answered(failed: SubjectFailed, meanings: Meanings) -> str:
    """What a client called a failure, in the words of its protocol; the message says what that means."""
    assert isinstance(failed.__cause__, ClientFailure)
    kind = failed.__cause__.kind
    assert meanings[kind][0] in failed.message
    return kind
