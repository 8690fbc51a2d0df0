"""What a run of the experiment `waf` is to be, and what it sends."""

from __future__ import annotations

import pytest

from sectax.experiments.waf.levels import BODIES, asked
from sectax.model.plan import Plan
from tests.experiments.plans import planner

plan = planner("waf")


def declared(plan: Plan) -> dict[str, dict[str, object]]:
    return {one.id: dict(one.declares) for one in plan.treatments}


def test_the_quick_preset_compares_detection_and_blocking_with_no_filter() -> None:
    assert {one.treatment for one in plan("quick").comparisons if one.standing == "primary"} == {
        f"{kind}/none/1/{mode}" for kind in ("clean", "attack") for mode in ("detection", "blocking")
    }


def test_only_an_attack_on_a_filter_that_blocks_is_to_be_refused() -> None:
    statuses = {name: witnesses["status"] for name, witnesses in declared(plan("quick")).items()}

    assert [name for name, status in statuses.items() if status == 403] == ["attack/none/1/blocking"]
    assert set(statuses.values()) == {200, 403}


def test_every_level_says_what_the_server_must_say_of_its_filter() -> None:
    seen = declared(plan())

    filtering = {"mode": "detection", "paranoia": 3, "rules_matched": True}
    assert seen["attack/none/3/detection"] == filtering | {"status": 200, "served": True}
    assert "paranoia" not in seen["clean/1KB/4/off"]


@pytest.mark.parametrize("body", BODIES)
def test_a_body_has_its_size_and_is_a_form(body: str) -> None:
    sent = asked("clean", body)

    assert len(sent.body) == BODIES[body]
    assert sent.method == ("POST" if sent.body else "GET")
    assert all(field.startswith(b"field") for field in sent.body.split(b"&") if sent.body)
