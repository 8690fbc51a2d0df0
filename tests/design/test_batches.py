"""How many operations make a batch, and that compared batches last equally long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sectax.design.batches import MOST_OPERATIONS, Operation, batch_sizes, next_count, shortest_batch, uneven


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


def operations(*seconds: float, shortest_s: float = 1e-3) -> dict[str, Operation]:
    return {f"{place}": Operation(item, shortest_s) for place, item in enumerate(seconds)}


@given(per_operation=st.floats(1e-9, 10), aim=st.floats(1e-3, 0.1))
def test_a_batch_lasts_about_as_long_as_aimed_at(per_operation, aim):
    count = batch_sizes(operations(per_operation), aim)["0"]

    assert 1 <= count <= MOST_OPERATIONS
    if per_operation < aim and count < MOST_OPERATIONS:
        assert abs(count * per_operation - aim) <= 0.6 * per_operation


@given(st.lists(st.floats(1e-6, 1.0), min_size=2, max_size=6), st.floats(1e-3, 0.1))
def test_the_batches_of_a_cell_last_equally_long_whatever_an_operation_lasts(seconds, aim):
    cell = operations(*seconds)
    sizes = batch_sizes(cell, aim)
    lengths = [sizes[name] * item.operation_s for name, item in cell.items()]

    assert max(sizes.values()) < MOST_OPERATIONS
    assert not uneven(lengths)


def test_whole_processes_are_executed_equally_often():
    assert set(batch_sizes(operations(0.001, 0.0012, 0.02), 0.005, equal_counts=True).values()) == {1}
    assert set(batch_sizes(operations(0.0001, 0.0002), 0.005, equal_counts=True).values()) == {25}
    # A batch of the fastest must still outlast the clock.
    assert set(batch_sizes(operations(0.0001, 0.02), 0.005, equal_counts=True).values()) == {10}


def test_the_coarsest_clock_of_a_cell_decides_for_all_of_it():
    cell = {"fine": Operation(1e-5, 1e-3), "coarse": Operation(1e-5, 0.1)}

    assert batch_sizes(cell, 0.005) == {"fine": 10_000, "coarse": 10_000}


def test_batches_half_as_long_again_as_others_are_uneven():
    assert uneven([0.004, 0.0061])
    assert not uneven([0.004, 0.0059])
    assert not uneven([])


def test_a_batch_has_the_fewest_operations_that_show_what_is_measured():
    cell = {"fast": Operation(1e-3, 1e-6, 20, 80), "slow": Operation(2e-3, 1e-6, 20, 80)}

    assert batch_sizes(cell, 0.05) == {"fast": 80, "slow": 80}
    assert batch_sizes(cell, 0.05, equal_counts=True) == {"fast": 80, "slow": 80}
