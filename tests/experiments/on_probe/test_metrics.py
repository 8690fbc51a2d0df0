"""CPU time answers where every probe can tell it; otherwise wall time does, and the plan says why."""

from __future__ import annotations

import pytest

from sectax.experiments import registry
from sectax.experiments.on_probe.experiment import ProbeMetrics, ask_probe, probe_metrics
from sectax.experiments.on_probe.subject import ProbeSpec
from sectax.model.machine import Machine, ProbeState
from sectax.model.plan import Plan
from sectax.model.treatment import Standing
from sectax.model.why_not import WhyNot
from tests.fakes.toy import fake
from tests.machines import plan_of, request_for

NEW, OLD = ProbeState("New", cpu_clock=True), ProbeState("Old", cpu_clock=False)
SILENT, ABSENT = ProbeState("Silent"), ProbeState("Absent", WhyNot("it is not installed"), cpu_clock=False)


def plan_on(experiment: str, **probes: ProbeState) -> Plan:
    """The quick plan for a machine with these probes."""
    return registry.load(experiment).plan(request_for("quick"), Machine(probes=probes))


def metrics_on(**probes: ProbeState) -> ProbeMetrics:
    return probe_metrics(probes, Machine(probes=probes))


@pytest.mark.parametrize(("mode", "has_one"), [("honest", True), ("old", False), ("wrong-version", None)])
def test_a_probe_says_itself_whether_it_has_a_cpu_clock(mode: str, has_one: bool | None) -> None:
    clock, open_s = ask_probe(ProbeSpec(name=mode, argv=tuple(fake(mode)), cwd=".", operation="empty"))

    assert clock is has_one
    assert (open_s > 0) is (has_one is not None)


def test_cpu_time_answers_and_wall_throughput_stands_beside_it() -> None:
    answer = metrics_on(honest=NEW)

    assert [metric.name for metric in answer.metrics] == ["cpu_time", "throughput"]
    assert answer.metrics[0].cpu
    assert answer.beside == ("throughput",)
    assert "CPU" in answer.answered_by


def test_one_probe_without_a_cpu_clock_decides_for_all() -> None:
    answer = metrics_on(honest=NEW, old=OLD)

    assert [metric.name for metric in answer.metrics] == ["throughput"]
    assert "old" in answer.answered_by


def test_a_probe_that_cannot_be_asked_does_not_decide() -> None:
    assert metrics_on(honest=NEW, silent=SILENT).metrics[0].name == "cpu_time"
    assert metrics_on(honest=NEW, absent=ABSENT).metrics[0].name == "cpu_time"


@pytest.mark.parametrize("experiment", ["jwt", "honesty"])
def test_primary_comparisons_and_controls_are_in_cpu_time(experiment: str) -> None:
    plan = plan_on(experiment, php=NEW)

    answering = {comparison.metric for comparison in plan.comparisons if comparison.standing is not Standing.SECONDARY}
    assert answering == {"cpu_time"}
    assert {comparison.standing for comparison in plan.comparisons} == set(Standing)
    assert {comparison.metric for comparison in plan.comparisons} >= {"cpu_time", "throughput"}
    assert plan.batch_observation == "batch_time"  # as long as it lasted


def test_a_probe_of_protocol_1_0_is_planned_in_wall_time() -> None:
    assert plan_on("jwt", php=OLD).metrics[0].name == "throughput"


def test_a_command_is_answered_in_wall_time_and_shows_its_cpu_time() -> None:
    options = {"baseline": ("true",), "treatment": ("other=true",)}
    plan = plan_of("command", "default", {}, options)

    assert (plan.metrics[0].name, plan.beside) == ("wall", ("cpu",))
    assert plan.answered_by
