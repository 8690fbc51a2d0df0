"""What is not installed is skipped with its reason, and the rest is measured."""

from __future__ import annotations

import pytest

from sectax.experiments import registry
from sectax.model.why_not import WhyNot
from tests.experiments.plans import ON_AWS
from tests.machines import complete, request_for, without

NOT_THERE = WhyNot("it is not installed", "sectax setup")
TWO_URLS = {"baseline": ("http://127.0.0.1:1/",), "treatment": ("new=https://127.0.0.1:2/",)}


@pytest.mark.parametrize(
    ("experiment", "part"),
    [
        ("database", "database:server"),
        ("database", "database:client"),
        ("waf", "waf:server"),
        ("waf", "http:client"),
        ("http", "http:client"),
    ],
)
def test_without_its_server_or_client_an_experiment_measures_nothing(experiment: str, part: str) -> None:
    loaded, request = registry.load(experiment), request_for("quick", {}, TWO_URLS if experiment == "http" else {})

    plan = loaded.plan(request, without(complete(loaded, request), part, why_not=NOT_THERE))

    assert not plan.treatments
    assert NOT_THERE in {skipped.why_not for skipped in plan.skipped}


@pytest.mark.parametrize(
    ("experiment", "levels", "options", "part", "factor", "missing"),
    [
        ("hmac", {"language": ("python", "go")}, ON_AWS, "function:hmac_authorizer/go", "language", {"go"}),
        ("secrets", {"situation": ("hit",)}, {}, "secrets:agent", "access", {"sidecar", "sidecar-new"}),
        ("tls", {}, {}, "tls:rustls", "library", {"rustls"}),
    ],
)
def test_without_a_part_its_levels_alone_are_skipped(experiment, levels, options, part, factor, missing) -> None:
    loaded, request = registry.load(experiment), request_for("default", levels, options)
    machine = complete(loaded, request)
    everything = loaded.plan(request, machine)

    plan = loaded.plan(request, without(machine, part, why_not=NOT_THERE))

    assert {skipped.levels[factor] for skipped in plan.skipped if skipped.why_not == NOT_THERE} == missing
    measured = {treatment.levels[factor] for treatment in everything.treatments}
    assert {treatment.levels[factor] for treatment in plan.treatments} == measured - missing
