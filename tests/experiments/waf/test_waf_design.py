"""What a run of the experiment `waf` is to be, and what it sends."""

from __future__ import annotations

from sectax.model.plan import Plan
from tests.experiments.plans import planner

plan = planner("waf")


def declared(plan: Plan) -> dict[str, dict[str, object]]:
    return {one.id: dict(one.declares) for one in plan.treatments}


def test_only_an_attack_on_a_filter_that_blocks_is_to_be_refused() -> None:
    statuses = {name: witnesses["status"] for name, witnesses in declared(plan("quick")).items()}

    assert [name for name, status in statuses.items() if status == 403] == ["attack/none/1/blocking"]
    assert set(statuses.values()) == {200, 403}


def test_every_level_says_what_the_server_must_say_of_its_filter() -> None:
    seen = declared(plan())

    filtering = {"mode": "detection", "paranoia": 3, "rules_matched": True}
    assert seen["attack/none/3/detection"] == filtering | {"status": 200, "served": True}
    assert "paranoia" not in seen["clean/1KB/4/off"]
