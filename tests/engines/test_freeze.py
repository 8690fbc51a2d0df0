"""What is made of the pilot's readings: equal batches, controls that are fed like treatments, rounds that fit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sectax.design.batches import Operation, uneven
from sectax.engines.freeze import Tried, freeze, sized_again
from sectax.model.plan import Calibrated, Plan, Stopping
from sectax.model.treatment import Role
from tests.design.plans import small_plan

PLAN: Plan = replace(small_plan(), batch_s=0.005, rounds_range=(4, 64))
# The cell without controls; the other one has as many rounds as whole extra operations need.
PLAIN = PLAN.cells[1].id
SECONDS = {"RS256": 4e-4, "ES256": 3e-5, "EdDSA": 2e-3}


def tried(operation_s: float, noise: float = 0.01) -> Tried:
    rng = np.random.default_rng(1)
    readings = tuple(tuple(math.log(operation_s) + rng.normal(0, noise, 10)) for _ in range(2))
    return Tried(Operation(operation_s, 1e-3), 0.05, 2e-4, 1.0, 1e-8, 5e-8, readings)


def frozen(plan: Plan = PLAN, left_s: float = math.inf, noise: float = 0.01) -> Calibrated:
    seen = {each.id: tried(SECONDS[each.levels["algorithm"]], noise) for each in plan.treatments}
    return freeze(plan, seen, {}, left_s)


def lengths(calibrated: Calibrated, cell: str) -> dict[str, float]:
    return {each.id: calibrated.calibrations[each.id].batch_s for each in PLAN.treatments if each.cell == cell}


@pytest.mark.parametrize("cell", [cell.id for cell in PLAN.cells])
def test_the_batches_of_a_cell_are_equally_long(cell: str) -> None:
    assert not uneven(lengths(frozen(), cell).values())


def test_the_negative_control_has_batches_as_long_as_those_of_the_most_unequal_treatment() -> None:
    operations = {"RS256": 1e-3, "ES256": 4e-3, "EdDSA": 1e-3}
    seen = {each.id: tried(operations[each.levels["algorithm"]]) for each in PLAN.treatments}

    calibrations = freeze(PLAN, seen, {}, math.inf).calibrations
    (negative,) = (each for each in PLAN.treatments if each.role is Role.NEGATIVE)
    baseline = calibrations[PLAN.cell(negative.cell).baseline]
    unequal = {each.id: calibrations[each.id].batch_s / baseline.batch_s for each in PLAN.treatments}
    farthest = max(unequal.values(), key=lambda ratio: abs(math.log(ratio)))

    assert calibrations[negative.id].batch_s / baseline.batch_s == pytest.approx(farthest, rel=0.3)


def test_a_batch_that_the_pilot_read_too_long_is_sized_again_after_the_first_block() -> None:
    right = frozen()
    wrong = {
        name: replace(each, count=max(1, each.count // 5)) if name.endswith("/ES256") else each
        for name, each in right.calibrations.items()
    }
    seen = {each.id: SECONDS[each.levels["algorithm"]] for each in PLAN.treatments}

    again = sized_again(PLAN, replace(right, calibrations=wrong), seen)

    assert again is not None
    for cell in PLAN.cells:
        counts = {name: again.calibrations[name].count for name in lengths(again, cell.id)}
        assert not uneven([counts[name] * seen[name] for name in counts])


def test_even_batches_stay_as_they_are() -> None:
    right = frozen()
    interrupted = {each.id: 3 * SECONDS[each.levels["algorithm"]] for each in PLAN.treatments}

    assert sized_again(PLAN, right, {}) is None
    assert sized_again(PLAN, right, interrupted) is None


def test_batches_of_whole_processes_stay_as_they_are_however_long_one_is() -> None:
    plan = replace(PLAN, equal_counts=True)
    right = frozen(plan)

    assert sized_again(plan, right, {each.id: SECONDS[each.levels["algorithm"]] for each in plan.treatments}) is None


def test_a_short_budget_has_fewer_rounds_and_never_fewer_than_the_plan_allows() -> None:
    unlimited, short, none = (frozen(left_s=left_s, noise=0.5) for left_s in (math.inf, 4.0, 0.0))

    assert short.rounds[PLAIN] < unlimited.rounds[PLAIN]
    assert none.rounds[PLAIN] == PLAN.rounds_range[0]


def test_rounds_come_in_pairs_of_mirror_images() -> None:
    plan = replace(PLAN, stopping=Stopping(0.2))

    assert frozen(plan, noise=0.1).rounds[PLAIN] % 2 == 0


def test_a_quiet_machine_has_few_rounds_and_a_noisy_one_many() -> None:
    quiet, noisy = frozen(noise=0.002), frozen(noise=0.3)

    assert max(quiet.rounds.values()) <= 16
    assert all(noisy.rounds[cell] > quiet.rounds[cell] for cell in quiet.rounds)


def test_what_could_not_be_tried_is_not_there() -> None:
    calibrated = freeze(PLAN, {}, {}, math.inf)

    assert calibrated.calibrations == {}
    assert set(calibrated.rounds.values()) == {PLAN.rounds_range[0]}
