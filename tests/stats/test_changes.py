"""Where a series changes its level."""

import numpy as np
import pytest

from sectax.stats.changes import LEAST, change_points


def series(*levels: float, length: int = 15, seed: int = 1) -> list[float]:
    noise = np.random.default_rng(seed).normal(0, 0.01, length * len(levels))
    return [level + float(noise[place]) for place, level in enumerate(np.repeat(levels, length))]


@pytest.mark.parametrize(
    ("levels", "places"), [((0.0,), ()), ((0.0, 0.1), (15,)), ((0.0, 0.1, 0.0), (15, 30)), ((0.0, 0.0, -0.2), (30,))]
)
def test_changes_are_found_where_they_are(levels: tuple[float, ...], places: tuple[int, ...]) -> None:
    assert change_points(series(*levels)) == places


def test_one_run_that_is_far_off_is_no_level() -> None:
    seen = series(0.0, 0.0)
    seen[12] = 0.05

    assert not any(abs(place - 12) <= LEAST for place in change_points(seen))


@pytest.mark.parametrize("values", [[], [1.0], [1.0] * (2 * LEAST - 1), [1.0] * 50])
def test_too_few_values_and_equal_ones_have_no_changes(values: list[float]) -> None:
    assert change_points(values) == ()


@pytest.mark.parametrize("tied", [[0.0] * 10 + [0.1] * 10, [0.0, 1e-16] * 5 + [0.1] * 10])
def test_a_change_between_equal_values_is_found(tied: list[float]) -> None:
    assert change_points(tied) == (10,)


def test_a_large_change_hides_no_small_one() -> None:
    assert change_points(series(0.0, 0.05, 2.0)) == (15, 30)


def test_rounding_is_no_change() -> None:
    assert change_points([0.0] * 10 + [1e-16] * 10) == ()
