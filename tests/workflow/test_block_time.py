"""The time that is announced for a block is the one that its order takes."""

from __future__ import annotations

import pytest

from sectax.design.order import plan_block
from sectax.model.plan import Calibrated, Calibration, Plan
from sectax.workflow.block_time import block_s
from tests.reports import situations

PLAN: Plan = situations.signatures_in_php().measured.plan
FROZEN: Calibrated = situations.calibrated(PLAN)


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
        for name in cell.opening:
            batches, count = cell.warmup[name]
            work(name, batches * count)
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


def test_what_the_pilot_could_not_try_takes_no_time():
    assert block_s(PLAN, Calibrated({}, {}), {}) == 0.0
