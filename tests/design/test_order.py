"""The order of visits, drawn from a seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sectax.design.order import plan_block
from tests.design.plans import calibrated_for, small_plan

PLAN = small_plan()
ALL = [treatment.id for treatment in PLAN.treatments]


def test_the_same_seed_and_number_give_the_same_block():
    calibrated = calibrated_for(PLAN)

    assert plan_block(PLAN, calibrated, 3, ALL) == plan_block(PLAN, calibrated, 3, ALL)
    assert plan_block(PLAN, calibrated, 3, ALL) != plan_block(PLAN, calibrated, 4, ALL)
    assert plan_block(PLAN, calibrated, 3, ALL) != plan_block(replace(PLAN, seed=8), calibrated, 3, ALL)


@given(number=st.integers(1, 1000), rounds=st.integers(1, 9))
def test_every_round_visits_every_live_treatment_once(number, rounds):
    block = plan_block(PLAN, calibrated_for(PLAN, rounds=rounds), number, ALL)

    for cell in block.cells:
        members = {treatment.id for treatment in PLAN.treatments if treatment.cell == cell.cell}
        assert set(cell.opening) == members
        for index in range(rounds):
            visited = [visit.treatment for visit in cell.visits if visit.round == index]
            assert sorted(visited) == sorted(members)
            assert [v.position for v in cell.visits if v.round == index] == list(range(len(members)))


@given(number=st.integers(1, 200))
def test_rounds_come_in_mirrored_pairs_so_that_a_linear_drift_cancels(number):
    block = plan_block(PLAN, calibrated_for(PLAN, rounds=4), number, ALL)

    for cell in block.cells:
        orders = [[v.treatment for v in cell.visits if v.round == index] for index in range(4)]
        assert orders[1] == orders[0][::-1]
        assert orders[3] == orders[2][::-1]


def test_cells_together_share_their_rounds_and_each_keeps_its_own_number_of_them():
    first, second = PLAN.cells[:2]
    together = replace(PLAN, together=len(PLAN.treatments))
    rounds = {cell.id: 4 for cell in PLAN.cells} | {second.id: 2}

    block = plan_block(together, replace(calibrated_for(PLAN), rounds=rounds), 5, ALL)

    (cell,) = block.cells
    assert sorted(cell.opening) == sorted(ALL)
    visited = Counter(visit.treatment for visit in cell.visits)
    assert {visited[treatment.id] for treatment in PLAN.treatments if treatment.cell == first.id} == {4}
    assert {visited[treatment.id] for treatment in PLAN.treatments if treatment.cell == second.id} == {2}
    orders = [[v.treatment for v in cell.visits if v.round == index] for index in range(4)]
    assert orders[1] == orders[0][::-1]
    assert orders[3] == orders[2][::-1]
    assert all(
        [v.position for v in cell.visits if v.round == index] == [*range(len(orders[index]))] for index in (0, 3)
    )


def test_no_more_treatments_are_together_than_the_plan_allows():
    most = max(sum(treatment.cell == cell.id for treatment in PLAN.treatments) for cell in PLAN.cells)

    block = plan_block(replace(PLAN, together=most), calibrated_for(PLAN), 5, ALL)

    assert len(block.cells) == len(plan_block(PLAN, calibrated_for(PLAN), 5, ALL).cells) > 1


def test_with_two_treatments_both_orders_come_up():
    two = [PLAN.treatments[0].id, PLAN.treatments[1].id]
    starts = Counter(
        plan_block(PLAN, calibrated_for(PLAN), number, two).cells[0].visits[0].treatment for number in range(1, 201)
    )

    assert set(starts) == set(two)
    assert min(starts.values()) > 60  # a fair coin gives fewer than 60 of 200 once in 10^8 times


def test_resolved_treatments_leave_and_a_cell_without_any_is_not_visited():
    first_cell = PLAN.cells[0].id
    live = [treatment.id for treatment in PLAN.treatments if treatment.cell == first_cell][:2]

    block = plan_block(PLAN, calibrated_for(PLAN), 7, live)

    assert [cell.cell for cell in block.cells] == [first_cell]
    assert {visit.treatment for visit in block.cells[0].visits} == set(live)


@pytest.mark.parametrize(
    ("count", "rounds", "extra", "total"), [(30, 4, 0.04, 5), (1000, 4, 0.04, 160), (1, 4, 0.04, 1)]
)
def test_a_known_extra_cost_is_spread_over_the_rounds_and_adds_up(count, rounds, extra, total):
    positive = next(treatment for treatment in PLAN.treatments if treatment.extra)
    calibrated = calibrated_for(PLAN, rounds=rounds, count=count)

    block = plan_block(PLAN, calibrated, 1, ALL)

    extras = [v.work.extra for cell in block.cells for v in cell.visits if v.treatment == positive.id]
    assert sum(extras) == total
    assert max(extras) - min(extras) <= 1
    assert calibrated.calibrations[positive.id].known_extra(extra, rounds) == total / (count * rounds)
    others = [v.work.extra for cell in block.cells for v in cell.visits if v.treatment != positive.id]
    assert set(others) == {0}


def test_no_place_of_a_block_is_always_the_one_without_an_extra_operation():
    """Otherwise the first batch would always be the lightest, and the audit would take that for a warm-up."""
    positive = next(treatment for treatment in PLAN.treatments if treatment.extra)
    rounds = 8
    calibrated = calibrated_for(PLAN, rounds=rounds, count=23)  # 7 operations more among 184: one visit has none
    lightest = set()
    for number in range(1, rounds + 1):
        block = plan_block(PLAN, calibrated, number, ALL)
        extras = {v.round: v.work.extra for cell in block.cells for v in cell.visits if v.treatment == positive.id}
        assert sorted(extras.values()) == [0] + [1] * (rounds - 1)
        lightest |= {round_ for round_, extra in extras.items() if not extra}

    assert lightest == set(range(rounds))
