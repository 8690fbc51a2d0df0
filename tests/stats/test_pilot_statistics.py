"""What a pilot decides: how long to warm up, and how many rounds to run."""

from collections.abc import Callable

import numpy as np
import pytest

from sectax.stats.change_point import change_points, warm_up, warm_up_of
from sectax.stats.repetition import rounds_per_block, variance_parts

BATCHES = np.arange(60)


def share(make: Callable[[np.random.Generator], np.ndarray], right: Callable[[int], bool], pilots: int = 3) -> float:
    """How often the warm-up of pilots made by `make` is right."""
    generators = [np.random.default_rng(seed) for seed in range(100)]
    return float(np.mean([right(warm_up([make(rng) for _ in range(pilots)]).batches) for rng in generators]))


def quiet(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(0, 0.01, 60)


def test_a_process_that_is_warm_at_once_needs_no_warm_up() -> None:
    assert share(quiet, lambda batches: batches == 0) >= 0.95


def test_one_slow_first_batch_is_thrown_away() -> None:
    assert share(lambda rng: quiet(rng) + 0.3 * (BATCHES < 1), lambda batches: batches == 1) >= 0.9


def test_a_compiler_in_two_stages_is_waited_for() -> None:
    def staged(rng: np.random.Generator) -> np.ndarray:
        return quiet(rng) + 1.0 * (BATCHES < 7) + 0.1 * (BATCHES < 15)

    assert share(staged, lambda batches: batches == 15) >= 0.9


def test_a_slow_decay_is_waited_for() -> None:
    assert share(lambda rng: quiet(rng) + 0.5 * np.exp(-BATCHES / 5), lambda batches: 12 <= batches <= 30) >= 0.9


def test_spikes_are_no_warm_up() -> None:
    def spiky(rng: np.random.Generator) -> np.ndarray:
        return quiet(rng) + (rng.random(60) < 0.05) * rng.exponential(0.5, 60)

    assert share(spiky, lambda batches: batches <= 2) >= 0.85


def test_a_pilot_that_never_settles_says_so() -> None:
    falling = np.linspace(0.5, 0, 60) + np.random.default_rng(1).normal(0, 0.005, 60)

    result = warm_up([falling, falling, falling])

    assert not result.settled
    assert result.batches == 30


def test_a_pilot_too_short_to_tell_gives_half_of_itself() -> None:
    result = warm_up_of([0.5, 0.1, 0.0, 0.0])

    assert (result.batches, result.settled) == (2, False)


def test_two_pilots_count_by_the_longer_one() -> None:
    rng = np.random.default_rng(3)
    first, second = quiet(rng), quiet(rng) + 1.0 * (BATCHES < 9)

    assert warm_up([first, second]).batches == 9


def test_equal_batches_have_no_change_points() -> None:
    assert change_points(np.zeros(40)) == []


def test_no_pilot_is_refused() -> None:
    with pytest.raises(ValueError, match="pilot"):
        warm_up([])


def test_variance_parts_are_told_apart() -> None:
    rng = np.random.default_rng(1)
    process = rng.normal(0, 0.03, (400, 1))

    within, between = variance_parts(process + rng.normal(0, 0.01, (400, 10)))

    assert within == pytest.approx(0.01**2, rel=0.1)
    assert between == pytest.approx(0.03**2, rel=0.2)


def test_variance_between_is_never_below_what_the_noise_hides() -> None:
    alternating = np.tile([0.0, 1.0], (3, 5))

    within, between = variance_parts(alternating)

    assert between == pytest.approx(within / 10)


def test_rounds_follow_kalibera_and_jones() -> None:
    assert rounds_per_block(4.0, 1.0, block_cost=9.0, round_cost=1.0) == 6
    assert rounds_per_block(1.0, 100.0, block_cost=1.0, round_cost=1.0) == 4
    assert rounds_per_block(100.0, 0.01, block_cost=9.0, round_cost=1.0) == 32
    assert rounds_per_block(1.0, 0.0, block_cost=1.0, round_cost=1.0, limits=(2, 8)) == 8
    assert rounds_per_block(0.0, 0.0, block_cost=1.0, round_cost=1.0, limits=(2, 8)) == 2


def test_costs_and_variances_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="costs"):
        rounds_per_block(1.0, 1.0, block_cost=1.0, round_cost=0.0)
    with pytest.raises(ValueError, match="two processes"):
        variance_parts([[1.0, 2.0]])
