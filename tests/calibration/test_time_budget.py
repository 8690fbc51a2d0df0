"""A run is planned in time: the budget decides the last look before the first block."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace

import pytest

from sectax.calibration.time_budget import MOST_LOOKS, least_block_s, refuse_too_small, set_last_look, update_last_look
from sectax.experiments import registry
from sectax.experiments.interface import RunRequest
from sectax.experiments.planning import add_default_budget
from sectax.model.errors import NothingMeasured
from sectax.model.plan import DEFAULT_MAX_BLOCKS, ENOUGH_BLOCKS, FIRST_LOOK, Stopping, Until
from tests.design.plans import calibrated_for, small_plan
from tests.needs import SANDBOX, needs
from tests.program import sectax


def planned(stopping: Stopping, block_s: float, elapsed_s: float = 0.0) -> int:
    plan = replace(small_plan(), stopping=stopping)
    return plan.last_look(set_last_look(plan, calibrated_for(plan), block_s, block_s, elapsed_s))


def budget(name: str, preset: str, stopping: Stopping, **options: tuple[str, ...]) -> Stopping:
    return add_default_budget(registry.load(name), RunRequest(preset, {}, stopping, 1, options)).stopping


def test_the_last_look_is_as_many_blocks_as_fit_into_the_budget() -> None:
    assert planned(Stopping(0.02, budget_s=600.0), 1.0) == 600
    assert planned(Stopping(0.02, budget_s=600.0), 10.0, elapsed_s=100.0) == 50
    assert planned(Stopping(0.02, budget_s=86_400.0), 1.0) == MOST_LOOKS


@pytest.mark.parametrize(("until", "looks"), [(Until.BUDGET, 35), (Until.VERDICT, 47)])
def test_right_before_the_first_look_blocks_as_they_come_decide_the_last_one(until: Until, looks: int) -> None:
    """Thirty blocks of 2 s are left; where answered treatments leave, more."""
    plan = replace(small_plan(), stopping=Stopping(0.02, budget_s=600.0, until=until))
    planned = set_last_look(plan, calibrated_for(plan), 10.0, 10.0, 0.0)

    again = update_last_look(plan, planned, FIRST_LOOK - 1, 2.0, 60.0)

    assert plan.last_look(again) == looks
    assert update_last_look(plan, again, FIRST_LOOK - 1, 2.0, 60.0) is None


@pytest.mark.parametrize("done", [FIRST_LOOK - 2, FIRST_LOOK, 20])
def test_after_the_first_look_the_last_one_stays(done: int) -> None:
    plan = replace(small_plan(), stopping=Stopping(0.02, budget_s=600.0))

    assert update_last_look(plan, calibrated_for(plan), done, 2.0, 60.0) is None


@pytest.mark.parametrize(
    ("stopping", "looks"),
    [
        (Stopping(0.02, fixed_blocks=8, budget_s=600.0), None),
        (Stopping(0.02, max_blocks=8), None),
        (Stopping(0.02, max_blocks=8, budget_s=600.0), 8),
        (Stopping(0.02, budget_s=600.0), FIRST_LOOK),
        (Stopping(0.02, budget_s=600.0, extends=True), ENOUGH_BLOCKS),
    ],
)
def test_looks_that_were_asked_for_or_are_needed_stay(stopping: Stopping, looks: int | None) -> None:
    plan = replace(small_plan(), stopping=stopping)

    again = update_last_look(plan, calibrated_for(plan), FIRST_LOOK - 1, 2.0, 60.0 if looks == 8 else -1.0)

    assert (None if again is None else plan.last_look(again)) == looks


def test_a_number_of_blocks_that_was_asked_for_is_kept() -> None:
    assert planned(Stopping(0.02, max_blocks=20, budget_s=600.0), 1.0) == 20
    assert planned(Stopping(0.02, max_blocks=20), 1.0) == 20
    assert planned(Stopping(0.02, fixed_blocks=8), 1.0) == 8
    assert planned(Stopping(0.02), 1.0) == DEFAULT_MAX_BLOCKS


def test_a_budget_too_short_for_a_verdict_is_refused_with_the_one_that_is_not() -> None:
    with pytest.raises(NothingMeasured) as refused:
        planned(Stopping(0.02, budget_s=30.0), 6.0, elapsed_s=5.0)

    assert "--budget 41s" in refused.value.hint


def test_what_is_measured_once_leaves_less_for_blocks() -> None:
    plan = replace(small_plan(), stopping=Stopping(0.02, budget_s=600.0))

    assert plan.last_look(set_last_look(plan, calibrated_for(plan), 10.0, 10.0, 100.0, 300.0)) == 20
    with pytest.raises(NothingMeasured) as refused:
        set_last_look(plan, calibrated_for(plan), 10.0, 10.0, 100.0, 480.0)

    assert "480 s" in refused.value.message


def test_a_busy_machine_counts_when_a_budget_is_refused() -> None:
    """Six blocks of 4 s fit into 30 s where nothing disturbs them; here everything takes twice as long."""
    plan = replace(small_plan(), stopping=Stopping(0.02, budget_s=30.0))

    set_last_look(plan, calibrated_for(plan), 4.0, 4.0, 5.0)
    with pytest.raises(NothingMeasured) as refused:
        set_last_look(plan, calibrated_for(plan), 4.0, 8.0, 5.0)

    assert "--budget 53s" in refused.value.hint


@pytest.mark.parametrize(("budget_s", "refused"), [(1.0, True), (4.0, False)])
def test_the_plan_alone_may_show_that_a_budget_is_too_small(budget_s: float, refused: bool) -> None:
    """Eight treatments, four rounds of at least 10 ms each, six blocks: 1.9 s without any opening."""
    plan = replace(small_plan(), stopping=Stopping(0.02, budget_s=budget_s))

    with pytest.raises(NothingMeasured) if refused else contextlib.nullcontext():
        refuse_too_small(plan, 0.0, least_block_s(plan))


@pytest.mark.parametrize("name", ["jwt", pytest.param("hmac", marks=needs(*SANDBOX))])
def test_a_budget_is_refused_before_anything_is_started(name: str, tmp_path) -> None:
    result = sectax("run", name, "--budget", "1s", "--out", "r.sectax", folder=tmp_path)

    assert result.status == 3
    assert re.search(r"--budget \d+s", result.err)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("until", ["verdict", "budget"])
def test_a_budget_is_refused_by_the_first_operation_that_shows_it(until: str, tmp_path) -> None:
    """Six blocks of one command take 24 s: the three others need not be tried, and the hint is not refused again."""
    commands = [word for name in "abc" for word in ("--treatment", f"{name}=sleep 4")]
    asked = ("run", "command", "--baseline", "sleep 4", *commands, "--until", until)

    result = sectax(*asked, "--budget", "25s", folder=tmp_path, simulated=1)

    assert result.status == 3
    assert "pilot 1/" not in result.err
    assert list(tmp_path.iterdir()) == []
    budget = re.search(r"--budget (\d+s)", result.err)
    assert sectax(*asked, "--budget", budget[1], folder=tmp_path, simulated=1).status == 0


def test_openings_that_are_slow_refuse_a_budget_in_the_pilot() -> None:
    plan = replace(small_plan(), stopping=Stopping(0.02, budget_s=20.0))

    refuse_too_small(plan, 2.0, least_block_s(plan, 0.1))
    with pytest.raises(NothingMeasured) as refused:
        refuse_too_small(plan, 8.0, least_block_s(plan, 0.5))

    # 8 s and six blocks of 4 s and a little, with room for a busy machine: one number, in the message and in the hint.
    assert "68 s" in refused.value.message
    assert "--budget 68s" in refused.value.hint


def test_commands_and_spaced_operations_have_no_least_batch() -> None:
    plan = small_plan()

    assert least_block_s(replace(plan, equal_counts=True)) == 0.0
    assert least_block_s(plan, may_idle=True) == 0.0


def test_the_default_budget_is_never_refused_and_leaves_room_for_a_verdict() -> None:
    refuse_too_small(replace(small_plan(), stopping=Stopping(0.02, budget_s=1.0, extends=True)), 100.0, 100.0)

    assert planned(Stopping(0.02, budget_s=60.0, extends=True), 30.0) == ENOUGH_BLOCKS


@pytest.mark.parametrize(
    ("name", "preset", "seconds"),
    [("jwt", "quick", 60.0), ("jwt", "default", 120.0), ("command", "default", 120.0), ("hmac", "published", 600.0)],
)
def test_every_preset_has_a_budget(name: str, preset: str, seconds: float) -> None:
    default = budget(name, preset, Stopping(0.02))

    assert (default.budget_s, default.extends) == (seconds, True)


@pytest.mark.parametrize(
    "asked", [Stopping(0.02, budget_s=5.0), Stopping(0.02, fixed_blocks=6), Stopping(0.02, max_blocks=9)]
)
def test_what_the_user_asked_for_stands(asked: Stopping) -> None:
    assert budget("jwt", "quick", asked) == asked


@pytest.mark.parametrize("name", ["function", "hmac"])
def test_what_is_paid_for_has_no_more_blocks_than_the_bill_counts(name: str) -> None:
    aws = {"endpoint": ("aws",), "role": ("arn:aws:iam::123456789012:role/lambda",)}

    assert budget(name, "default", Stopping(0.02), **aws).max_blocks == DEFAULT_MAX_BLOCKS
    assert budget(name, "default", Stopping(0.02, max_blocks=60), **aws).max_blocks == 60
    assert budget(name, "default", Stopping(0.02), endpoint=("https://lambda.example.org",)).max_blocks is not None


@pytest.mark.parametrize("name", ["function", "hmac"])
def test_the_free_local_lambda_has_as_many_blocks_as_fit(name: str) -> None:
    default = budget(name, "default", Stopping(0.02))

    assert (default.max_blocks, default.extends) == (None, True)
