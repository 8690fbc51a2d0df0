"""Arms of unlike operations have a ratio that is known by construction, and agree beside a busy processor."""

from __future__ import annotations

import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.load import Load
from sectax.experiments.honesty import EXPERIMENT
from sectax.experiments.honesty.experiment import TIMES, RepeatedSpec
from sectax.experiments.interface import RunRequest
from sectax.experiments.on_probe.subject import BATCH_CPU
from sectax.experiments.registry import load
from sectax.model.plan import Plan, Stopping
from sectax.model.subject import Observation, SubjectSpec, Visit, Witnesses, Work
from tests.machines import planned

# What a batch of 10 ms pays more than one of 2.5 ms where another program has emptied the caches is a few per cent.
AGREE_WITHIN = 0.15


@contextlib.contextmanager
def one_pinned_hog() -> Iterator[None]:
    """A busy loop on one processor; what is started in the meantime shares that processor with it."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        with Load("busy", 1, seconds=120):
            yield
    finally:
        os.sched_setaffinity(0, allowed)


def unlike() -> tuple[Plan, dict[str, SubjectSpec]]:
    plan = planned(EXPERIMENT, RunRequest("unlike", {"language": ("python",)}, Stopping(margin=0.02), seed=1))
    bench = EXPERIMENT.bench(plan)
    return plan, bench.specs(bench.inputs(), None)


class Counting:
    """A subject that says what it was asked for."""

    first: tuple[Observation, ...] = (Observation("first", 1.0, "s", "fake", 1),)

    def subject(self) -> Counting:
        return self

    def start(self) -> None:
        """Nothing to begin."""

    def open(self) -> Witnesses:
        return {"key_bits": 256}

    def visit(self, work: Work) -> Visit:
        operations = work.count + work.extra
        return Visit((Observation("batch_time", operations * 1e-6, "s", "fake", work.count),), {"settled": work.settle})

    def close(self) -> Witnesses:
        return {"exit_status": 0}

    def kill(self) -> None:
        """Nothing to end."""


def test_one_repeated_operation_is_as_many_of_the_others() -> None:
    subject = RepeatedSpec(Counting(), 600).subject()

    visit = subject.visit(Work(count=5, settle=2, extra=1))

    (observation,) = visit.observations
    assert observation.count == 5
    assert observation.value == pytest.approx(3600e-6)
    assert visit.telemetry == {"settled": 1200}


def test_a_repeated_subject_opens_and_closes_as_the_other_and_knows_no_first_operation() -> None:
    subject = RepeatedSpec(Counting(), 600).subject()

    assert subject.open() == {"key_bits": 256}
    assert subject.close() == {"exit_status": 0}
    assert subject.first == ()


def test_parts_of_a_repeated_operation_are_not_timed_one_by_one() -> None:
    with pytest.raises(ValueError, match="one"):
        RepeatedSpec(Counting(), 600).subject().visit(Work(count=5, each=True))


def test_the_preset_has_one_short_baseline_and_arms_that_repeat_it() -> None:
    plan, specs = unlike()
    baseline = specs[plan.cells[0].baseline]

    assert {name: specs[f"python/{name}"] for name in TIMES} == {
        name: RepeatedSpec(baseline, times) for name, times in TIMES.items()
    }


def test_other_presets_have_none_of_them() -> None:
    for preset in ("default", "quick"):
        plan = planned(load("honesty"), RunRequest(preset, {"language": ("python",)}, Stopping(margin=0.02), seed=1))

        assert not TIMES.keys() & {treatment.levels["injected"] for treatment in plan.treatments}


def test_arms_of_unequal_count_agree_in_cpu_time_beside_a_pinned_hog() -> None:
    plan, specs = unlike()
    seen: dict[int, list[float]] = {1_500: [], 6_000: []}

    with one_pinned_hog():
        subject = specs[plan.cells[0].baseline].subject()
        try:
            subject.open()
            for _ in range(25):
                for count, costs in seen.items():
                    (cpu,) = (its for its in subject.visit(Work(count)).observations if its.metric == BATCH_CPU)
                    costs.append(cpu.value / count)
        finally:
            subject.kill()

    few, many = (statistics.quantiles(costs, n=4)[0] for costs in seen.values())
    assert abs(math.log(many / few)) < AGREE_WITHIN


@pytest.mark.full
def test_a_run_of_different_arms_finds_their_ratio_beside_a_pinned_hog(tmp_path: Path) -> None:
    sectax = str(Path(sys.executable).with_name("sectax"))
    levels = ["--level", "language=python", "--level", "injected=nothing,x25,x600"]

    with one_pinned_hog():
        result = subprocess.run(
            [sectax, "run", "honesty", "--unlike", *levels, "--blocks", "6", "--json", "--out", tmp_path / "a.sectax"],
            capture_output=True,
            text=True,
        )

    assert result.returncode == 0, result.stderr
    primary = [its for its in json.loads(result.stdout)["findings"] if its["standing"] == "primary"]
    ratios = {its["treatment"].rpartition("/")[2]: its["effect"]["log_ratio"] for its in primary}
    assert ratios.keys() == {"x25", "x600"}
    assert all(abs(ratio - math.log(TIMES[level])) < AGREE_WITHIN for level, ratio in ratios.items())
