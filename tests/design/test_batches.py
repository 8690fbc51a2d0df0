"""How many operations make a batch."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sectax.design.batches import MOST_OPERATIONS, frozen_count, next_count, shortest_batch


def test_a_batch_outlasts_the_clocks_step_and_its_reading():
    assert shortest_batch(granularity_s=1e-3, clock_read_s=1e-7) == 1.0
    assert shortest_batch(granularity_s=1e-9, clock_read_s=1e-4) == 1e-2
    assert shortest_batch(granularity_s=1e-9, clock_read_s=1e-8) == 1e-3


@given(per_operation=st.floats(1e-9, 10), aim=st.floats(1e-3, 0.1))
def test_growing_ends_at_a_batch_that_is_long_enough_within_few_steps(per_operation, aim):
    count, steps = 1, 0
    while True:
        following = next_count(count, count * per_operation, aim)
        if following is None:
            break
        assert following > count
        count, steps = following, steps + 1

    assert steps <= 12
    assert count == MOST_OPERATIONS or count * per_operation >= aim


@given(per_operation=st.floats(1e-9, 10), aim=st.floats(1e-3, 0.1))
def test_the_frozen_batch_lasts_about_as_long_as_aimed_at(per_operation, aim):
    count = frozen_count(per_operation, aim, shortest_s=1e-3)

    assert 1 <= count <= MOST_OPERATIONS
    if per_operation < aim and count < MOST_OPERATIONS:
        assert abs(count * per_operation - aim) <= per_operation / 2 + 1e-12
