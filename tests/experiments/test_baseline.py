"""Any level of the control can be the baseline, and everything after the plan goes on from there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sectax.experiments import registry
from sectax.experiments.interface import Experiment
from sectax.model.errors import WrongUse
from sectax.model.plan import Plan
from sectax.model.treatment import Role
from sectax.prices import load
from sectax.reports.notes import repeat
from sectax.reports.words import decisions, plans
from sectax.run.advice import decided, experiment_rows
from sectax.run.analyse import analyse_measured
from tests.fakes.measured import measured
from tests.machines import planned, request_for
from tests.program import sectax

FREE = [name for name in registry.names() if "baseline" not in {it.name for it in registry.load(name).options}]


def with_baseline(experiment: Experiment, level: str, preset: str = "default") -> Plan:
    return planned(experiment, replace(request_for(preset), baseline=level))


def others(experiment: Experiment) -> list[str]:
    """Levels of the control that are in a cell, but are not its baseline."""
    plan = planned(experiment, request_for())
    levels = (treatment.levels[plan.control] for treatment in plan.treatments if treatment.role is Role.TREATMENT)
    return [*dict.fromkeys(levels)]


@pytest.mark.parametrize("name", FREE)
def test_another_level_is_the_baseline_and_the_run_is_reported(name: str) -> None:
    experiment = registry.load(name)
    level = others(experiment)[0]
    plan = with_baseline(experiment, level)
    chosen = [cell for cell in plan.cells if plan.treatment(cell.baseline).levels[plan.control] == level]

    assert chosen
    assert all(
        level != plan.treatment(item.treatment).levels[plan.control]
        for item in plan.comparisons
        if item.cell in {cell.id for cell in chosen} and "#" not in item.treatment
    )
    assert f"--baseline {level}" in repeat(plan)
    assert plans.sides(plan) == ()

    places = {treatment.id: number for number, treatment in enumerate(plan.treatments, 1)}
    first = plan.metrics[0]
    values = {first.name: lambda of, block: 1e-3 * places[of.id] * (1 + 1e-3 * ((7 * block + places[of.id]) % 5))}
    analysed = analyse_measured(measured(plan, values, tuple(range(1, 13))))
    decision = decided(analysed)
    experiment_rows(analysed, prices=load())
    if decision is not None:
        assert decisions.decision(analysed, decision)


def test_a_family_without_that_level_keeps_its_own_baseline() -> None:
    plan = with_baseline(registry.load("primitives"), "chacha20-poly1305")
    baselines = {cell.levels["family"]: plan.treatment(cell.baseline).levels[plan.control] for cell in plan.cells}

    assert "chacha20-poly1305" in baselines.values()
    assert len({*baselines.values()}) > 1


def test_a_level_that_is_not_there_is_refused() -> None:
    with pytest.raises(WrongUse, match="--baseline ES999 is not a level of algorithm"):
        with_baseline(registry.load("jwt"), "ES999")


def test_the_option_is_typed_and_planned(tmp_path) -> None:
    words = ("--level", "algorithm=ES256,EdDSA", "--level", "language=python", "--dry-run")
    without = sectax("run", "jwt", *words, folder=tmp_path)
    chosen = sectax("run", "jwt", *words, "--baseline", "ES256", folder=tmp_path)

    assert (without.status, "--baseline ES256" in without.err) == (2, True)
    assert chosen.status == 0, chosen.err
