"""The time that is announced for a block is the one that its order takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sectax.calibration.time_budget import BlockTimes, block_s
from sectax.design.order import plan_block
from sectax.model.plan import Calibrated, Calibration, Plan
from tests.reports import situations
from tests.reports.situations.simulated import calibrated

PLAN: Plan = situations.signatures_in_php().measured.plan
FROZEN: Calibrated = calibrated(PLAN)


def play(plan: Plan, calibrated: Calibrated, gaps: dict[str, float]) -> float:
    """The same one operation at a time, as a subject does it."""
    now = 0.0
    ended: dict[str, float] = {}

    def work(name: str, operations: int) -> None:
        nonlocal now
        seen: Calibration = calibrated.calibrations[name]
        for _ in range(operations):
            now = max(now, ended[name] + gaps.get(name, 0.0)) + seen.batch_s / seen.count
            ended[name] = now

    for cell in plan_block(plan, calibrated, 1, calibrated.calibrations).cells:
        for name in cell.opening:
            now += calibrated.calibrations[name].open_s
            ended[name] = now
        for turn in range(max(batches for batches, _ in cell.warmup.values())):
            for name in cell.opening:
                batches, count = cell.warmup[name]
                work(name, count if turn < batches else 0)
        for visit in cell.visits:
            work(visit.treatment, visit.work.settle + visit.work.count + visit.work.extra)
    return now


def test_a_block_is_opening_warm_up_and_every_settled_visit():
    # Eight processes of 0.05 s, 4 batches of warm-up and 8 rounds of about one and a half batches of 20 ms.
    assert block_s(PLAN, FROZEN, {}) == pytest.approx(8 * (0.05 + (4 * 33 + 8 * (17 + 33)) * 0.02 / 33), rel=0.01)


@pytest.mark.parametrize("gap_s", [0.0001, 0.001, 0.05, 1.0])
def test_idle_gaps_are_counted_where_nobody_else_fills_them(gap_s):
    gaps = dict.fromkeys(FROZEN.calibrations, gap_s)
    (one, *_) = gaps

    assert block_s(PLAN, FROZEN, gaps) == pytest.approx(play(PLAN, FROZEN, gaps))
    assert block_s(PLAN, FROZEN, {one: gap_s}) == pytest.approx(play(PLAN, FROZEN, {one: gap_s}))
    assert block_s(PLAN, FROZEN, {}) < block_s(PLAN, FROZEN, {one: gap_s}) < block_s(PLAN, FROZEN, gaps)


def test_those_that_are_visited_at_once_take_the_time_of_the_longest() -> None:
    (cell, *_) = PLAN.cells
    members = [treatment.id for treatment in PLAN.treatments if treatment.cell == cell.id]
    plan = replace(PLAN, treatments=tuple(replace(one, at_once=one.id in members) for one in PLAN.treatments))
    known = FROZEN.calibrations[members[0]]
    visits_s = FROZEN.rounds[cell.id] * (known.batch_s + known.settling_operations * known.operation_s)

    saved_s = block_s(PLAN, FROZEN, {}) - block_s(plan, FROZEN, {})

    assert saved_s == pytest.approx((len(members) - 1) * visits_s, rel=0.05)  # the control has operations more


def test_what_the_pilot_could_not_try_takes_no_time():
    assert block_s(PLAN, Calibrated({}, {}), {}) == 0.0


def test_other_work_makes_visits_longer_and_not_the_openings_of_processes_that_start_side_by_side():
    opened_s = sum(calibration.open_s for calibration in FROZEN.calibrations.values())
    alone, beside = (block_s(PLAN, FROZEN, {}, pace=pace) for pace in (1.0, 3.0))

    assert beside - opened_s == pytest.approx(3 * (alone - opened_s))


def test_what_one_block_alone_measures_is_in_no_other_block_and_goes_once_into_the_whole():
    first, *others = PLAN.cells
    plan = replace(PLAN, cells=(replace(first, once=True), *others))

    assert PLAN.once_s(FROZEN) == 0.0
    visited = [treatment for treatment in plan.treatments if treatment.cell == first.id]
    assert plan.once_s(FROZEN) == pytest.approx(
        sum(FROZEN.calibrations[item.id].batch_s * FROZEN.rounds[first.id] for item in visited)
    )
    others = {name: known for name, known in FROZEN.calibrations.items() if plan.treatment(name).cell != first.id}
    assert block_s(plan, FROZEN, {}) == pytest.approx(block_s(PLAN, replace(FROZEN, calibrations=others), {}))


def test_a_first_block_with_what_is_measured_once_says_nothing_of_the_others():
    times = BlockTimes(2.0, once_s=60.0)

    assert times.overrun_s(50.0, 0.5) is None
    times.ended(62.0)
    assert (times.longer_s(), times.about_s) == (None, 2.0)
    times.ended(8.0)
    assert times.longer_s() == 8.0


def test_blocks_that_become_longer_are_announced_again_once():
    times = BlockTimes(2.0)
    said = []
    for took_s in (2.0, 2.0, 8.0, 8.0, 8.0, 8.0):
        times.ended(took_s)
        said.append(times.longer_s())

    assert said == [None, None, 4.0, None, 8.0, None]
    assert times.about_s == 8.0


def test_blocks_that_become_shorter_are_not():
    times = BlockTimes(8.0)
    times.ended(1.0)

    assert times.longer_s() is None
    assert times.about_s == 1.0


def test_a_first_block_that_overruns_is_announced_before_it_ends():
    times = BlockTimes(2.0)

    assert times.overrun_s(1.9, 0.05) is None  # processes are started before the first visit
    assert times.overrun_s(3.1, 0.25) == pytest.approx(12.4)
    assert times.overrun_s(6.0, 0.5) is None
    times.ended(12.0)
    assert times.overrun_s(100.0, 0.1) is None


def test_what_is_compiled_during_the_warm_up_counts_as_long_as_it_took():
    cold = {name: replace(known, warmup_s=1.5) for name, known in FROZEN.calibrations.items()}
    none = {name: replace(known, warmup=0) for name, known in FROZEN.calibrations.items()}

    warm_s = block_s(PLAN, replace(FROZEN, calibrations=none), {})
    assert block_s(PLAN, replace(FROZEN, calibrations=cold), {}) == pytest.approx(warm_s + 1.5 * len(cold))
