"""Tests of independence and of shape: as rare as they promise where nothing is wrong, and awake where something is."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from sectax.stats.diagnostics import autocorrelation_p_value, lag_one, normality_p_value, zero_mean_p_value

RUNS = 4000


def share(test, draw, size, level, runs=RUNS):
    rng = np.random.default_rng(size)
    return np.mean([test(draw(rng, size)) < level for _ in range(runs)])


def autoregressive(rng, size, rho=0.9):
    values = [rng.normal()]
    for _ in range(size - 1):
        values.append(rho * values[-1] + np.sqrt(1 - rho**2) * rng.normal())
    return np.array(values)


DRAWS = {
    "normal": lambda rng, size: rng.normal(size=size),
    "exponential": lambda rng, size: rng.exponential(size=size),
    "two modes": lambda rng, size: rng.normal(size=size) + 10 * (rng.random(size) < 0.2),
    "very long tails": lambda rng, size: rng.standard_t(1.5, size=size),
}


@pytest.mark.parametrize("size", [8, 20, 40])
@pytest.mark.parametrize("name", DRAWS)
def test_independent_values_of_any_kind_are_seldom_called_alike(name, size):
    assert share(autocorrelation_p_value, DRAWS[name], size, 0.01) < 0.02


def test_neighbours_that_resemble_each_other_are_found():
    assert share(autocorrelation_p_value, autoregressive, 40, 0.01, 500) > 0.95


def test_a_straight_line_is_as_alike_as_can_be_and_a_zigzag_is_not():
    assert autocorrelation_p_value(np.arange(20)) < 1e-6
    assert autocorrelation_p_value([0, 1] * 10 + np.arange(20) * 1e-3) > 0.9


def test_lag_one_is_the_correlation_of_neighbours():
    values = autoregressive(np.random.default_rng(1), 5000, 0.7)

    assert lag_one(values) == pytest.approx(0.7, abs=0.05)
    assert lag_one([3.0, 3.0, 3.0]) == 0.0


@pytest.mark.parametrize("size", [6, 10, 20, 60])
def test_normal_values_are_seldom_called_otherwise(size):
    assert share(normality_p_value, DRAWS["normal"], size, 0.01) < 0.02


@pytest.mark.parametrize("name", ["exponential", "two modes", "very long tails"])
def test_other_shapes_are_found(name):
    assert share(normality_p_value, DRAWS[name], 40, 0.01, 500) > 0.85


def test_normal_agrees_with_the_test_that_it_is_a_cousin_of():
    rng = np.random.default_rng(5)
    for values in (rng.normal(size=50), rng.exponential(size=50), rng.standard_t(3, size=50)):
        other = scipy.stats.shapiro(values).pvalue

        assert abs(np.log10(normality_p_value(values)) - np.log10(other)) < 1.5


def test_away_from_zero_is_students_t_for_independent_values():
    values = np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.6, 0.0, 0.2])
    assert lag_one(values) < 0

    assert zero_mean_p_value(values) == pytest.approx(scipy.stats.ttest_1samp(values, 0).pvalue)


def test_a_wandering_speed_is_seldom_called_a_change():
    assert share(zero_mean_p_value, autoregressive, 40, 0.01, 2000) < 0.15
    assert share(lambda values: scipy.stats.ttest_1samp(values, 0).pvalue, autoregressive, 40, 0.01, 500) > 0.4


def test_values_without_spread_are_normal_and_away_from_zero_unless_they_are_zero():
    assert normality_p_value([2.0] * 8) == 1.0
    assert zero_mean_p_value([0.125] * 6) == 0.0
    assert zero_mean_p_value([0.0] * 6) == 1.0
