"""A command runs on another host than its baseline: real processes, through the engine, into the record."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from sectax.design.order import plan_block
from sectax.engines.block import run_block
from sectax.experiments.command.subject import CommandSpec
from sectax.hosts.registry import host
from sectax.model.environment import LOCAL_HOST, Environment
from sectax.model.errors import WrongUse
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Plan
from sectax.record.reader import RunReader
from sectax.record.writer import RunWriter
from sectax.run.environment import of_hosts, refuse_change
from tests.design.plans import calibrated_for, small_plan
from tests.fakes import wrapped_host
from tests.needs import needs
from tests.run.sessions import begin, finished_blocks

WALL = Metric("wall", "s", Better.LOWER, Summary.MEAN, "wall")


@pytest.fixture(autouse=True)
def _hosts(tmp_path, monkeypatch):
    wrapped_host.install(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])


@pytest.fixture(params=[wrapped_host.EMPTIED, pytest.param(wrapped_host.NAMESPACED, marks=needs("namespaces"))])
def elsewhere(request) -> str:
    return request.param


def run_two_hosts(path, plan: Plan, environment: Environment) -> dict[str, CommandSpec]:
    """One block: the baselines here, everything else there; what runs says by its exit status whether that is so."""
    (there,) = plan.hosts
    world = there.partition(":")[2]
    specs = {}
    for treatment in (treatment for treatment in plan.treatments if not treatment.extra):
        name = LOCAL_HOST if treatment.id.endswith("/RS256") else there
        wanted = "" if name == LOCAL_HOST else world
        specs[treatment.id] = CommandSpec(treatment.id, ("sh", "-c", f'test "$WORLD" = "{wanted}"'), host=name)
    calibrated = calibrated_for(plan, rounds=2, count=3)
    block = plan_block(plan, calibrated, 1, list(specs))
    with RunWriter.create(path, plan, environment, "00000000000000a1") as writer:
        writer.calibrate(calibrated)
        writer.begin_block(block)
        for event in run_block(block, specs):
            writer.event(1, event)
        writer.finish_block(1, 1.0)
        writer.finish("finished")
    return specs


@needs("cc")
def test_a_treatment_on_another_host_is_measured_there_and_both_are_in_the_record(tmp_path, elsewhere):
    plan = small_plan(hosts=(elsewhere,), metrics=(WALL,))
    environment = Environment(host().identity(), host().circumstances(), of_hosts(plan.hosts))

    specs = run_two_hosts(tmp_path / "r.sectax", plan, environment)

    with RunReader.open(tmp_path / "r.sectax") as reader:
        measured = reader.measured()
    (session,) = measured.sessions
    assert measured.failures == ()
    assert measured.plan.hosts == (elsewhere,)
    assert session.hosts[elsewhere].identity == {"host.world": elsewhere.partition(":")[2]}
    assert session.identity == host().identity()
    assert set(measured.values["wall"]) == set(specs)
    assert all(0 < blocks[1] < 10 for blocks in measured.values["wall"].values())
    # What the kernel knows of a launcher there came through that host.
    assert {"voluntary_switches", "steal_s"} <= measured.telemetry["sign/ES256"].keys()


@pytest.mark.more
@needs("cc")
def test_the_program_runs_an_experiment_over_two_hosts_from_its_plan_to_its_report(tmp_path):
    root = Path(__file__).parents[2]
    packages = os.pathsep.join([str(tmp_path), str(root), str(root / "src")])

    process = begin(tmp_path, "run", "places", "--blocks", "6", "--out", "r.sectax", "--json", PYTHONPATH=packages)
    out, err = process.communicate(timeout=300)

    assert process.returncode == 0, err
    document = json.loads(out)
    (session,) = document["run"]["sessions"]
    assert session[f"{wrapped_host.EMPTIED} host.world"] == "blue"
    assert session["host.kernel"] == host().identity()["host.kernel"]
    assert document["failures"] == []
    assert finished_blocks(tmp_path) == 6


def test_a_run_does_not_go_on_where_its_other_host_has_changed():
    before = Environment({"host.kernel": "6.1"}, hosts={"ssh://bench": Environment({"host.kernel": "5.4"})})
    now = Environment({"host.kernel": "6.1"}, hosts={"ssh://bench": Environment({"host.kernel": "5.15"})})

    refuse_change(before, before)
    with pytest.raises(WrongUse, match=r"ssh://bench host\.kernel: 5\.4 .*5\.15"):
        refuse_change(before, now)
