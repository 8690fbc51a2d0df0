"""What a run of the experiment `database` is to be."""

from __future__ import annotations

import pytest

from sectax.experiments.database.experiment import EXPERIMENT
from sectax.experiments.interface import Request
from sectax.model.plan import Plan, Stopping
from sectax.model.treatment import Standing
from tests.machines import complete, planned, without


def request(preset: str = "quick", **levels: str) -> Request:
    return Request(preset, {name: tuple(text.split(",")) for name, text in levels.items()}, Stopping(margin=0.02), 1)


def primary(plan: Plan) -> set[str]:
    return {one.treatment for one in plan.comparisons if one.standing is Standing.PRIMARY}


def test_the_quick_preset_compares_what_a_query_and_what_a_connection_costs() -> None:
    plan = planned(EXPERIMENT, request())

    assert primary(plan) == {
        "kept/select/require",
        "new/select/require",
        "new/select/verify-full",
        "new/select/md5",
    }
    assert plan.one_processor


def test_what_differs_in_connecting_alone_is_not_measured_over_kept_connections() -> None:
    plan = planned(EXPERIMENT, request("default"))

    skipped = {one.treatment for one in plan.skipped}
    assert {f"kept/select/{level}" for level in ("verify-full", "md5", "trust")} <= skipped
    assert "kept/rows-1000/require" in primary(plan)


def test_every_level_says_what_the_server_must_have_seen() -> None:
    plan = planned(EXPERIMENT, request("default"))

    seen = {one.id: dict(one.declares) for one in plan.treatments}
    assert seen["new/select/disable"] == {"ssl": False, "authentication": "scram-sha-256"}
    assert seen["new/select/verify-full"] == {"ssl": True, "authentication": "scram-sha-256"}
    assert seen["new/select/md5"] == {"ssl": False, "authentication": "md5"}
    assert seen["new/select/trust"] == {"ssl": False, "authentication": "trust"}


@pytest.mark.parametrize("part", ["database:server", "database:client"])
def test_without_postgresql_everything_is_skipped_with_the_reason(part: str) -> None:
    asked = request()

    plan = EXPERIMENT.plan(asked, without(complete(EXPERIMENT, asked), part))

    assert not plan.treatments
    assert "sectax setup" in {one.hint for one in plan.skipped}
