"""CPU time answers where every probe can tell it; otherwise wall time does, and the plan says why."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sectax.experiments import registry
from sectax.experiments.interface import Request
from sectax.experiments.on_probes import probe_metrics
from sectax.model.plan import Plan, Stopping, batch_observation
from sectax.model.treatment import Standing
from sectax.reports.words import plans
from sectax.subjects.probe.probe_subject import ProbeSpec
from sectax.toolchain import probes
from sectax.toolchain.probes import Manifest, Probe
from tests.fakes.toy import fake

FAKES = Path(__file__).parents[1] / "fakes"


def empty(mode: str) -> ProbeSpec:
    return ProbeSpec(name=mode, argv=tuple(fake(mode)), cwd=".", operation="empty")


def planned(experiment: str, monkeypatch: pytest.MonkeyPatch, *modes: str) -> Plan:
    """A plan for fakes in place of the probes."""
    fakes = {mode: Probe(FAKES, Manifest(mode, mode, [sys.executable, "probe.py", mode])) for mode in modes}
    monkeypatch.setattr(probes, "names", lambda: tuple(fakes))
    monkeypatch.setattr(probes, "load", lambda name: fakes[name])
    monkeypatch.setattr(probes, "missing", lambda probe: None)
    preset = "quick"
    return registry.load(experiment).plan(Request(preset, {}, Stopping(margin=0.02), seed=1))


def test_cpu_time_answers_and_wall_throughput_stands_beside_it() -> None:
    answer = probe_metrics([empty("honest")])

    assert [metric.name for metric in answer.metrics] == ["cpu_time", "throughput"]
    assert answer.metrics[0].cpu
    assert answer.beside == ("throughput",)
    assert "CPU time per operation" in answer.answered_by


def test_one_probe_without_a_cpu_clock_decides_for_all() -> None:
    answer = probe_metrics([empty("honest"), empty("old")])

    assert [metric.name for metric in answer.metrics] == ["throughput"]
    assert "wall time: the probe old does not report CPU time" in answer.answered_by


def test_a_probe_that_cannot_be_asked_does_not_decide() -> None:
    answer = probe_metrics([empty("honest"), empty("wrong-version")])

    assert answer.metrics[0].name == "cpu_time"


@pytest.mark.parametrize("experiment", ["jwt", "honesty"])
def test_primary_comparisons_and_controls_are_in_cpu_time(experiment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(experiment, monkeypatch, "honest")

    answering = {each.metric for each in plan.comparisons if each.standing is not Standing.SECONDARY}
    assert answering == {"cpu_time"}
    assert {each.standing for each in plan.comparisons} == set(Standing)
    assert {each.metric for each in plan.comparisons} >= {"cpu_time", "throughput"}
    assert any("the answer is CPU time" in line for line in plans.plan(plan))


@pytest.mark.parametrize("experiment", ["jwt", "honesty"])
def test_batches_are_as_long_as_they_lasted(experiment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(experiment, monkeypatch, "honest")

    assert batch_observation(plan) == "batch_time"


def test_a_probe_of_protocol_1_0_is_planned_in_wall_time(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned("jwt", monkeypatch, "old")

    assert plan.metrics[0].name == "throughput"
    assert any("the answer is operations per second of wall time" in line for line in plans.plan(plan))


def test_a_command_is_answered_in_wall_time_and_shows_its_cpu_time() -> None:
    options = {"baseline": ("true",), "treatment": ("other=true",)}
    plan = registry.load("command").plan(Request("default", {}, Stopping(margin=0.02), seed=1, options=options))

    assert (plan.metrics[0].name, plan.beside) == ("wall", ("cpu",))
    assert any("a command may wait or do I/O" in line for line in plans.plan(plan))
