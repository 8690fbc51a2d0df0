"""Doubt about raw times: seldom of healthy ones, however skewed."""

from __future__ import annotations

import numpy as np
import pytest

from sectax.stats.single_values import rank_autocorrelation, tie_broken_ranks, two_modes

SHAPES = {
    "normal": lambda rng, size: rng.normal(size=size),
    "uniform": lambda rng, size: rng.uniform(size=size),
    "exponential": lambda rng, size: rng.exponential(size=size),
    "Pareto": lambda rng, size: rng.pareto(1.5, size=size),
    "a long tail in logs": lambda rng, size: np.log(1 + 0.01 * rng.pareto(1.0, size=size)),
    "triangular": lambda rng, size: rng.triangular(0, 0, 1, size=size),
}


def test_ties_are_broken_without_regard_to_their_order() -> None:
    ranks = tie_broken_ranks(np.repeat(1.0, 1000))

    assert sorted(ranks) == list(range(1000))
    assert abs(np.corrcoef(ranks, np.arange(1000))[0, 1]) < 0.1
    assert abs(np.corrcoef(ranks[1:], ranks[:-1])[0, 1]) < 0.4


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("size", [20, 100, 400])
def test_one_mode_is_seldom_taken_for_two(name: str, size: int) -> None:
    rng = np.random.default_rng(7)
    found = [two_modes(SHAPES[name](rng, size)) for _ in range(500)]

    assert sum(item is not None and item.chance < 0.01 for item in found) <= 5


@pytest.mark.parametrize("size", [10, 50, 300])
def test_independent_values_seldom_resemble_each_other(size: int) -> None:
    rng = np.random.default_rng(8)

    assert sum(rank_autocorrelation(rng.exponential(size=size))[1] < 0.01 for _ in range(2000)) <= 36


def test_modes_are_reported_with_their_share_and_their_middles() -> None:
    values = np.concatenate([np.linspace(-0.1, 0.1, 80), np.linspace(0.9, 1.1, 20)])

    found = two_modes(values)

    assert (found.slow_share, found.fast, found.slow) == pytest.approx((0.2, 0.0, 1.0))
    assert found.chance < 0.001
