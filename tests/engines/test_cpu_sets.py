"""Several processors for the subjects of a cell until they are warm."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sectax.engines.cpu_sets import CpuSets
from sectax.engines.guarded import Guarded
from sectax.hosts.process.processors import on_one_processor
from sectax.model.environment import LOCAL_HOST
from sectax.model.errors import SubjectFailed

ALLOWED = sorted(os.sched_getaffinity(0))
OWN, OTHERS = ALLOWED[-1], ALLOWED[:-1]


class Sleeper:
    """A subject that is a process."""

    first = ()

    def __init__(self, started: list[subprocess.Popen[bytes]]) -> None:
        self.started, self.pid = started, 0

    def start(self) -> None:
        self.started.append(subprocess.Popen(["sleep", "60"]))
        self.pid = self.started[-1].pid


@dataclass(frozen=True)
class Spec:
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)
    host: str = LOCAL_HOST
    longest_warmup_s: float = 5.0
    least_warmup_s: float = 0.0

    def subject(self) -> Sleeper:
        return Sleeper(self.started)


@pytest.fixture
def spec() -> Iterator[Spec]:
    spec = Spec()
    yield spec
    for process in spec.started:
        process.kill()
        process.wait()


def test_subjects_start_side_by_side_and_are_measured_on_one_processor(spec: Spec, tmp_path: Path) -> None:
    with on_one_processor(tmp_path) as chosen:
        others = sorted(chosen.others - {chosen.number})
        cpu_sets = CpuSets(chosen.number, others, tmp_path).of([spec] * 3)
        subjects = [Guarded(str(index), spec) for index in range(3)]
        for index, subject in enumerate(subjects):
            cpu_sets.start(subject, index)
        began_on = [os.sched_getaffinity(subject.pid or 0) for subject in subjects]
        cpu_sets.gather(subjects)
        numbers = [chosen.number, *others][:3]

        assert os.sched_getaffinity(0) == {chosen.number}
        assert began_on == [{numbers[index % len(numbers)]} for index in range(3)]
        assert {frozenset(os.sched_getaffinity(subject.pid or 0)) for subject in subjects} == {
            frozenset({chosen.number})
        }


def test_a_processor_that_another_sectax_measures_on_is_left_to_it(spec: Spec, tmp_path: Path) -> None:
    with on_one_processor(tmp_path) as theirs:
        cpu_sets = CpuSets(OWN, [theirs.number], tmp_path)

        assert cpu_sets.of([spec, spec]).many == 1
    assert cpu_sets.of([spec, spec]).many == 2


@pytest.mark.parametrize("other", [Spec(host="ssh://bench"), Spec(longest_warmup_s=0.0)])
def test_subjects_elsewhere_or_of_another_kind_stay_together(spec: Spec, other: Spec, tmp_path: Path) -> None:
    assert CpuSets(OWN, OTHERS, tmp_path).of([spec, other]).many == 1


def test_what_goes_wrong_is_given_back_beside_the_name_of_its_subject(spec: Spec, tmp_path: Path) -> None:
    cpu_sets = CpuSets(0, [1], tmp_path).of([spec, spec])

    def step(name: str) -> str:
        if name == "b":
            raise SubjectFailed("it broke")
        return name.upper()

    given: dict[str, str] = {}
    for name, result in cpu_sets.results({"a": 0, "b": 1, "c": 2}, step):
        try:
            given[name] = result()
        except SubjectFailed as error:
            given[name] = error.message

    assert given == {"a": "A", "b": "it broke", "c": "C"}
