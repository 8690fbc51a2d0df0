"""How the batches of a process lie."""

from __future__ import annotations

import numpy as np
import pytest

from sectax.stats.batch_shape import FEWEST, best_split, process_batches


def one(times, places=None):
    places = np.zeros(len(times)) if places is None else np.array(places, dtype=float)
    (batches,) = process_batches(np.array(times, dtype=float), places, [len(times)])
    return batches


def noise(seed, size=20):
    return 0.02 * np.exp(np.random.default_rng(seed).normal(0, 0.01, size))


def test_in_company_a_process_gives_the_same_numbers_to_the_last_bit():
    processes = [noise(seed, size) for seed, size in enumerate((20, 7, 20, 1, 33, 20, 3))]
    places = [np.random.default_rng(seed).integers(0, 5, len(times)) * 1.0 for seed, times in enumerate(processes)]

    together = process_batches(np.concatenate(processes), np.concatenate(places), [len(times) for times in processes])

    assert together == [one(times, place) for times, place in zip(processes, places, strict=True)]


def test_few_batches_or_one_without_a_time_have_no_shape():
    few = [0.02, 0.02, 0.03]

    assert len(few) < FEWEST
    assert one(few) == (None, 2, pytest.approx(0.01))  # what repeats shows all the same
    assert one([0.02, 0.0, 0.02, 0.03, 0.04]).shape is None


def test_a_slow_first_batch_stands_out_by_what_it_takes_more():
    times = noise(1)
    times[0] = 0.02 * np.exp(0.3)

    shape = one(times).shape

    assert shape.first_excess == pytest.approx(0.3, abs=0.02)
    assert shape.first_rank == pytest.approx(19.5 / 20)


def test_the_first_among_equals_is_in_the_middle():
    shape = one([0.02] * 8).shape

    assert (shape.first_excess, shape.first_rank) == (0.0, 0.5)
    assert (shape.drift, shape.separation) == (0.0, 0.0)


def test_a_straight_drift_is_what_it_changes_from_first_to_last():
    shape = one(0.02 * np.exp(np.linspace(0, 0.1, 16))).shape

    assert shape.drift == pytest.approx(0.1)
    assert shape.order is None


def test_what_the_place_adds_is_distinguished_from_the_first_to_the_last_place():
    places = np.tile([0, 3, 1, 2, 2, 1, 3, 0], 4)

    shape = one(0.02 * np.exp(0.01 * places), places).shape

    assert shape.order == pytest.approx(0.03)
    assert shape.drift == pytest.approx(0.0, abs=1e-9)


def test_two_modes_are_cut_where_they_part():
    times = noise(2)
    times[[3, 4, 11, 15, 19]] *= 1.3

    shape = one(times).shape

    assert shape.slow_share == 0.25
    assert shape.separation > 15


def test_a_single_spike_is_no_mode():
    times = noise(3)
    times[7] *= 3

    assert one(times).shape.separation < 5


def test_normal_batches_are_cut_near_2_7_deviations():
    shapes = process_batches(np.concatenate([noise(seed, 200) for seed in range(50)]), np.zeros(10_000), [200] * 50)

    assert np.mean([batches.shape.separation for batches in shapes]) == pytest.approx(2.7, abs=0.1)


def test_best_split_of_equal_values_separates_nothing():
    share, separation = best_split(np.zeros((1, 6)), np.zeros(1))

    assert 0 < share[0] < 1
    assert separation[0] == 0.0


@pytest.mark.parametrize(
    ("times", "distinct", "step"),
    [
        ([0.020, 0.021, 0.021, 0.023], 3, pytest.approx(0.001)),
        ([0.020, 0.021, 0.023], 3, None),
        ([0.02, 0.02], 1, None),
    ],
)
def test_values_that_repeat_and_differ_show_the_step_of_the_clock(times, distinct, step):
    assert (one(times).distinct, one(times).step) == (distinct, step)
