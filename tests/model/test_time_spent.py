"""The time of a block is told apart from what its record holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sectax.model.measured import BlockRecord, Visited
from sectax.model.subject import Observation, Visit
from sectax.model.time_spent import time_spent
from tests.reports import situations

MEASURED = situations.signatures_in_php().measured


def test_the_shares_are_those_of_the_record_and_make_up_the_whole() -> None:
    name, calibration = next(iter(MEASURED.calibrated.calibrations.items()))
    batches, batch_s, open_s = 8, 0.02, 0.1
    visited = Visited(batches, batches * calibration.count, batches * batch_s, open_s)
    spent = time_spent(replace(MEASURED, record={1: BlockRecord(1.0, {name: visited}), 2: BlockRecord(1.0, {})}))

    thrown_away = batches * calibration.settling_operations / calibration.count + calibration.warmup
    assert spent.counted == pytest.approx(batches * batch_s / 2)
    assert spent.settling == pytest.approx(thrown_away * batch_s / 2)
    assert spent.opening == pytest.approx(open_s / 2)
    assert spent.counted + spent.settling + spent.opening + spent.waiting == pytest.approx(1)


def test_nothing_is_reported_before_a_block_is_finished() -> None:
    assert time_spent(replace(MEASURED, record={})) is None


def test_operations_that_overlap_take_no_longer_together_than_their_visit() -> None:
    eight = tuple(Observation("latency", 1.0, "s", "client", 1) for _ in range(8))

    at_once = Visit(eight, {"spanned_s": 1.1})

    assert (at_once.elapsed_s("latency"), at_once.summed_s("latency")) == (1.1, 8.0)
    assert Visit(eight).elapsed_s("latency") == 8.0
