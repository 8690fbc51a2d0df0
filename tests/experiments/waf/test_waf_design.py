"""What a run of the experiment `waf` is to be, and what it sends."""

from __future__ import annotations

import pytest

from sectax.experiments.interface import Request
from sectax.experiments.waf.experiment import EXPERIMENT
from sectax.experiments.waf.levels import BODIES, asked
from sectax.model.plan import Plan, Stopping
from sectax.model.treatment import Standing
from tests.machines import complete, planned, without


def request(preset: str = "quick", **levels: str) -> Request:
    return Request(preset, {name: tuple(text.split(",")) for name, text in levels.items()}, Stopping(margin=0.02), 1)


def declared(plan: Plan) -> dict[str, dict[str, object]]:
    return {one.id: dict(one.declares) for one in plan.treatments}


def test_the_quick_preset_compares_detection_and_blocking_with_no_filter() -> None:
    plan = planned(EXPERIMENT, request())

    assert {one.treatment for one in plan.comparisons if one.standing is Standing.PRIMARY} == {
        f"{kind}/none/1/{mode}" for kind in ("clean", "attack") for mode in ("detection", "blocking")
    }


def test_only_an_attack_on_a_filter_that_blocks_is_to_be_refused() -> None:
    statuses = {name: witnesses["status"] for name, witnesses in declared(planned(EXPERIMENT, request())).items()}

    assert [name for name, status in statuses.items() if status == 403] == ["attack/none/1/blocking"]
    assert set(statuses.values()) == {200, 403}


def test_every_level_says_what_the_server_must_say_of_its_filter() -> None:
    seen = declared(planned(EXPERIMENT, request("default")))

    assert seen["attack/none/3/detection"] == {
        "status": 200,
        "mode": "detection",
        "paranoia": 3,
        "rules_matched": True,
        "served": True,
    }
    assert "paranoia" not in seen["clean/1KB/4/off"]


@pytest.mark.parametrize("body", BODIES)
def test_a_body_has_its_size_and_is_a_form(body: str) -> None:
    sent = asked("clean", body)

    assert len(sent.body) == BODIES[body]
    assert sent.method == ("POST" if sent.body else "GET")
    assert all(field.startswith(b"field") for field in sent.body.split(b"&") if sent.body)


@pytest.mark.parametrize("part", ["waf:server", "http:client"])
def test_without_a_part_everything_is_skipped_with_the_reason(part: str) -> None:
    wanted = request()

    plan = EXPERIMENT.plan(wanted, without(complete(EXPERIMENT, wanted), part))

    assert not plan.treatments
    assert "sectax setup" in {one.hint for one in plan.skipped}
