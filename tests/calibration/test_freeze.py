"""What is made of the pilot's readings: equal batches, controls that are fed like treatments, rounds that fit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sectax.calibration.freeze import PilotTimes, freeze, resize_batches, target_half_width
from sectax.calibration.warming import Warming
from sectax.design.batches import Operation, uneven
from sectax.model.plan import Calibrated, Plan, Stopping, Until
from sectax.model.treatment import Role, Standing
from tests.design.plans import small_plan

PLAN: Plan = replace(small_plan(), batch_s=0.005, rounds_range=(4, 64))
# The cell without controls; the other one has as many rounds as whole extra operations need.
PLAIN = PLAN.cells[1].id
SECONDS = {"RS256": 4e-4, "ES256": 3e-5, "EdDSA": 2e-3}


def tried(operation_s: float, noise: float = 0.01) -> PilotTimes:
    rng = np.random.default_rng(round(operation_s * 1e9))
    readings = tuple(tuple(math.log(operation_s) + rng.normal(0, noise, 60)) for _ in range(2))
    return PilotTimes(Operation(operation_s, 1e-3), 0.05, 2e-4, 1.0, 1e-8, 5e-8, readings)


def seconds(of: dict[str, float] = SECONDS) -> dict[str, float]:
    """Of every treatment, by its algorithm."""
    return {treatment.id: of[treatment.levels["algorithm"]] for treatment in PLAN.treatments}


def all_tried(of: dict[str, float] = SECONDS, noise: float = 0.01) -> dict[str, PilotTimes]:
    return {name: tried(operation_s, noise) for name, operation_s in seconds(of).items()}


def frozen(plan: Plan = PLAN, left_s: float = math.inf, noise: float = 0.01) -> Calibrated:
    return freeze(plan, all_tried(noise=noise), {}, left_s)


def lengths(calibrated: Calibrated, cell: str) -> dict[str, float]:
    return {
        treatment.id: calibrated.calibrations[treatment.id].batch_s
        for treatment in PLAN.treatments
        if treatment.cell == cell
    }


@pytest.mark.parametrize("cell", [cell.id for cell in PLAN.cells])
def test_the_batches_of_a_cell_are_equally_long(cell: str) -> None:
    assert not uneven(lengths(frozen(), cell).values())


def test_the_negative_control_has_batches_as_long_as_those_of_the_most_unequal_treatment() -> None:
    seen = all_tried({"RS256": 1e-3, "ES256": 4e-3, "EdDSA": 1e-3})

    calibrations = freeze(PLAN, seen, {}, math.inf).calibrations
    (negative,) = (treatment for treatment in PLAN.treatments if treatment.role is Role.NEGATIVE)
    baseline = calibrations[PLAN.cell(negative.cell).baseline]
    unequal = {treatment.id: calibrations[treatment.id].batch_s / baseline.batch_s for treatment in PLAN.treatments}
    farthest = max(unequal.values(), key=lambda ratio: abs(math.log(ratio)))

    assert calibrations[negative.id].batch_s / baseline.batch_s == pytest.approx(farthest, rel=0.3)


def test_a_batch_that_the_pilot_read_too_long_is_sized_again_after_the_first_block() -> None:
    right = frozen()
    wrong = {
        name: replace(item, count=max(1, item.count // 5)) if name.endswith("/ES256") else item
        for name, item in right.calibrations.items()
    }
    seen = seconds()

    again = resize_batches(PLAN, replace(right, calibrations=wrong), seen)

    for cell in PLAN.cells:
        counts = {name: again.calibrations[name].count for name in lengths(again, cell.id)}
        assert not uneven([counts[name] * seen[name] for name in counts])


def test_even_batches_stay_as_they_are() -> None:
    right = frozen()
    interrupted = {name: 3 * operation_s for name, operation_s in seconds().items()}

    assert resize_batches(PLAN, right, {}) is None
    assert resize_batches(PLAN, right, interrupted) is None
    # Those of whole processes however long one is.
    plan = replace(PLAN, equal_counts=True)
    assert resize_batches(plan, frozen(plan), seconds()) is None


def test_a_short_budget_has_fewer_rounds_and_never_fewer_than_the_plan_allows() -> None:
    unlimited, short, none = (frozen(left_s=left_s, noise=0.5) for left_s in (math.inf, 4.0, 0.0))

    assert short.rounds[PLAIN] < unlimited.rounds[PLAIN]
    assert none.rounds[PLAIN] == PLAN.rounds_range[0]


@pytest.mark.parametrize(("fewest", "rounds"), [(1, 1), (2, 2), (3, 4), (4, 4)])
def test_a_budget_that_is_too_short_has_the_fewest_rounds(fewest: int, rounds: int) -> None:
    """Four rounds that became three, and so four again, once went on for ever."""
    assert frozen(replace(PLAN, rounds_range=(fewest, 64)), left_s=0.0, noise=0.5).rounds[PLAIN] == rounds


def test_a_block_is_measured_for_as_long_as_it_is_opened() -> None:
    """Three arms that are opened in 50 ms each, 7 ms a visit: on the quietest machine more than the fewest rounds."""
    quiet = frozen(noise=1e-6)
    opened_s = 3 * 0.05
    round_s = sum(1.5 * length + 2e-4 for length in lengths(quiet, PLAIN).values())

    assert quiet.rounds[PLAIN] * round_s == pytest.approx(opened_s, rel=0.3)


def test_a_cell_of_which_nothing_was_asked_is_measured_for_as_long_as_it_is_opened() -> None:
    others = tuple(
        replace(comparison, standing=Standing.SECONDARY) if comparison.cell == PLAIN else comparison
        for comparison in PLAN.comparisons
    )

    noisy, quiet = (frozen(replace(PLAN, comparisons=others), noise=noise) for noise in (0.3, 1e-6))

    assert noisy.rounds[PLAIN] == quiet.rounds[PLAIN] < frozen(noise=0.3).rounds[PLAIN]


def test_arms_that_are_visited_at_once_have_the_rounds_that_fit_into_the_time_of_one() -> None:
    at_once = replace(PLAN, treatments=tuple(replace(treatment, at_once=True) for treatment in PLAN.treatments))

    assert frozen(at_once, noise=1e-6).rounds[PLAIN] == pytest.approx(3 * frozen(noise=1e-6).rounds[PLAIN], abs=2)


def alternating(ratio_noise: float, shared_noise: float) -> dict[str, PilotTimes]:
    """Arms that took turns on a machine whose speed is another in every process, and wanders in each."""
    rng, machine = np.random.default_rng(7), np.random.default_rng(8)
    shared = [machine.normal(0, shared_noise) + np.cumsum(machine.normal(0, shared_noise, 60)) for _ in range(2)]
    seen = {}
    for treatment in PLAN.treatments:
        operation_s = SECONDS[treatment.levels["algorithm"]]
        logs = tuple(tuple(math.log(operation_s) + here + rng.normal(0, ratio_noise, 60)) for here in shared)
        seen[treatment.id] = replace(tried(operation_s), processes=logs)
    return seen


def test_what_treatments_share_while_they_take_turns_is_not_noise_of_their_ratio() -> None:
    plan = replace(PLAN, warms_up=False)
    steady, wandering = (freeze(plan, alternating(0.3, shared), {}, math.inf).rounds[PLAIN] for shared in (0.0, 0.5))

    assert wandering == steady > 8


def test_the_default_budget_keeps_rounds_that_cost_little() -> None:
    plan = replace(PLAN, stopping=replace(PLAN.stopping, extends=True))

    asked, own = (frozen(item, left_s=0.0, noise=0.5).rounds[PLAIN] for item in (PLAN, plan))

    assert own > asked == PLAN.rounds_range[0]


def slower_in(cell: str) -> dict[str, float]:
    """Seconds of every treatment: of those of this cell five times as many."""
    return {of.id: SECONDS[of.levels["algorithm"]] * (5 if of.cell == cell else 1) for of in PLAN.treatments}


def test_the_rounds_of_the_longest_cell_are_cut_first() -> None:
    seen = {name: tried(cost_s, 0.3) for name, cost_s in slower_in(PLAIN).items()}

    unlimited, short = (freeze(PLAN, seen, {}, left_s).rounds for left_s in (math.inf, 20.0))
    slow, other = PLAIN, PLAN.cells[0].id

    assert short[slow] < unlimited[slow]
    assert short[slow] / unlimited[slow] < short[other] / unlimited[other]


def test_what_one_block_alone_measures_has_one_round_and_cuts_no_other() -> None:
    long = PLAN.cells[1].id
    once = replace(PLAN, cells=tuple(replace(cell, once=cell.id == long) for cell in PLAN.cells))
    seen = {
        treatment.id: tried(60.0 if treatment.cell == long else SECONDS[treatment.levels["algorithm"]])
        for treatment in PLAN.treatments
    }

    rounds = freeze(once, seen, {}, 1000.0).rounds

    assert rounds[long] == 1
    assert rounds[PLAN.cells[0].id] == freeze(PLAN, seen, {}, math.inf).rounds[PLAN.cells[0].id]


@pytest.mark.parametrize("left_s", [math.inf, 20.0])
def test_cells_that_are_open_at_once_have_equally_many_rounds(left_s: float) -> None:
    seen = {name: paced(cost_s) for name, cost_s in slower_in(PLAIN).items()}
    apart, together = (
        freeze(replace(PLAN, together=number), seen, {}, left_s).rounds for number in (0, len(PLAN.treatments))
    )

    assert len(set(together.values())) == 1
    assert len(set(apart.values())) == 2


def test_operations_that_are_timed_one_by_one_take_turns_one_by_one() -> None:
    plan = replace(PLAN, batch_s=0.0)
    seen = all_tried({"RS256": 1e-3, "ES256": 3e-3, "EdDSA": 2e-5})
    bare = {name: replace(item, operation=replace(item.operation, shortest_s=1e-4)) for name, item in seen.items()}

    calibrated = freeze(plan, bare, {}, math.inf)

    for treatment in plan.treatments:
        wanted = {"RS256": 1, "ES256": 1, "EdDSA": 5}[treatment.levels["algorithm"]]
        assert calibrated.calibrations[treatment.id].count == wanted
    assert resize_batches(plan, calibrated, {treatment.id: 1e-3 for treatment in plan.treatments}) is None


def test_rounds_come_in_pairs_of_mirror_images() -> None:
    plan = replace(PLAN, stopping=Stopping(0.2))

    assert frozen(plan, noise=0.1).rounds[PLAIN] % 2 == 0


def test_a_quiet_machine_has_few_rounds_and_a_noisy_one_many() -> None:
    quiet, noisy = frozen(noise=0.002), frozen(noise=0.3)

    assert max(quiet.rounds.values()) <= 16
    assert all(noisy.rounds[cell] > quiet.rounds[cell] for cell in quiet.rounds)


def test_a_large_effect_needs_fewer_rounds_for_a_verdict_than_for_a_narrow_interval() -> None:
    plans = [replace(PLAN, stopping=Stopping(0.02, until=until)) for until in (Until.VERDICT, Until.PRECISE)]
    for_verdict, for_narrow = (frozen(plan, noise=0.3).rounds[PLAIN] for plan in plans)

    assert for_verdict < for_narrow


@pytest.mark.parametrize("distance", [0.0, 0.005, 0.0198, 0.05, 1.1])
@pytest.mark.parametrize("until", Until)
def test_what_is_aimed_at_is_positive_and_leaves_no_verdict_open(until: Until, distance: float) -> None:
    aimed = target_half_width(Stopping(0.02, until=until), distance)

    assert math.log(1.02) / 2 * 0.7 <= aimed <= max(distance, math.log(1.02))


def test_what_could_not_be_tried_is_not_there() -> None:
    calibrated = freeze(PLAN, {}, {}, math.inf)

    assert calibrated.calibrations == {}
    assert set(calibrated.rounds.values()) == {PLAN.rounds_range[0]}


@pytest.mark.parametrize("allowed", [(2, 64), (2, 4), (4, 4), (6, 80)])
@pytest.mark.parametrize("left_s", [-1.0, 0.0, 10.0, 100.0])
def test_a_budget_of_any_length_ends_the_search_for_rounds(allowed: tuple[int, int], left_s: float) -> None:
    rounds = frozen(replace(PLAN, rounds_range=allowed), left_s=left_s, noise=0.3).rounds

    assert all(allowed[0] <= number <= allowed[1] for number in rounds.values())


def paced(operation_s: float) -> PilotTimes:
    measured = tried(operation_s)
    return replace(measured, operation=replace(measured.operation, most=1), gap_s=0.05)


def test_operations_with_idle_time_between_them_stay_alone_in_their_batches() -> None:
    plan = replace(PLAN, batch_s=0.1)
    spaced = seconds({"RS256": 1e-3, "ES256": 3e-3, "EdDSA": 2e-2})

    calibrated = freeze(plan, {name: paced(item) for name, item in spaced.items()}, {}, math.inf)

    assert {(calibration.count, calibration.settle) for calibration in calibrated.calibrations.values()} == {(1, False)}
    assert resize_batches(plan, calibrated, spaced) is None


def test_one_reading_that_was_too_short_is_put_right_after_the_next_block() -> None:
    right = frozen()
    short = {name: item / 3 if name.endswith("/ES256") else item for name, item in seconds().items()}

    again = resize_batches(PLAN, resize_batches(PLAN, right, short), seconds())

    counts = [{name: item.count for name, item in of.calibrations.items()} for of in (right, again)]
    assert counts[0] == counts[1]


def test_batches_that_are_sized_again_still_outlast_a_coarse_clock() -> None:
    seen = all_tried()
    coarse = {name: replace(item, operation=replace(item.operation, shortest_s=1.0)) for name, item in seen.items()}
    halved = {name: item / 2 if name.endswith("/ES256") else item for name, item in seconds().items()}

    again = resize_batches(PLAN, freeze(PLAN, coarse, {}, math.inf), halved)

    assert all(calibration.batch_s > 0.7 for calibration in again.calibrations.values())


def test_the_known_cost_is_still_known_after_batches_were_sized_again() -> None:
    slow = all_tried({"RS256": 1e-4, "ES256": 1e-4, "EdDSA": 7e-4})
    again = resize_batches(
        PLAN, freeze(PLAN, slow, {}, math.inf), {treatment.id: 1e-4 for treatment in PLAN.treatments}
    )

    for treatment in PLAN.treatments:
        if treatment.extra:
            known = again.calibrations[treatment.id].known_extra(treatment.extra, again.rounds[treatment.cell])
            assert known == pytest.approx(treatment.extra, rel=0.1)


@pytest.mark.parametrize(("left_s", "share"), [(math.inf, 1.0), (6.0, 0.25), (6000.0, 1.0)])
def test_warm_up_is_cut_where_the_budget_is_short(left_s: float, share: float) -> None:
    """Eight treatments that need a quarter of a second each: twelve seconds in the six blocks of a first verdict."""
    warming = Warming(10_000, 2.0 / len(PLAN.treatments))
    seen = {name: replace(item, warming=warming) for name, item in all_tried().items()}

    calibrations = freeze(PLAN, seen, {}, left_s).calibrations

    for calibration in calibrations.values():
        assert calibration.warmup * calibration.count == pytest.approx(share * 10_000, rel=0.5)
        assert calibration.settled is (share == 1.0)
