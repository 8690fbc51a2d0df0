import dataclasses

import pytest

from sectax.analysis.stopping import Undecided, find_undecided
from sectax.model.condition import Condition
from sectax.model.measured import Failure, Measured
from sectax.model.plan import Until
from sectax.model.treatment import Standing
from tests.analysis.runs import MEMORY, around, run_of, with_metric, with_plan


def small(blocks: int = 10, **columns: list[float | None]) -> Measured:
    """A quiet run with both controls: the negative shows nothing, the positive its 4 %."""
    values: dict[str, list[float | None]] = {
        "baseline": list(around(1.0, blocks)),
        "negative": list(around(1.0, blocks, shift=2)),
        "positive": list(around(1.04, blocks, shift=1)),
    }
    return run_of(values | columns)


NOISY = [1.0, 1.3, 0.8, 1.2, 0.7, 1.1, 1.4, 0.9, 1.0, 1.2]
NOTHING = Undecided(frozenset(), frozenset())


def test_when_all_is_decided_nothing_goes_on() -> None:
    still = find_undecided(small(slow=list(around(1.5, 10, shift=3)), same=list(around(1.0, 10, shift=4))))

    assert still == NOTHING
    assert not still


def test_what_is_answered_leaves_and_what_is_open_stays_with_its_baseline_and_controls() -> None:
    measured = small(slow=list(around(1.5, 10, shift=3)), noisy=list(NOISY))

    still = find_undecided(measured)

    assert still.comparisons == {"noisy"}
    assert still.treatments == {"noisy", "baseline", "negative"}  # the positive control was found


def test_a_positive_control_that_is_not_found_goes_on_while_a_verdict_may_need_it() -> None:
    measured = small(noisy=list(NOISY), positive=list(NOISY[::-1]))

    still = find_undecided(measured)

    assert "positive" in still.treatments
    assert "positive" not in still.comparisons


def test_equivalence_waits_for_the_positive_control() -> None:
    measured = small(same=list(around(1.0, 10, shift=4)), positive=list(NOISY))

    still = find_undecided(measured)

    assert still.comparisons == {"positive"}
    assert still.treatments == {"positive", "negative", "baseline"}


def test_a_large_effect_does_not_wait_for_the_positive_control() -> None:
    measured = small(slow=list(around(1.5, 10, shift=4)), positive=list(NOISY))

    assert find_undecided(measured) == NOTHING


@pytest.mark.parametrize(
    ("effect", "seconds", "needs"), [(1.01, 1.0, True), (1.2, 1.0, False), (1.01, 0.1, True), (1.2, 0.1, True)]
)
def test_a_long_operation_is_not_spent_on_a_known_cost_that_no_verdict_will_lean_on(effect, seconds, needs) -> None:
    few = small(3, treatment=list(around(effect, 3)))
    own = few.calibrated.calibrations
    long = {name: dataclasses.replace(item, count=1, batch_s=seconds) for name, item in own.items()}
    calibrated = dataclasses.replace(few.calibrated, calibrations=long)

    going = find_undecided(dataclasses.replace(few, calibrated=calibrated)).treatments

    assert going - {"positive"} == {"baseline", "negative", "treatment"}
    assert ("positive" in going) == needs


def test_equivalence_in_memory_does_not_wait_for_a_control_of_times() -> None:
    measured = small(slow=list(around(1.5, 10, shift=4)), positive=list(NOISY))
    metric = dataclasses.replace(MEMORY, resolution=0.0)
    memory = {"baseline": around(1e6, 10), "slow": around(1e6, 10, shift=1)}

    assert find_undecided(with_metric(measured, metric, memory, Standing.SECONDARY)) == NOTHING


def test_secondary_comparisons_of_the_first_metric_keep_a_run_going() -> None:
    measured = small(noisy=list(NOISY))
    comparisons = tuple(
        dataclasses.replace(one, standing=Standing.SECONDARY) if one.id == "noisy" else one
        for one in measured.plan.comparisons
    )
    assert find_undecided(with_plan(measured, comparisons=comparisons)).comparisons == {"noisy"}


def test_other_metrics_come_along_as_they_are() -> None:
    measured = small(slow=list(around(1.5, 10, shift=4)))
    memory = {"baseline": NOISY, "slow": NOISY[::-1]}

    assert find_undecided(with_metric(measured, MEMORY, memory, Standing.SECONDARY)) == NOTHING


@pytest.mark.parametrize("fixed_blocks", [None, 20])
def test_what_is_measured_in_one_block_alone_waits_for_it_and_for_no_other(fixed_blocks: int | None) -> None:
    measured = run_of({"baseline": [1.0], "slow": [2.0]}, fixed_blocks=fixed_blocks)
    once = with_plan(measured, cells=tuple(dataclasses.replace(cell, once=True) for cell in measured.plan.cells))

    assert find_undecided(measured).comparisons == {"slow"}
    assert find_undecided(once) == NOTHING
    assert find_undecided(dataclasses.replace(once, blocks=(), visited={})).treatments == {"baseline", "slow"}


def test_with_fixed_blocks_and_before_the_first_look_everything_is_open() -> None:
    fixed = run_of({"baseline": around(1, 8), "slow": around(2, 8, shift=1)}, fixed_blocks=20)

    assert find_undecided(fixed).comparisons == {"slow"}
    assert find_undecided(small(blocks=5, slow=list(around(2.0, 5)))).comparisons == {"slow"}


def test_a_treatment_that_the_pilot_could_not_calibrate_is_not_waited_for() -> None:
    measured = small(broken=[None] * 10, noisy=list(NOISY))
    kept = {name: one for name, one in measured.calibrated.calibrations.items() if name != "broken"}
    calibrated = dataclasses.replace(measured.calibrated, calibrations=kept)

    assert find_undecided(dataclasses.replace(measured, calibrated=calibrated)).comparisons == {"noisy"}


@pytest.mark.parametrize(("failed", "open_still"), [((8, 9), True), ((8, 9, 10), False), ((1, 2, 3), True)])
def test_a_treatment_whose_last_blocks_all_failed_is_given_up(failed: tuple[int, ...], open_still: bool) -> None:
    column: list[float | None] = list(NOISY)
    for block in failed:
        column[block - 1] = None
    failures = tuple(Failure(block, "noisy", "visit", "failed", "exit status 1") for block in failed)

    measured = dataclasses.replace(small(noisy=column), failures=failures)

    assert bool(find_undecided(measured)) == open_still


@pytest.mark.parametrize(("statuses", "open_still"), [((0,), True), (("0", 0), True), ((1,), False), ((0, 1), False)])
def test_what_did_unequal_work_is_measured_no_longer(statuses: tuple[int | str, ...], open_still: bool) -> None:
    measured = small(noisy=list(NOISY))
    seen = {treatment.id: {"exit_statuses": (0,)} for treatment in measured.plan.treatments}
    seen |= {"noisy": {"exit_statuses": statuses}}
    measured = with_plan(dataclasses.replace(measured, witnesses=seen), equal_witnesses=("exit_statuses",))

    still = find_undecided(measured)

    assert still.comparisons == ({"noisy"} if open_still else frozenset())


@pytest.mark.parametrize(("name", "goes_on"), [("system_calls", False), ("memory", True), ("bill", True)])
def test_a_limit_on_what_is_counted_needs_one_block(name: str, goes_on: bool) -> None:
    columns: dict[str, list[float | None]] = {"baseline": [1e6], "new": [1e6]}
    measured = with_metric(run_of({"baseline": [1.0], "new": [1.3]}), MEMORY, columns, Standing.SECONDARY)
    limit = Condition(costlier=True, limit=0.0, metric=name, text="", unit="")
    rules = dataclasses.replace(measured.plan.stopping, conditions=(limit,), until=Until.CONDITIONS)
    assert bool(find_undecided(with_plan(measured, stopping=rules))) is goes_on
